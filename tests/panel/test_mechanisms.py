"""The registry of mechanisms: an entry alone makes a mechanism known to authors, the planner, pages and reports."""

import inspect
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import translation

import randomized_response
from collector import designs
from collector.designs import check
from estimator.base.mechanisms import PARAMETERS, REGISTRY, WORKS, RegistryEntry
from estimator.base.mechanisms.entry import PARTS
from estimator.models import KnownShare, Run
from estimator.reports.methods import methods
from estimator.reports.references import listed
from estimator.runs import services as runs
from estimator.runs.results import read
from randomized_response import Channel, question_of
from surveys.accounts.teams import home_team
from surveys.definition.definitions import complete, design_of, dump, load
from surveys.definition.mechanisms import MECHANISMS, fitting, mechanism_of
from surveys.definition.validation import ValidationError
from surveys.lifecycle import selectors, services
from surveys.models import Item
from surveys.opening.services import open_survey
from surveys.panel.forms.item import MECHANISM_FIELDS, PARAMETER_ROWS, ItemForm
from surveys.planning import survey_plan
from surveys.planning.parameters import PLANNED
from surveys.planning.question import Setting, free_question
from tests.tools.gate import few

DOCS = (Path(__file__).parents[2] / "docs" / "reference" / "survey-file.md").read_text(encoding="utf-8")
ENTRIES = pytest.mark.parametrize("entry", REGISTRY.values(), ids=REGISTRY)
DIALS = pytest.mark.parametrize("entry", [entry for entry in REGISTRY.values() if entry.dial], ids=lambda one: one.name)
HARMLESS = ("crosswise", "triangular")
ANSWERS = {
    "yes_no": "",
    "one_choice": "choices: [A, B, C, D, E, F, G, H]",
    "several_choices": "choices: [A, B, C]",
    "scale": "points: 5",
    "number": "minimum: 0\n    maximum: 4\n    step: 1",
}
OWN_TABLE = {kind: 2 if kind in ("yes_no", "several_choices") else 8 if kind == "one_choice" else 5 for kind in ANSWERS}


def definition_with(entry: RegistryEntry, kind: str) -> dict[str, Any]:
    """A survey of one question with the entry's example; a table of one's own has as many rows as there are answers."""
    size = OWN_TABLE[kind]
    rows = [[3 if x == y else 1 for y in range(size)] for x in range(size)]
    example = f"{{name: custom, weights: {rows}}}" if entry.name == "custom" else entry.example
    question = f"key: q\n    kind: {kind}\n    wording: Did you?\n    {ANSWERS[kind]}\n    channel: {example}"
    return complete(load(f"slug: s\ntitle: T\nitems:\n  - {question}\n"))


def frozen(entry: RegistryEntry, kind: str) -> dict[str, Any]:
    document = design_of(definition_with(entry, kind), version=1).document
    check(document)
    item: dict[str, Any] = document["items"][0]
    return item


def own_ratio(made: Any) -> Fraction:
    """The largest ratio of two entries of a column, exact."""
    columns = list(zip(*made.weights, strict=True))
    return max(Fraction(max(column), min(column)) for column in columns if max(column))


@ENTRIES
def test_mechanism_has_names_for_form_plan_and_report(entry: RegistryEntry) -> None:
    assert entry.label
    assert entry.short
    assert str(entry.title)
    assert entry.kinds
    assert (entry.name, entry.label) in Item._meta.get_field("mechanism").choices  # type: ignore[union-attr, operator]
    for kind in entry.kinds:
        assert entry.name in MECHANISMS[kind]
        assert (entry.name in fitting(kind, prefer_not=True)) == (kind != "yes_no" or not entry.only_two)


@ENTRIES
def test_mechanism_is_documented(entry: RegistryEntry) -> None:
    assert f"`{entry.example}`" in DOCS
    kinds = [line for line in DOCS.splitlines() if line.startswith(tuple(f"| `{kind}` |" for kind in entry.kinds))]
    assert len(kinds) == len(entry.kinds)
    assert all(f"`{entry.name}`" in line for line in kinds)


