"""The page of rehearsals: its fields and their faults, what it finds in words and pictures, and what it never does."""

import math
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.designs.selectors import get_design
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Rehearsal, Survey
from surveys.planning.rehearsals import measures
from surveys.planning.rehearsals import services as rehearsals
from surveys.planning.rehearsals.findings import Block, Finding, Findings, findings
from tests.factories import background, payloads
from tests.factories.simulation import stored
from tests.factories.surveys import example
from tests.tools.door import send
from tests.tools.gate import few

pytestmark = pytest.mark.django_db
PAGE = "/panel/survey/campus/rehearse/"
FIELDS = {
    "respondents": "120", "repetitions": "2", "seed": "5", "q0-1": "30", "q1-0": "20", "q1-1": "30", "q1-2": "50",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsals, "wake", lambda rehearsal_id: None)


def words_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page)).replace("\u00a0", " ")


def done(her: Client, **fields: str) -> Rehearsal:
    """The rehearsal that was asked for in the form, done."""
    answer = her.post(PAGE, FIELDS | fields)
    assert answer.status_code == 302, words_of(answer.content.decode())
    asked = Rehearsal.objects.latest("pk")
    rehearsals.execute(asked.pk, seconds=math.inf)
    asked.refresh_from_db()
    return asked


def test_rehearsal_form_starts_with_planned_shares(her: Client, survey: Survey) -> None:
    page = her.get(PAGE)
    values = {name: page.context["form"][name].value() for name in ("q0-1", "q1-0", "q1-1", "q1-2", "respondents")}
    assert values == {"q0-1": "20", "q1-0": "20", "q1-1": "40", "q1-2": "40", "respondents": 500}


def test_rehearsal_from_form_to_findings(her: Client, survey: Survey) -> None:
    asked = done(her)
    assert asked.assumptions == {"respondents": 120, "shares": {"cheated": [0.7, 0.3], "mood": [0.2, 0.3, 0.5]}}
    said = words_of(her.get(f"{PAGE}1/").content.decode())
    assert "of 24 intervals contained the true value" in said
    assert "Verdict" in said
    assert "within chance" in said
    assert her.get(f"{PAGE}1/").content.count(b"interval-truth") == 4, "a picture of each estimate of everybody"
    assert stored() == 0


@pytest.mark.parametrize(
    ("share", "whose"),
    [
        (None, "the respondents"),
        ("1/2", "the respondents (all respondents together are weighted by the known group sizes)"),
    ],
)
def test_rehearsal_names_population_of_intervals(her: Client, survey: Survey, share: str | None, whose: str) -> None:
    survey.groups.update(share=share or "")
    done(her)
    said = words_of(her.get(f"{PAGE}1/").content.decode())
    assert f"Contained the true value of {whose} " in said
    assert f"The 95 % intervals are for {whose.replace('the respondents', 'the population', 1)}: they" in said


def test_rehearsal_single_repetition_reads_as_report(her: Client, survey: Survey) -> None:
    done(her, repetitions="1")
    said = words_of(her.get(f"{PAGE}1/").content.decode())
    assert "One repetition shows one draw" in said
    assert 'id="results"' in her.get(f"{PAGE}1/").content.decode()
    assert "simulated respondents, an estimated" in said


@pytest.mark.parametrize(
    ("fields", "fault"),
    few(
        [
            ({"q1-2": "49"}, "The shares must sum to 100 %; they sum to 99 %."),
            ({"q0-1": "101"}, "less than or equal to 100"),
            ({"q0-1": ""}, "This field is required."),
            ({"q0-1": "canary"}, "Enter a number."),
            ({"respondents": "9"}, "greater than or equal to 10"),
            ({"repetitions": "201"}, "less than or equal to 200"),
            ({"respondents": "20000", "repetitions": "11"}, "at most 10 repetitions are possible with so many"),
            ({"size-0": "50"}, "Enter a number for every group, or for none."),
            ({"size-0": "50", "size-1": "60"}, "The groups have 110 respondents together; above, 120 are entered."),
            ({"q1g0-0": "50"}, "Fill in all of them for this group, or none."),
            ({"q1g0-0": "50", "q1g0-1": "20", "q1g0-2": "20"}, "The shares must sum to 100 %; they sum to 90 %."),
        ],
        slice(4),
    ),
)
def test_rehearsal_form_error_stands_at_its_field(
    her: Client, survey: Survey, fields: dict[str, str], fault: str
) -> None:
    answer = her.post(PAGE, FIELDS | fields)
    assert answer.status_code == 400
    page = answer.content.decode()
    name = re.escape(next(iter(fields)).split("-")[0]) if len(fields) < 2 or "q" in next(iter(fields)) else "[a-z0-9-]+"
    places = re.findall(rf'<p class="candor-fault" id="({name})-fault">([^<]+)</p>', page)
    assert any(fault in words.replace("&nbsp;", " ") for _, words in places), places
    assert not Rehearsal.objects.exists()


