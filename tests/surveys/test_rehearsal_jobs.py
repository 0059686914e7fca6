"""Rehearsals as jobs: seeded, resumed, stopped, forgotten; measured against what is true of the simulated people."""

import math

import numpy as np
import pytest
from django.contrib.auth.models import User

from collector.designs import Design, selectors
from collector.endpoint import receiving
from collector.errors import InputError, ValidationError
from collector.models import FrozenDesign, Tally, WaitingReport
from collector.reports import selectors as reports
from estimator.base import jobs
from estimator.models import KnownShare, Run
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.lifecycle import services
from surveys.models import Rehearsal, Survey
from surveys.opening.services import open_survey
from surveys.planning.rehearsals import measures, simulation
from surveys.planning.rehearsals import services as rehearsals
from surveys.planning.rehearsals.population import Population, marginals, population
from surveys.planning.rehearsals.respondents import Respondent, ask
from tests.factories import background, kinds, payloads
from tests.factories.reports import store_report
from tests.factories.simulation import stored

pytestmark = pytest.mark.django_db
SAID = {"respondents": 120, "shares": {"cheated": [0.8, 0.2]}}
ROWS = 4 * 3
"""Estimates that are shown: the share of Yes and of three moods, of all and in two groups."""


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    messages: list[int] = []
    monkeypatch.setattr(rehearsals, "wake", messages.append)
    return messages


def ask_for(survey: Survey, said: dict[str, object] = SAID, *, repetitions: int = 3, seed: int = 7) -> Rehearsal:
    return rehearsals.request_rehearsal(survey, said, repetitions=repetitions, seed=seed)


def finished(survey: Survey, **more: int) -> Rehearsal:
    asked = ask_for(survey, **more)  # type: ignore[arg-type]
    rehearsals.execute(asked.pk, seconds=math.inf)
    asked.refresh_from_db()
    return asked


def numbers(asked: Rehearsal) -> list[bytes]:
    return [bytes(one.numbers) for one in asked.done.all()]


def test_rehearsal_keeps_estimates_and_no_report(survey: Survey) -> None:
    asked = finished(survey)
    assert (asked.state, asked.progress, asked.done.count()) == (Rehearsal.State.DONE, 100, 3)
    assert stored() == 0
    assert not Tally.objects.exists()
    assert not selectors.is_open(asked.design_id)
    assert asked.run is not None
    assert (asked.run.reports, Run.objects.count()) == (120, 1)
    rows = measures.unpacked(asked.done.first().numbers, measures.COLUMNS)  # type: ignore[union-attr]
    assert rows.shape == (ROWS, 7)
    cells = [cell.estimate for _, cell in measures.cells_of(asked.run)]
    assert rows[:, 0].tolist() == [cell.unbiased for cell in cells]
    shown = [cell.truth for _, cell in measures.cells_of(asked.run)]
    assert rows[:, 6].tolist() == pytest.approx(shown), "what is true of them stands in the report too"
    survey.refresh_from_db()
    assert (survey.state, survey.versions.count()) == (Survey.State.DRAFT, 0)


def test_rehearsal_seed_determines_numbers(survey: Survey) -> None:
    first, again, other = finished(survey), finished(survey), finished(survey, seed=8)
    assert numbers(first) == numbers(again)
    assert not set(numbers(first)) & set(numbers(other))
    assert len(set(numbers(first))) == 3
    assert bytes(first.foreseen or b"") == bytes(again.foreseen or b"")
    assert [one.number for one in survey.rehearsals.all()] == [3, 2, 1]


def test_rehearsal_job_in_turns_gives_same_numbers(survey: Survey, sent: list[int]) -> None:
    whole, asked = finished(survey), ask_for(survey)
    sent.clear()
    for done in (1, 2):
        rehearsals.execute(asked.pk, seconds=0)
        asked.refresh_from_db()
        assert (asked.state, asked.tries, asked.done.count()) == (Rehearsal.State.QUEUED, 0, done)
    assert sent == [asked.pk] * 2
    rehearsals.execute(asked.pk, seconds=0)
    asked.refresh_from_db()
    assert asked.state == Rehearsal.State.DONE
    assert numbers(asked) == numbers(whole), "in turns or at once makes no difference"