@ENTRIES
def test_mechanism_parameters_have_column_and_field(entry: RegistryEntry) -> None:
    columns = [parameter.column for parameter in entry.parameters]
    assert len(set(columns)) == len(columns)
    assert MECHANISM_FIELDS[entry.name] == [parameter.name for parameter in entry.parameters]
    placed = [name for row in PARAMETER_ROWS for name in ([row] if isinstance(row, str) else row)]
    assert sorted(placed) == sorted(PARAMETERS)
    for parameter in entry.parameters:
        Item._meta.get_field(parameter.column)
        field = ItemForm.base_fields[parameter.name]
        assert (field.label, field.help_text) == (parameter.label, parameter.help)


@pytest.mark.parametrize(("entry", "kind"), [(entry, kind) for entry in REGISTRY.values() for kind in entry.kinds])
def test_mechanism_parameters_survive_in_drafts(alice: User, entry: RegistryEntry, kind: str) -> None:
    definition = definition_with(entry, kind)
    assert load(dump(definition)) == definition
    survey = services.write_survey(definition, team=home_team(alice))
    assert selectors.definition_of(survey)["items"] == definition["items"]


@pytest.mark.parametrize(("entry", "kind"), [(entry, kind) for entry in REGISTRY.values() for kind in entry.kinds])
def test_mechanism_frozen_channel_equals_library(entry: RegistryEntry, kind: str) -> None:
    """What the browser draws from is the mechanism of the author, and its epsilon is the table's own."""
    item = frozen(entry, kind)
    authored = mechanism_of(definition_with(entry, kind)["items"][0])
    question = question_of(item)
    assert question.mechanism.ratio == authored.ratio
    assert math.isfinite(question.mechanism.epsilon)
    if item["encoding"] == "single":
        assert isinstance(authored, Channel)
        assert item["channel"]["weights"] == [list(row) for row in authored.weights]
        assert authored.ratio == own_ratio(authored)
        assert authored.epsilon == pytest.approx(math.log(own_ratio(authored)))


@pytest.mark.parametrize(("entry", "kind"), [(entry, kind) for entry in REGISTRY.values() for kind in entry.kinds])
def test_mechanism_estimates_invert_frozen_channel(entry: RegistryEntry, kind: str) -> None:
    """Reports in the proportions that some shares make give those shares (of a number their mean) back."""
    item = frozen(entry, kind)
    question = question_of(item)
    if item["encoding"] != "single":
        return  # of bits: tests/library/test_encodings.py
    weights = np.array(item["channel"]["weights"], dtype=float)
    shares = np.linspace(1, 2, len(weights))
    shares /= shares.sum()
    counts = shares @ weights / weights[0].sum() * 10**9
    if question.fits_shares:
        found = question.estimate(np.round(counts)[None, :].astype(int))
        assert found.unbiased == pytest.approx(shares, abs=1e-4)
    if question.reports_mean:
        mean = question.estimate_mean(np.round(counts)[None, :].astype(int))
        assert mean.unbiased == pytest.approx(shares @ np.array(question.values), abs=1e-3)


@ENTRIES
def test_mechanism_constructor_is_in_the_library(entry: RegistryEntry) -> None:
    maker = {"unary": "UnaryEncoding", "subset": "SubsetSelection"}.get(entry.name, entry.name)
    assert hasattr(randomized_response, maker)
    assert maker in inspect.getsource(entry.make)


@pytest.mark.parametrize("language", ["en", "de"])
@ENTRIES
def test_mechanism_report_sentence_cites_works(entry: RegistryEntry, language: str) -> None:
    with translation.override(language):
        told = entry.describe(
            designs.Channel.of(frozen(entry, entry.kinds[0])["channel"]), ["No", "Yes", "C", "D", "E", "F", "G", "H"]
        )
    assert entry.works
    for key, work in entry.works.items():
        assert WORKS[key] == work
        assert listed({key}) == [work]
        assert work.split(",")[0].removeprefix("van den ") in told


@ENTRIES
def test_mechanism_is_planned_except_custom(entry: RegistryEntry) -> None:
    assert (entry.name in PLANNED) == (entry.name != "custom")
    if entry.name not in PLANNED:
        return
    for kind in entry.kinds:
        asked = free_question(kind, entry.name, choices=2 if kind == "yes_no" else 4)
        assert math.isfinite(asked.at(asked.usual).epsilon)
        assert asked.at(Setting(epsilon=1.0)).epsilon <= 1 + 1e-9