def test_rehearsal_groups_have_own_shares_and_sizes(her: Client, survey: Survey) -> None:
    asked = done(her, **{"size-0": "40", "size-1": "80", "q0g1-1": "90", "repetitions": "1"})
    assert asked.assumptions["sizes"] == [40, 80]
    assert asked.assumptions["groups"] == {"y2": {"cheated": [pytest.approx(0.1), 0.9]}}
    ahead = measures.unpacked(asked.foreseen or b"", measures.FORESEEN)
    assert ahead[:3, 0].tolist() == pytest.approx([(40 * 0.3 + 80 * 0.9) / 120, 0.3, 0.9])
    again = her.get(f"{PAGE}?like=1").context["form"]
    assert [again[name].value() for name in ("size-1", "q0g1-1", "q0g0-1", "seed")] == [80, "90", None, 5]


def test_rehearsal_form_has_fields_for_every_kind(her: Client, alice: User) -> None:
    survey = write_survey(example(), team=home_team(alice))
    form = her.get(f"/panel/survey/{survey.slug}/rehearse/").context["form"]
    fields = {name: "" if (value := form[name].value()) is None else str(value) for name in form.fields}
    answer = her.post(f"/panel/survey/{survey.slug}/rehearse/", fields | {"respondents": "40"})
    assert answer.status_code == 302
    asked = Rehearsal.objects.get()
    assert {type(given) for given in asked.assumptions["shares"].values()} == {list, dict}
    rehearsals.execute(asked.pk)
    assert her.get(answer["Location"]).status_code == 200


def test_rehearsal_incomplete_draft_is_refused(her: Client, survey: Survey) -> None:
    survey.items.all().delete()
    page = her.get(PAGE)
    assert (page.status_code, her.post(PAGE, FIELDS).status_code) == (200, 400)
    assert "data-lacking" in page.content.decode()


def test_rehearsal_repeated_gives_same_numbers(her: Client, survey: Survey) -> None:
    first = done(her)
    assert her.post(f"{PAGE}1/repeat")["Location"] == f"{PAGE}2/"
    again = Rehearsal.objects.get(number=2)
    rehearsals.execute(again.pk, seconds=math.inf)
    assert [bytes(one.numbers) for one in first.done.all()] == [bytes(one.numbers) for one in again.done.all()]


def test_rehearsal_is_followed_stopped_and_deleted(her: Client, survey: Survey) -> None:
    her.post(PAGE, FIELDS)
    followed = "/api/v1/surveys/campus/rehearsals/1/"
    assert followed in her.get(f"{PAGE}1/").content.decode()
    assert her.get(followed).json().items() >= {"state": "queued", "progress": 0, "fault": ""}.items()
    her.post(f"{PAGE}1/stop")
    assert 'data-none="stopped"' in her.get(f"{PAGE}1/").content.decode()
    her.post(f"{PAGE}1/delete")
    assert not Rehearsal.objects.exists()
    assert her.get(f"{PAGE}1/").status_code == 404


def test_rehearsal_has_no_page_and_is_not_published(her: Client, survey: Survey) -> None:
    asked = done(her)
    assert asked.run is not None
    assert her.get(f"/panel/run/{asked.run.key}/").status_code == 200
    told = her.post(f"/panel/run/{asked.run.key}/publish", {"published": "yes"}, follow=True)
    assert "run belongs to a rehearsal" in told.content.decode()
    stranger = Client()
    assert stranger.get(f"/reports/{asked.run.key}/").status_code == 404
    assert stranger.get("/s/campus/").status_code == 404
    report = payloads.body(get_design(asked.design_id))
    assert send(report).status == 404
    assert "rehearsal" not in her.get("/panel/surveys/survey/").content.decode().lower()


def found_of(low: float, high: float, times: int, *, truth: float = 0.2, missing: int = 0) -> Finding:
    """Findings of one share in which all intervals but `missing` hold the truth."""
    rows = np.tile([truth, truth, low, high, low, high, truth], (times, 1))
    rows[:missing, 2:4] = [0.8, 0.9]
    return Finding(None, None, rows, truth, 0.1, 0.95, True, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("missing", "verdict"), [(5, "within chance"), (11, "within chance"), (12, "too few: more than chance explains")]
)
def test_coverage_verdict_is_binomial_test(missing: int, verdict: str) -> None:
    """Two-sided binomial test at 1 %: 89 of 100 has a probability of 0.017, 88 of 0.004 (scipy 1.17)."""
    found = found_of(0.1, 0.3, 100, missing=missing)
    assert found.coverage == f"{100 - missing} of 100"
    assert found.coverage_verdict == verdict


def test_coverage_verdict_all_held_is_more_than_promised() -> None:
    assert found_of(0.1, 0.3, 200).coverage_verdict == "more than promised"


def test_findings_equal_stored_numbers(her: Client, survey: Survey) -> None:
    asked = done(her)
    found = findings(asked)
    assert isinstance(found, Findings)
    held = sum(int(one.held.sum()) for one in found.all)
    assert found.sentences[0].startswith(f"{held} of 24 intervals contained the true value:")
    assert all(one.bias == pytest.approx(float(np.mean(one.estimates[:, 0])) - one.truth) for one in found.all)
    assert found.all[0].width == pytest.approx(float(np.mean(one_width(found.all[0]))))