def test_rehearsal_job_worker_dies_gives_same_numbers(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, asked = finished(survey), ask_for(survey)
    monkeypatch.setattr(simulation, "BATCH", 20)
    honest = receiving.receive_simulated

    def dies(bodies: list[bytes], **more: str) -> None:
        honest(bodies, **more)
        if WaitingReport.objects.count() == 60:
            raise MemoryError

    monkeypatch.setattr(receiving, "receive_simulated", dies)
    with pytest.raises(MemoryError):
        rehearsals.execute(asked.pk)
    assert WaitingReport.objects.count() == 40, "two batches of the first repetition"
    monkeypatch.setattr(receiving, "receive_simulated", honest)
    assert rehearsals.resume_waiting() == [asked.pk]
    rehearsals.execute(asked.pk, seconds=math.inf)
    assert numbers(asked) == numbers(whole)


def test_rehearsal_job_always_failing_ends_failed(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ask_for(survey)

    def poison(*arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(estimator, "run_now", poison)
    for _ in range(jobs.MOST_TRIES):
        with pytest.raises(ZeroDivisionError):
            rehearsals.execute(asked.pk)
    asked.refresh_from_db()
    assert (asked.state, asked.fault) == (Rehearsal.State.FAILED, "The computation ended with ZeroDivisionError.")
    assert stored() == 0
    assert rehearsals.resume_waiting() == []


def test_rehearsal_stopped_keeps_done_repetitions(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ask_for(survey)
    honest = simulation.report_body

    def stopping(*arguments: object, **more: object) -> bytes:
        if asked.done.count() == 1:
            rehearsals.stop(asked)
        return honest(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(simulation, "report_body", stopping)
    rehearsals.execute(asked.pk, seconds=math.inf)
    asked.refresh_from_db()
    assert (asked.state, asked.done.count()) == (Rehearsal.State.DONE, 1)
    assert stored() == 0
    assert not selectors.is_open(asked.design_id)


def test_rehearsal_waiting_is_stopped_at_once(survey: Survey) -> None:
    asked = ask_for(survey)
    rehearsals.stop(asked)
    rehearsals.execute(asked.pk)
    asked.refresh_from_db()
    assert (asked.state, asked.done.count()) == (Rehearsal.State.DONE, 0)


def test_rehearsal_deleted_leaves_nothing_of_its_own(survey: Survey, design: Design) -> None:
    store_report(payloads.body(design))
    kept, gone = finished(survey), finished(survey)
    rehearsals.delete(gone)
    assert list(survey.rehearsals.all()) == [kept]
    assert set(FrozenDesign.objects.values_list("digest", flat=True)) == {design.digest, kept.design_id}
    assert set(KnownShare.objects.values_list("design_id", flat=True)) == {kept.design_id}
    services.delete_survey(survey)
    assert list(FrozenDesign.objects.values_list("digest", flat=True)) == [design.digest]
    assert not Run.objects.exists()
    assert reports.received_count(design.digest) == 1


def test_rehearsal_deleted_while_running_ends(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ask_for(survey)
    honest = simulation.report_body

    def forgotten(*arguments: object, **more: object) -> bytes:
        for one in Rehearsal.objects.all():
            rehearsals.delete(one)
        return honest(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(simulation, "report_body", forgotten)
    rehearsals.execute(asked.pk)
    assert not Rehearsal.objects.exists()
    assert stored() == 0


def test_schedule_estimates_no_rehearsal(survey: Survey) -> None:
    asked = ask_for(survey)
    design = selectors.get_design(asked.design_id)
    people = [Respondent(0, (1, 2))] * 40
    list(simulation.send(design, people, np.random.default_rng(1), simulation.Truths(design)))
    assert estimator.estimate_changed() == []


def test_rehearsal_survey_that_cannot_open_is_refused(survey: Survey) -> None:
    survey.items.all().delete()
    with pytest.raises(ValidationError):
        ask_for(survey)
    assert not FrozenDesign.objects.exists()


def test_rehearsal_unknown_item_is_refused_before_freeze(survey: Survey) -> None:
    with pytest.raises(InputError, match="the survey has no question other"):
        ask_for(survey, {"respondents": 60, "shares": {}, "groups": {"y1": {"other": [1.0]}}})
    assert not FrozenDesign.objects.exists()


def test_rehearsal_designs_are_not_shared_by_surveys(survey: Survey, alice: User) -> None:
    """A survey that is a rehearsal as a whole has designs that read like one; none of them is taken."""
    other = services.write_survey(payloads.definition(slug="other", rehearsal=True), team=home_team(alice))
    open_survey(other)
    assert ask_for(other).design_id != other.versions.get().design_id
    assert FrozenDesign.objects.count() == 2


def by_hand(design: Design, drawn: Population, seed: int) -> list[np.ndarray]:
    """The share of each answer among many simulated people, counted."""
    total = [np.zeros(len(one)) for one in drawn.marginals()[0]]
    people = list(drawn.draw(np.random.default_rng(seed)))
    for person in people:
        for counts, answer in zip(total, person.answers, strict=True):
            counts += np.array(answer) if isinstance(answer, tuple) else np.eye(len(counts))[answer]
    return [counts / len(people) for counts in total]


@pytest.mark.long
def test_population_true_marginals_equal_draws() -> None:
    """Every kind of question, asked after others, with limits: 20,000 people; six standard errors each, about 1e-7."""
    items = kinds.document()["items"]
    limited = items[4] | {"most": 2, "prefer_not": True}
    after = items[2] | {"key": "after", "asked_if": {"item": items[4]["key"], "answers": [0, 2]}, "unasked": 5}
    document = kinds.document(items=[*items[:4], limited, *items[5:], after])
    shares = {"smokes": [0.6, 0.4], items[4]["key"]: [0.7, 0.2, 0.5, 0.6, 0.1], "drinks": {"mean": 6.0, "spread": 5.0}}
    drawn = population(Design.of(document), {"respondents": 20_000, "shares": shares})
    for told, counted in zip(drawn.marginals()[0], by_hand(drawn.design, drawn, 5), strict=True):
        error = np.sqrt(told * (1 - told) / 20_000)
        assert np.all(np.abs(told - counted) <= 6 * error + 1e-12)
    number = next(place for place, item in enumerate(items) if item["key"] == "drinks")
    told = drawn.marginals()[0][number]
    mean = float(told @ np.arange(len(told)))
    assert mean == pytest.approx(6.0)
    assert float(told @ (np.arange(len(told)) - mean) ** 2) == pytest.approx(25.0)


def test_population_groups_have_requested_sizes() -> None:
    said = {"respondents": 50, "sizes": [10, 40], "shares": {}, "groups": {"y2": {"cheated": [0.0, 1.0]}}}
    drawn = population(Design.of(payloads.document()), said)
    people = list(drawn.draw(np.random.default_rng(1)))
    assert [sum(person.stratum == stratum for person in people) for stratum in (0, 1)] == [10, 40]
    assert all(person.answers[0] == 1 for person in people if person.stratum == 1)
    assert drawn.parts.tolist() == [0.2, 0.8]
    assert marginals(drawn.design.items, drawn.tables[1])[0].tolist() == [0.0, 1.0]
    assert ask(drawn.design.items, lambda item: 0) == [0, 0]


def test_rehearsal_forecasts_truth_and_width(survey: Survey) -> None:
    asked = finished(survey, repetitions=1)
    ahead = measures.unpacked(asked.foreseen or b"", measures.FORESEEN)
    assert ahead.shape == (ROWS, 2)
    assert ahead[:3, 0].tolist() == pytest.approx([0.2, 0.2, 0.2]), "of all, and in each group"
    assert ahead[3:, 0].tolist() == pytest.approx([1 / 3] * 9)
    assert np.all(ahead[:, 1] > 0)
    assert ahead[1, 1] > ahead[0, 1], "half of the people tell less"


def test_rehearsal_of_versions_asks_each_person_what_hers_asks(alice: User) -> None:
    """The share that is given for a question is also that of the one that a version asks instead."""
    survey = services.write_survey(background.crosswise(expected=400), team=home_team(alice))
    asked = finished(survey, repetitions=1)
    ahead = measures.unpacked(asked.foreseen or b"", measures.FORESEEN)
    assert ahead[:6, 0].tolist() == pytest.approx([0.2, 0.2, math.nan, 0.2, math.nan, 0.2], nan_ok=True)
    (found,) = (measures.unpacked(one, measures.COLUMNS) for one in numbers(asked))
    held = found[:6, -1]
    assert np.isnan(held).tolist() == [False, False, True, False, True, False]
    assert held[0] == held[1], "all who were asked it had the first version"
    assert held[0] != held[3], "others were asked the other question"


def test_rehearsal_known_group_shares_weight_estimate(alice: User) -> None:
    definition = payloads.definition()
    for group, share in zip(definition["strata"]["groups"], ("1/4", "3/4"), strict=True):
        group["share"] = share
    weighted = services.write_survey(definition, team=home_team(alice))
    said = {"respondents": 200, "sizes": [100, 100], "shares": {}, "groups": {"y2": {"cheated": [0.6, 0.4]}}}
    asked = ask_for(weighted, said, repetitions=1)
    rehearsals.execute(asked.pk)
    asked.refresh_from_db()
    ahead = measures.unpacked(asked.foreseen or b"", measures.FORESEEN)
    assert ahead[0, 0] == pytest.approx(0.25 * 0.5 + 0.75 * 0.4)
    held = measures.unpacked(asked.done.get().numbers, measures.COLUMNS)[:, 6]
    assert held[0] == pytest.approx(0.25 * held[1] + 0.75 * held[2])


def test_rehearsal_forecast_width_is_at_most_one(alice: User) -> None:
    """40 people in weighted groups: a normal interval of the estimate would be wider than 100 points."""
    definition = payloads.definition()
    for group in definition["strata"]["groups"]:
        group["share"] = "1/2"
    definition["items"][0]["channel"]["truth"] = "1/10"
    weighted = services.write_survey(definition, team=home_team(alice))
    asked = ask_for(weighted, {"respondents": 40, "shares": {}}, repetitions=1)
    rehearsals.execute(asked.pk)
    asked.refresh_from_db()
    ahead = measures.unpacked(asked.foreseen or b"", measures.FORESEEN)
    assert ahead[0, 1] == 1