@DIALS
@pytest.mark.parametrize("epsilon", [0.3, 1.1, 2.5])
def test_mechanism_truth_is_the_largest_within_epsilon(entry: RegistryEntry, epsilon: float) -> None:
    """One part of 10,000 further, on the side that tells more, exceeds it."""
    kind = entry.kinds[0]
    asked = free_question(kind, entry.name)
    here = asked.truth_at(Setting(epsilon=epsilon))
    assert asked.at(Setting(truth=here)).epsilon <= epsilon
    further = max(asked.at(Setting(truth=here + step)).epsilon for step in (Fraction(1, PARTS), Fraction(-1, PARTS)))
    assert further > epsilon


@DIALS
def test_planner_writes_the_dial_into_the_draft(entry: RegistryEntry, alice: User) -> None:
    survey = services.write_survey(definition_with(entry, entry.kinds[0]), team=home_team(alice))
    survey_plan.use(survey, "q", QueryDict("item=q&truth=3/5"), by=alice)
    before = definition_with(entry, entry.kinds[0])["items"][0]["channel"]
    assert entry.dial
    assert selectors.definition_of(survey)["items"][0]["channel"] == before | {entry.dial.parameter: "3/5"}


@pytest.mark.parametrize("entry", few(REGISTRY.values(), slice(2)), ids=REGISTRY)
def test_mechanism_is_offered_by_free_planner(entry: RegistryEntry, her: Client) -> None:
    if entry.name not in PLANNED:
        return
    for kind in entry.kinds:
        answer = her.get(reverse("api:plan"), {"kind": kind, "mechanism": entry.name})
        assert answer.status_code == 200
        assert answer.json()["numbers"]["mechanism"] == entry.name
    page = her.get(reverse("panel:plan"), {"kind": entry.kinds[0], "mechanism": entry.name}).content.decode()
    assert f'<option value="{entry.name}"' in page


@pytest.mark.parametrize(
    ("channel", "said"),
    [
        ("{name: triangular, truth: 1, prevalence: 1/4}", "truth must be less than 1 for triangular: a report of no"),
        ("{name: triangular, truth: 0, prevalence: 1/4}", "truth must be greater than 0"),
        ("{name: triangular, prevalence: 1/4}", "channel must have 'truth'"),
        ("{name: triangular, truth: 1/2, prevalence: 1}", "prevalence must be greater than 0 and less than 1; got 1"),
        ("{name: crosswise, prevalence: 1/2}", "prevalence must differ from 1/2: the report would say nothing"),
        ("{name: crosswise}", "channel must have 'prevalence'"),
        ("{name: crosswise, truth: 1/4}", "truth"),
    ],
)
def test_harmless_questions_are_refused_in_words(channel: str, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        design_of(complete(load(one_question(channel))), version=1)
    assert said in str(caught.value)


def test_triangular_above_the_ceiling_is_not_opened(alice: User) -> None:
    """Its epsilon counts like every other's: ln(1 + 2 x 99 x 3/4) is above 3 for a question."""
    channel = "{name: triangular, truth: 99/100, prevalence: 1/4}"
    survey = services.write_survey(load(one_question(channel)), team=home_team(alice))
    with pytest.raises(Exception, match="reason"):
        open_survey(survey)


def test_simulated_respondents_go_through_harmless_models(
    alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the file to a report; seeded, each estimate of yes within 4 standard errors of the share that is known."""
    monkeypatch.setattr(runs, "wake", lambda run_id: None)
    questions = [f"{{key: {name}, wording: Q?, channel: {REGISTRY[name].example}}}" for name in HARMLESS]
    source = tmp_path / "s.yaml"
    source.write_text(f"slug: s\ntitle: T\nitems: [{', '.join(questions)}]\n", encoding="utf-8")
    call_command("import_survey", str(source), "--owner", "alice")
    call_command("rehearse", "s", "--respondents", "4000", "--share", "crosswise=0.9,0.1", "--seed", "1", "--json")
    run = Run.objects.get()
    assert run.state == Run.State.DONE
    known = {(one.position, one.choice): one.holders / one.respondents for one in KnownShare.objects.all()}
    assert run.estimates.count() == 4
    for estimate in run.estimates.all():
        off = abs(estimate.unbiased - known[estimate.position, estimate.choice])
        assert off < 4 * estimate.noise_standard_error
    told = " ".join(methods(read(run), sampling=False).paragraphs)
    assert all(str(REGISTRY[name].title).split(" with")[0] in told for name in HARMLESS)


def one_question(channel: str) -> str:
    return f"slug: s\ntitle: T\nitems:\n  - {{key: q, wording: Q?, channel: {channel}}}\n"