def test_findings_of_other_version_are_not_mixed(her: Client, survey: Survey) -> None:
    """A version that showed fewer or more of them made the rehearsal: its rows are of others."""
    asked = done(her)
    one = asked.done.get(number=2)
    one.numbers = measures.packed(measures.unpacked(one.numbers, measures.COLUMNS)[1:])
    one.save()
    assert findings(asked) is None
    assert 'data-none="earlier"' in her.get(f"{PAGE}1/").content.decode()


def one_width(found: Finding) -> np.ndarray:
    return found.estimates[:, 3] - found.estimates[:, 2]


@pytest.mark.parametrize(("times", "biased"), [(3, False), (30, True)])
def test_findings_bias_needs_enough_repetitions(times: int, biased: bool) -> None:
    """Four standard errors: of 3 repetitions p = .057, of 30 p = .0004 (Student's t, scipy 1.17); normal .00006."""
    found = found_of(0.1, 0.3, times)
    wave = np.sin(2 * np.pi * np.arange(times) / times)
    found.estimates[:, 0] = 0.2 + 0.01 * wave
    found.estimates[:, 0] += 4 * float(np.std(found.estimates[:, 0], ddof=1)) / math.sqrt(times)
    assert found.bias / found.bias_error == pytest.approx(4)
    assert found.biased == biased


def test_findings_more_than_promised_errs_on_safe_side() -> None:
    cell: Any = SimpleNamespace(choice="Yes", group="")
    found = replace(found_of(0.1, 0.3, 200), cell=cell)
    said = next(Findings(None, (Block(None, (found,), ()),), 200)._judged())  # type: ignore[arg-type]
    assert said == "For “Yes” more contained it than promised: the interval errs on the safe side."


def test_findings_name_question_where_several() -> None:
    cell: Any = SimpleNamespace(choice="Yes", group="Law")
    item: Any = SimpleNamespace(position=1)
    found = replace(found_of(0.1, 0.3, 200), cell=cell, item=item)
    blocks: Any = (Block(None, (), ()), Block(item, (found,), ()))  # type: ignore[arg-type]
    said = next(Findings(None, blocks, 200)._judged())  # type: ignore[arg-type]
    assert (
        said == "For “Yes” of question 2 in “Law” more contained it than promised: the interval errs on the safe side."
    )


def test_finding_interval_text_of_one_repetition() -> None:
    rows = np.array([[0.2, 0.2, 0.1, 0.5, 0.15, 0.25, 0.2]])
    cell: Any = SimpleNamespace(estimate=SimpleNamespace(measure="share"))
    found = Finding(None, cell, rows, 0.2, math.nan, 0.95, False, 1)  # type: ignore[arg-type]
    assert (found.width, found.one_text.replace("\u00a0", " ")) == (pytest.approx(0.1), "20 % (15–25 %)")


def test_rehearsal_of_people_who_do_not_say_what_is_true(her: Client, survey: Survey) -> None:
    asked = done(her, at_random="10", misunderstanding="0", denial="12,5 %", **{"denial-1": "40"})
    said = {name: asked.assumptions.get(name) for name in ("at_random", "misunderstanding", "denial")}
    assert said == {"at_random": 0.1, "misunderstanding": None, "denial": 0.125}
    assert asked.assumptions["misreporting_groups"] == {"y2": {"denial": 0.4}}
    page = words_of(her.get(f"{PAGE}{asked.number}/").content.decode())
    assert "10 % answered at random, 0 % of the others said the opposite of what is true, and 12 % of the rest" in page
    assert "“Later”: 10 %, 0 % and 40 %." in page
    again = her.get(PAGE, {"like": asked.number}).context["form"]
    assert [again[name].value() for name in ("at_random", "denial", "denial-1")] == ["10", "12.5", "40"]
    refused = her.post(PAGE, FIELDS | {"at_random-1": "101"})
    assert refused.status_code == 400
    assert "less than or equal to 100" in words_of(refused.content.decode())


def test_rehearsal_shares_differ_between_answers_to_one_question(her: Client, alice: User) -> None:
    survey = write_survey(background.definition(background.ARMS, background.REGION), team=home_team(alice))
    page = f"/panel/survey/{survey.slug}/rehearse/"
    form = her.get(page).context["form"]
    fields = {name: "" if (value := form[name].value()) is None else str(value) for name in form.fields}
    (version, region) = (
        next(number for number, row in enumerate(form.misreporting_rows[1:]) if row.key == key)
        for key in ("arm=2", "where_do_you_live=1")
    )
    refused = her.post(page, fields | {f"denial-{version}": "20", f"denial-{region}": "10"})
    assert refused.status_code == 400
    assert "Shares may differ between the answers to one question only." in words_of(refused.content.decode())
    assert her.post(page, fields | {f"denial-{version}": "20"}).status_code == 302
    assert Rehearsal.objects.get().assumptions["misreporting_groups"] == {"arm=2": {"denial": 0.2}}
