"""Every page of the panel asks the database as often of a big installation as of a small one."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from collector.designs import Design, selectors
from collector.reports import folding
from estimator.analyses import services as analyses
from estimator.models import Analysis, Export, Run
from estimator.runs import services as estimator
from surveys.accounts.access import Role
from surveys.accounts.invitations import invite
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import close_survey, revise_survey, write_survey
from surveys.models import Mailing, Membership, Survey, Version
from surveys.opening.services import open_survey
from surveys.planning.rehearsals.services import request_rehearsal
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.factories.runs import fill, run_of
from tests.panel.access import ADMIN, ROWS, export_of, mailing_of

pytestmark = pytest.mark.django_db

FORMS = {name: row for name, row in ADMIN.items() if name.startswith("admin:surveys_")}
ABOUT = ("", "survey", "run", "draft", "question", "team", "rehearsal", "analysis", "export", "design", "mailing")
PAGES = {name: row.about for name, row in {**ROWS, **FORMS}.items() if "GET" in row.methods and row.about in ABOUT}
"""Every address that is read; a new one has a row there or fails there."""


def test_query_pages_are_all_readable_pages() -> None:
    assert {"panel:survey", "panel:survey-watch", "panel:report", "admin:surveys_survey_change"} <= set(PAGES)
    elsewhere = {row.about for row in ROWS.values() if "GET" in row.methods} - set(PAGES.values())
    assert elsewhere <= {"invitation", "member", "user", "picture"}, "pages that are not measured here"


def addresses(survey: Survey, draft: Survey) -> Iterator[tuple[str, str]]:
    run = Run.objects.filter(design=survey.versions.all()[:1].get().design_id, state=Run.State.DONE)[0]
    question = [draft.slug, draft.items.all()[0].pk]
    about: dict[str, list[Any]] = {
        "": [],
        "survey": [survey.slug],
        "run": [run.key],
        "draft": [draft.pk],
        "question": question,
        "team": [survey.team_id],
        "rehearsal": [survey.slug, survey.rehearsals.all()[0].number],
        "analysis": [Analysis.objects.all()[0].key],
        "export": [Export.objects.all()[0].key],
        "design": [run.design_id],
        "mailing": [survey.slug, Mailing.objects.all()[0].key],
    }
    for name, of in PAGES.items():
        yield name, reverse(name, args=about[of])
        if of == "survey":
            yield f"{name} of a draft", reverse(name, args=[draft.slug])


def asked(client: Client, survey: Survey, draft: Survey, expected: dict[str, int]) -> dict[str, int]:
    """How many queries each page takes; where it is not the expected number, once what never changes was read."""
    found = {}
    for name, address in addresses(survey, draft):
        found[name] = queries_of(client, address)
        if found[name] != expected.get(name):
            found[name] = queries_of(client, address)
    return found


def queries_of(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    return len(queries)


def items(count: int) -> list[dict[str, object]]:
    """So weak that three versions of them fit under the ceiling together."""
    channel = {"name": "forced_response", "truth": "1/6", "yes": "1/2"}
    return [payloads.definition()["items"][0] | {"key": f"q{number}", "channel": channel} for number in range(count)]


def grow(survey: Survey, draft: Survey, alice: User) -> None:
    """More surveys, questions, groups, versions, reports and runs of everything."""
    groups = [{"key": f"y{n}", "label": {"en": f"Year {n}"}, "share": None} for n in range(1, 6)]
    larger = payloads.definition(items=items(6), strata=payloads.definition()["strata"] | {"groups": groups})
    for number in range(3):
        more = write_survey(payloads.definition(slug=f"more-{number}"), team=survey.team)
        fill_and_estimate(open_survey(more))
    write_survey(payloads.definition(slug="another-draft", items=items(5)), team=survey.team)
    write_survey(larger | {"slug": draft.slug}, team=draft.team)
    for _ in range(2):
        close_survey(survey)
        revise_survey(survey)
        write_survey(larger | {"slug": survey.slug}, team=survey.team)
        fill_and_estimate(open_survey(survey, reason="It is a test."))
        survey.refresh_from_db()
        analyse_and_rehearse(survey)
    for number in range(3):
        member = User.objects.create_user(f"member-{number}", is_staff=True)
        Membership.objects.create(team=survey.team, user=member, role=Role.VIEWER)
        invite(survey.team, Role.VIEWER, by=alice)
    for run in Run.objects.filter(state=Run.State.QUEUED):
        estimator.execute(run.pk)


def analyse_and_rehearse(survey: Survey) -> None:
    """What the pages of analyses and rehearsals list."""
    design = selectors.get_design(survey.versions.all()[:1].get().design_id)
    asked = {"quantity": "cheated:1" if len(design.alphabets) == 2 else "q0:1", "against": "pairs"}
    analyses.execute(analyses.request("comparison", asked, [design]).pk)
    request_rehearsal(survey, {"respondents": 60, "shares": {}}, repetitions=1, seed=1)
    mailing_of(survey)


def fill_and_estimate(version: Version) -> None:
    design = selectors.get_design(version.design_id)
    _fill(design, 120)
    folding.fold(design.digest)
    run_of(design, final=False)
    export_of(run_of(design, final=False))


def _fill(design: Design, count: int) -> None:
    if len(design.alphabets) == 2:
        fill(design, count=count, first=60)
        return
    report = "00" * len(design.alphabets)
    for number in range(count):
        body = payloads.body(design, stratum=design.strata[number % len(design.strata)], report=report)
        store_report(body, slug=design.slug)


@pytest.mark.long
def test_query_counts_do_not_grow_with_data(survey: Survey, alice: User, her: Client) -> None:
    draft = write_survey(payloads.definition(slug="draft", items=items(1)), team=home_team(alice))
    fill_and_estimate(open_survey(survey))
    analyse_and_rehearse(survey)
    small = asked(her, survey, draft, {})
    grow(survey, draft, alice)
    assert Survey.objects.count() > 5
    large = asked(her, survey, draft, small)
    more = {name: (small[name], large[name]) for name in small if small[name] != large[name]}
    assert more == {}, "queries of each page before and after"
