"""WCAG 2.2 AA on the researcher's panel and on the report, by axe-core, light and dark, on a phone and a desktop."""

from itertools import pairwise

import numpy as np
import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from collector.database.servers import Server, Servers
from collector.designs.selectors import get_design
from collector.designs.services import freeze_design
from estimator.models import Run
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.definition import templates
from surveys.lifecycle.services import close_survey, write_survey
from surveys.models import Survey, Version
from surveys.panel import operations
from surveys.planning.rehearsals import services as rehearsals
from tests.browser.accessibility import (
    CLEAN,
    CLIPPED,
    EVERYWHERE,
    SPACED,
    THEME,
    faint_picture_texts,
    faults,
    found,
    on_every_screen,
    texts,
)
from tests.browser.panel import PHONE, sign_in
from tests.browser.states import UNFOLD
from tests.factories import kinds, payloads, simulation
from tests.factories.runs import fill, run_of


@pytest.fixture
def run(version: Version, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A published run of alice's open survey."""
    monkeypatch.setattr(estimator, "wake", lambda run_id: None)
    design = get_design(version.design_id)
    fill(design)
    return run_of(design, published=True)


@pytest.mark.long
def test_axe_published_report(page: Page, run: Run) -> None:
    page.goto(f"/reports/{run.key}/")
    page.evaluate(UNFOLD)
    assert dict(on_every_screen(page)) == CLEAN


def test_report_languages_lie_within_a_phone(page: Page, run: Run) -> None:
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.goto(f"/reports/{run.key}/")
    links = page.get_by_role("navigation").first.get_by_role("link").all()
    places = [link.bounding_box() or {} for link in links]
    assert len(places) == 5
    assert [one for one in places if one["x"] < 0 or one["x"] + one["width"] > PHONE["width"]] == []


@pytest.mark.long
def test_axe_report_of_every_kind_of_question(page: Page, run: Run) -> None:
    """Sections, means and groups; each picture has its title and its words."""
    groups = [{"key": key, "label": {"en": key}, "share": None} for key in ("a", "b")]
    design = freeze_design(kinds.document(strata={"wording": {"en": "Which?"}, "groups": groups}))
    generator = np.random.default_rng(4)
    who = simulation.people(design, 200, generator)
    simulation.store(design, who, simulation.symbols(design, who, generator))
    page.goto(f"/reports/{run_of(design, published=True).key}/")
    page.evaluate(UNFOLD)
    assert dict(on_every_screen(page, within=EVERYWHERE)) == CLEAN
    levels = [int(heading.evaluate("one => one.tagName[1]")) for heading in page.get_by_role("heading").all()]
    assert all(after <= before + 1 for before, after in pairwise(levels))


PAGES = (
    "/panel/surveys/survey/", "/panel/surveys/survey/add/", "/panel/upload/", "/panel/new/", "/panel/templates/",
)  # fmt: skip


@pytest.mark.long
def test_axe_list_form_and_upload(page: Page, alice: User, run: Run) -> None:
    sign_in(page, alice)
    assert {path: found(page, path, EVERYWHERE) for path in PAGES} == dict.fromkeys(PAGES, CLEAN)


STATES = {"draft": ("", "open/"), "open": ("", "open/", "share/", "disclose/"), "closed": ("", "waves/")}


@pytest.mark.long
def test_axe_survey_pages_in_each_state(page: Page, alice: User, run: Run) -> None:
    """One survey is a draft; the other is open and then closed. Signing in once saves half of the time."""
    write_survey(payloads.definition(slug="draft"), team=home_team(alice))
    sign_in(page, alice)
    for state, paths in STATES.items():
        if state == "closed":
            close_survey(Survey.objects.get(slug="campus"))
        slug = "draft" if state == "draft" else "campus"
        seen = {path: found(page, f"/panel/survey/{slug}/{path}", EVERYWHERE) for path in paths}
        assert seen == dict.fromkeys(paths, CLEAN), state


@texts
def test_axe_watch_page(page: Page, alice: User, run: Run, within: str) -> None:
    """With results, days, an alarm, a failed run and no worker."""
    estimates = run.estimates.filter(position=0, stratum=None)
    estimates.update(flags=["reports_outside_table"])
    Run.objects.create(design_id=run.design_id, trigger=Run.Trigger.DEMAND, state=Run.State.FAILED, fault="It died.")
    sign_in(page, alice)
    assert found(page, "/panel/survey/campus/watch/", within) == CLEAN


@pytest.mark.long
def test_axe_operation_page(page: Page, alice: User, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With reports, a part that does not work, a replica, nodes of which one is away, workers on two machines."""
    servers = [
        Server("10.0.0.1:5432", "coordinator", "answers", True, shards=4, size=3_000_000),
        Server("10.0.0.2:5432", "worker", "does not answer", False, shards=32),
        Server("second at 10.0.0.3", "replica", "streaming", True, True, 0, 0),
    ]
    monkeypatch.setattr(operations, "database_servers", lambda: Servers(servers, True))
    monkeypatch.setattr(operations.health, "workers_by_node", lambda: {"alpha": 2, "beta": 1})
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    Run.objects.create(design_id=run.design_id, trigger=Run.Trigger.DEMAND, state=Run.State.FAILED, fault="It died.")
    sign_in(page, alice)
    assert found(page, "/panel/operation/") == CLEAN
    assert page.get_by_role("region", name="Table: database servers").is_visible()


@pytest.mark.long
def test_axe_draft_form(page: Page, alice: User, run: Run) -> None:
    draft = write_survey(payloads.definition(slug="draft"), team=home_team(alice))
    sign_in(page, alice)
    assert found(page, f"/panel/surveys/survey/{draft.pk}/change/") == CLEAN


@pytest.mark.long
@pytest.mark.parametrize("repetitions", [1, 3])
def test_axe_rehearsal_page(
    page: Page, alice: User, run: Run, monkeypatch: pytest.MonkeyPatch, repetitions: int
) -> None:
    monkeypatch.setattr(rehearsals, "wake", lambda rehearsal_id: None)
    said = {"respondents": 80, "shares": {}}
    asked = rehearsals.request_rehearsal(Survey.objects.get(), said, repetitions=repetitions, seed=1)
    sign_in(page, alice)
    if repetitions == 1:
        assert found(page, "/panel/survey/campus/rehearse/1/") == CLEAN, "while it waits"
        page.goto("about:blank")  # the page loads itself anew once it is done, which would be in the way
    rehearsals.execute(asked.pk, seconds=60)
    assert found(page, "/panel/survey/campus/rehearse/1/") == CLEAN
    if repetitions == 1:
        assert found(page, "/panel/survey/campus/rehearse/") == CLEAN


@pytest.mark.long
def test_axe_preview_of_incomplete_bilingual_form(page: Page, alice: User, run: Run) -> None:
    template = templates.find("partner-violence")
    assert template is not None
    draft = write_survey(template.definition, team=home_team(alice), unfinished=True)
    draft.items.filter(key="afraid").update(wording={"en": "Is it so?", "de": ""})
    sign_in(page, alice)
    assert found(page, f"/panel/survey/{draft.slug}/preview/") == CLEAN
    page.goto(f"/panel/surveys/survey/{draft.pk}/change/")
    page.get_by_role("button", name="Preview", exact=True).click()
    page.evaluate(UNFOLD)
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN


def test_headings_are_nested(page: Page, alice: User, run: Run) -> None:
    """A question's heading is one level below that of the results."""
    sign_in(page, alice)
    page.goto("/panel/survey/campus/watch/")
    results = page.locator(".candor-results")
    assert results.get_by_role("heading", level=2).all_inner_texts() == ["Results"]
    assert results.get_by_role("heading", level=3).all_inner_texts() == ["Have you cheated?", "How do you feel?"]
    assert "By group" in results.get_by_role("heading", level=4).all_inner_texts()
    page.goto(f"/reports/{run.key}/")
    assert page.get_by_role("heading", level=2, name="Have you cheated?").is_visible()


SPACED_PAGES = ("/panel/", "/panel/survey/campus/", "/panel/survey/campus/watch/", "/panel/survey/campus/plan/")


@pytest.mark.long
def test_text_spacing_and_320_px_hide_nothing(page: Page, alice: User, run: Run) -> None:
    """WCAG 1.4.12 and 1.4.10: letters, words and lines wide apart; a screen of 1280 px at 400 %. Tables scroll."""
    sign_in(page, alice)
    clipped, wide = {}, {}
    for path in SPACED_PAGES:
        page.set_viewport_size({"width": 320, "height": 640})
        page.goto(path)
        wide[path] = page.evaluate("document.documentElement.scrollWidth")
        page.evaluate(SPACED)
        clipped[path] = page.evaluate(CLIPPED)
    assert max(wide.values()) <= 320
    assert clipped == {path: [] for path in SPACED_PAGES}


def test_axe_inserted_fault_is_found(page: Page, alice: User, run: Run) -> None:
    sign_in(page, alice)
    page.goto("/panel/survey/campus/")
    page.evaluate("document.querySelector('.candor-files a').textContent = ''")
    page.evaluate("document.querySelector('.candor-steps a').style.color = '#bbb'")
    rules = {line.split(":")[0] for line in faults(page, excused=THEME)}
    assert {"link-name", "color-contrast"} <= rules
    page.goto("/panel/survey/campus/watch/")
    page.evaluate(
        "[...document.querySelectorAll('svg text')].find((text) => text.checkVisibility()).style.fill = '#bbb'"
    )
    assert len(faint_picture_texts(page)) == 1


@pytest.fixture
def page(panel_page: Page) -> Page:
    """Its console may say that an answer was a refusal."""
    return panel_page
