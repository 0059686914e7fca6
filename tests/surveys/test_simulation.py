"""Rehearsals: the way of a real report, known answers in totals only, and never mixed with real reports."""

import io
import json
import secrets
from collections import Counter

import numpy as np
import pytest
from django.contrib.auth.models import User
from statsmodels.datasets import fair

from collector.designs import Design, selectors
from collector.errors import InputError
from collector.models import Report
from collector.reports import selectors as reports
from estimator.models import Analysis
from estimator.runs import selectors as estimates
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle import services
from surveys.management import demo
from surveys.models import Survey
from surveys.planning.rehearsals import simulation
from surveys.planning.rehearsals.population import population
from surveys.planning.rehearsals.respondents import Respondent, read_answers
from tests.factories import payloads

pytestmark = pytest.mark.django_db
DESIGN = Design.of(payloads.document())


def run(survey: Survey, respondents: list[Respondent], seed: int = 1) -> tuple[Survey, Design]:
    version = simulation.start(survey)
    list(simulation.rehearse(version, respondents, np.random.default_rng(seed)))
    estimator.execute(simulation.finish(version).pk)
    return version.survey, selectors.get_design(version.design_id)


@pytest.fixture
def survey(alice: User) -> Survey:
    """A survey that is a rehearsal as a whole."""
    return services.write_survey(payloads.definition(rehearsal=True), team=home_team(alice))


def test_rehearsal_each_is_a_new_version(survey: Survey) -> None:
    _, first = run(survey, [Respondent(0, (1, 2))] * 3)
    again, second = run(survey, [Respondent(1, (0, 0))] * 5)
    assert (reports.received_count(first.digest), reports.received_count(second.digest)) == (3, 5)
    assert [version.number for version in again.versions.all()] == [2, 1]
    assert (again.state, second.rehearsal) == (Survey.State.CLOSED, True)


def test_rehearsal_interrupted_starts_anew(survey: Survey) -> None:
    version = simulation.start(survey)
    next(simulation.rehearse(version, [Respondent(0, (0, 0))] * 5, np.random.default_rng(1)))
    again, design = run(survey, [Respondent(0, (1, 2))] * 3)
    assert reports.received_count(design.digest) == 3
    assert again.versions.count() == 2


def redbook_design() -> Design:
    return definitions.design_of(demo.definition(demo.FINISHED), version=1)


def test_demo_respondents_equal_fair_1978() -> None:
    """Each combination of answers is given by as many women as in the data of Fair (1978) that statsmodels has."""
    data, design = fair.load_pandas().data, redbook_design()
    years = {0.5: 0, 2.5: 0, 6.0: 1, 9.0: 2, 13.0: 3, 16.5: 3, 23.0: 3}  # midpoints; the answer of each
    school = {9: 0, 12: 0, 14: 1, 16: 2, 17: 2, 20: 2}
    names = ("yrs_married", "religious", "educ", "affairs", "rate_marriage")
    women = [
        Respondent(
            design.background.cell_of((years[married], int(religious) - 1, school[int(educ)])),
            (int(affairs > 0), int(rating) - 1),
        )
        for married, religious, educ, affairs, rating in zip(*(data[name] for name in names), strict=True)
    ]
    assert len(women) == 6366
    assert Counter(demo.redbook_respondents(design)) == Counter(women)


def test_survey_with_other_questions_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="must ask years_married, religion, education, affair, rating; it asks cheat"):
        demo.redbook_respondents(DESIGN)


def test_simulated_body_has_browser_wire_format() -> None:
    words = iter([3, 5])
    body = simulation.report_body(DESIGN, Respondent(1, (1, 0)), words.__next__, nonce="0a" * 16)
    assert list(json.loads(body)) == ["design", "nonce", "stratum", "report"]
    # Ticket 3 of [1, 3] says 1; ticket 5 of [4, 1, 1] says 2.
    assert json.loads(body) == {
        "design": DESIGN.digest,
        "nonce": "0a" * 16,
        "stratum": "y2",
        "report": "0102",
    }


def test_simulated_bodies_have_one_length() -> None:
    generator = np.random.default_rng(5)
    words = simulation._words(generator)
    people = population(DESIGN, {"respondents": 200, "shares": {}}).draw(generator)
    assert (
        len({len(simulation.report_body(DESIGN, person, words, nonce=secrets.token_hex(16))) for person in people}) == 1
    )


def test_known_shares_are_totals_of_true_answers(survey: Survey) -> None:
    people = [Respondent(0, (1, 2)), Respondent(0, (0, 2)), Respondent(1, (1, 0)), Respondent(1, (1, 1))]
    _, design = run(survey, people)
    known = estimates.known_shares(design.digest)
    assert known[0, 1, None] == 0.75
    assert known[0, 1, 0] == 0.5
    assert known[0, 1, 1] == 1.0
    assert known[1, 2, None] == 0.5
    assert len(known) == (2 + 3) * 3


def test_simulated_reports_follow_the_channel(survey: Survey) -> None:
    """2,000 people who all answer yes: 1,500 expected, standard deviation 19.4; five of them, false alarm 6e-7."""
    _, design = run(survey, [Respondent(0, (1, 0))] * 2_000)
    yes = sum(bytes(report)[0] for report in Report.objects.values_list("report", flat=True))
    assert abs(yes - 1_500) < 5 * 19.4
    assert reports.recount(design.digest)[0].sum() == 2_000


def test_simulation_same_seed_sends_same_reports(survey: Survey) -> None:
    people = [Respondent(0, (1, 2)), Respondent(1, (0, 0))] * 10
    _, first = run(survey, people, seed=7)
    sent = sorted(bytes(row) for row in Report.objects.values_list("report", flat=True))
    words = simulation._words(np.random.default_rng(7))
    again = sorted(
        bytes.fromhex(json.loads(simulation.report_body(first, person, words, nonce="0" * 32))["report"])
        for person in people
    )
    assert sent == again


def test_population_has_requested_shares() -> None:
    """10,000 people, share 0.2: standard deviation 0.004; five of them, false alarm 6e-7."""
    said = {"respondents": 10_000, "shares": {"cheated": [0.2]}}
    people = list(population(DESIGN, said).draw(np.random.default_rng(11)))
    assert abs(np.mean([person.answers[0] for person in people]) - 0.2) < 0.02
    assert abs(np.mean([person.answers[1] == 2 for person in people]) - 1 / 3) < 0.024


@pytest.mark.parametrize(
    ("shares", "fault"),
    [
        ({"unknown": [0.5]}, "the survey has no question unknown"),
        ({"cheated": [1.5]}, "cheated needs 2 shares from 0 to 1"),
        ({"mood": [0.5, 0.5]}, "mood needs 3 shares"),
        ({"mood": [0.5, 0.5, 0.5]}, "that sum to 1"),
    ],
)
def test_population_impossible_shares_are_refused(shares: dict[str, list[float]], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        population(DESIGN, {"respondents": 1, "shares": shares})


def test_answers_from_csv_by_number_or_text() -> None:
    file = io.StringIO("stratum,cheated,mood\ny1,1,Low\ny2,No,0\n")
    assert read_answers(DESIGN, file) == [Respondent(0, (1, 2)), Respondent(1, (0, 0))]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("cheated,mood\n1,1\n", "missing: stratum"),
        ("stratum,cheated,mood\ny9,1,1\n", "line 2: stratum must be one of y1, y2"),
        ("stratum,cheated,mood\ny1,1,1\ny1,canary,1\n", "line 3: cheated must be 0 to 1 or the text of a choice"),
        ("stratum,cheated,mood\ny1,1\n", "line 2: mood must be 0 to 2"),
    ],
)
def test_answers_csv_error_names_line_not_answer(text: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault) as caught:
        read_answers(DESIGN, io.StringIO(text))
    assert "canary" not in str(caught.value)


def test_redbook_counts_equal_published() -> None:
    """statsmodels.datasets.fair: 6,366 women, 2,053 with an affair, 2,684 who rate their marriage very good."""
    design = redbook_design()
    people = demo.redbook_respondents(design)
    assert len(people) == 6_366
    assert sum(person.answers[0] for person in people) == 2_053
    assert sum(person.answers[1] == 4 for person in people) == 2_684
    married = Counter(design.background.cells[person.stratum][0] for person in people)
    assert married == {(0,): 2_404, (1,): 1_141, (2,): 602, (3,): 2_219}


def test_demo_build_interrupted_is_finished(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    few = demo.redbook_respondents(redbook_design())[::100]
    monkeypatch.setattr(demo, "redbook_respondents", lambda _: few)
    for slug in (demo.FINISHED, demo.OPEN):
        services.write_survey(demo.definition(slug), team=home_team(alice))
    demo.build(alice, progress=lambda steps, total: steps)
    assert demo.finished_run() is not None
    assert demo.open_version() is not None


def test_demo_build_twice_keeps_first(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    few = demo.redbook_respondents(redbook_design())[::40]
    monkeypatch.setattr(demo, "redbook_respondents", lambda _: few)
    for _ in range(2):
        demo.build(alice, progress=lambda steps, total: steps)
    run = demo.finished_run()
    assert run is not None
    assert (run.reports, run.published) == (len(few), True)
    assert Survey.objects.count() == 2
    names = Analysis.objects.filter(published=True).values_list("name", flat=True)
    assert set(names) == {"Who has an affair", "Affairs and how marriages are rated"}
    assert len(names) == 2
    assert demo.open_version() is not None
