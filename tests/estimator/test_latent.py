"""A randomised answer as a predictor of another one: odds ratios through both tickets, and what is refused."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from estimator.analyses import exports, presentation, requests, services
from estimator.analyses.adjusted import adjusted_regression
from estimator.analyses.quantities import AnalysisError, outcome_of, randomised_predictors
from estimator.models import Analysis
from surveys.panel.analysis_forms import form_of
from tests.factories import background, simulation
from tests.factories.background import done
from tests.tools.gate import few

Kind = Analysis.Kind
AGE = "how_old_are_you"
EFFECTS = np.array([0.0, 0.8, 1.6])
"""Of the moods on the logit of having cheated, which is -1 with the first."""
ITEMS = [
    {"key": "cheated", "kind": "yes_no", "wording": "Have you cheated?", "choices": ["No", "Yes"],
     "channel": {"name": "forced_response", "truth": "3/4", "yes": "1/2"}},
    {"key": "mood", "kind": "one_choice", "wording": "How do you feel?", "choices": ["Well", "So-so", "Low"],
     "channel": {"name": "k_ary", "truth": "3/4"}},
    {"key": "hours", "kind": "number", "wording": "Hours?", "choices": [], "minimum": "0", "maximum": "3", "step": "1",
     "channel": {"name": "one_bit", "truth": "1/4"}},
]  # fmt: skip
ASKED = {"outcome": "cheated", "answer": "mood", f"predictor-{AGE}": "yes"}


@cache
def drawn() -> Design:
    return background.design(background.AGE, expected=4000, items=ITEMS)


def people(design: Design, n: int, random: np.random.Generator) -> simulation.People:
    age, mood = random.choice(5, n), random.choice(3, size=n, p=[0.5, 0.3, 0.2])
    cells = np.array([design.background.cell_of((one,)) for one in age.tolist()])
    chance = 1 / (1 + np.exp(1 - EFFECTS[mood]))
    answers = {"cheated": (random.random(n) < chance).astype(np.int64), "mood": mood}
    return simulation.People(cells, answers | {"hours": mood + random.integers(0, 2, n)})


def inputs_of(seed: int, n: int = 4000, outcome: int = 0) -> tuple[Design, dict[str, object]]:
    design, random = drawn(), np.random.default_rng(seed)
    return design, simulation.pairs(design, people(design, n, random), random, outcome, 1)


@pytest.mark.long
def test_intervals_of_both_odds_ratios_hold_the_truth() -> None:
    """Two odds ratios of moods and four of ages, which are 1, in 20 samples.

    Were the intervals independent, fewer than 33 of 40 and 70 of 80 would hold in 0.3 and 0.6 % of seeds.
    """
    parameters = {"outcome": "cheated", "answer": "mood", "predictors": [AGE], "confidence": 0.95}
    moods, ages = list[bool](), list[bool]()
    for seed in range(20):
        for row in of("odds_ratio", adjusted_regression(*_with(parameters, seed))):
            truth = np.exp(EFFECTS[row["other_choice"]]) if row["other_item"] else 1.0
            (moods if row["other_item"] else ages).append(row["low"] <= truth <= row["high"])
    assert (len(moods), len(ages)) == (40, 80)
    assert sum(moods) >= 33
    assert sum(ages) >= 70


def of(quantity: str, found: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [row for row in found["rows"] if row["quantity"] == quantity]


@pytest.mark.long
def test_intervals_of_shares_and_differences_hold_the_truth() -> None:
    """Three shares by mood and two differences in 20 samples; ages do not matter.

    Were the intervals independent, fewer than 52 of 60 and 34 of 40 would hold in 0.6 and 0.3 % of seeds.
    """
    parameters = {"outcome": "cheated", "answer": "mood", "predictors": [AGE], "confidence": 0.95}
    truth = 1 / (1 + np.exp(1 - EFFECTS))
    shares, differences = list[bool](), list[bool]()
    for seed in range(20):
        found = adjusted_regression(*_with(parameters, seed))
        by_mood = [row for row in of("share", found) if row["other_item"]]
        shares += [row["low"] <= truth[row["other_choice"]] <= row["high"] for row in by_mood]
        changes = [(row, truth[row["other_choice"]] - truth[0]) for row in of("difference", found) if row["other_item"]]
        differences += [row["low"] <= one <= row["high"] for row, one in changes]
    assert (len(shares), len(differences)) == (60, 40)
    assert sum(shares) >= 52
    assert sum(differences) >= 34


def test_intervals_of_means_and_differences_hold_the_truth() -> None:
    """Three mean hours by mood, two differences, and a mean of each age in 20 samples of 4,000; ages do not matter.

    Were the intervals independent, fewer than 52 of 60, 34 of 40 and 88 of 100 would hold in .6, .3 and .4 % of seeds.
    """
    parameters = {"outcome": "hours:mean", "answer": "mood", "predictors": [AGE], "confidence": 0.95}
    means, differences, ages = list[bool](), list[bool](), list[bool]()
    for seed in range(20):
        found = adjusted_regression(drawn(), parameters, inputs_of(seed, outcome=2)[1])
        assert not of("odds_ratio", found)
        for row in of("mean", found):
            truth = 0.5 + (row["other_choice"] if row["other_item"] else 0.7)
            (means if row["other_item"] else ages).append(row["low"] <= truth <= row["high"])
        changes = [row for row in of("difference", found) if row["other_item"]]
        differences += [row["low"] <= row["other_choice"] <= row["high"] for row in changes]
    assert (len(means), len(differences), len(ages)) == (60, 40, 100)
    assert sum(means) >= 52
    assert sum(differences) >= 34
    assert sum(ages) >= 88


def _with(parameters: dict[str, object], seed: int) -> tuple[Design, dict[str, object], dict[str, object]]:
    design, inputs = inputs_of(seed)
    return design, parameters, inputs


@pytest.fixture
def asked(db: None, monkeypatch: pytest.MonkeyPatch) -> Design:
    monkeypatch.setattr(services, "wake", lambda number: None)
    made, random = freeze_design(drawn().document), np.random.default_rng(4)
    who = people(made, 4000, random)
    simulation.store(made, who, simulation.symbols(made, who, random))
    close_design(made.digest)
    return made


def test_page_tells_the_effect_of_an_answer(asked: Design) -> None:
    found = done(Kind.REGRESSION, asked, **ASKED)
    page = presentation.present(found)
    assert page.about == ("Have you cheated?", "How do you feel?", "How old are you?")
    low = next(sentence for sentence in page.sentences if "Low" in sentence)
    assert low.startswith("The odds of “Yes” in “How do you feel? Low” are ")
    assert low.endswith("times those in “How do you feel? Well”.")
    assert page.sentences[-1].startswith("The outcome depends on the answer to “How do you feel?” (Wald statistic")
    assert [str(method).partition(" ")[0] for method in page.methods][:3] == ["Logistic", "Another", "Each"]
    shares, differences, ratios, model = page.parts
    assert [part.title for part in (shares, differences, ratios, model)] == [
        "Share of “Yes” in each group", "Differences of the share of “Yes”, percentage points",
        "Odds ratios of “Yes”", "Model",
    ]  # fmt: skip
    assert [row[0] for row in shares.table.rows[:4]] == ["How do you feel?", "Well", "So-so", "Low"]
    assert (shares.drawn[2].label, differences.drawn[1].label) == ("Low", "Low compared with Well")
    assert [row[0] for row in differences.table.rows[:2]] == ["How do you feel?", "So-so compared with Well"]
    assert {part.drawn[0].heading for part in (shares, differences, ratios)} == {"How do you feel?"}
    told = [row for row in exports.rows_of(found) if row["other_item"] == "mood"]
    assert [row["other_choice_label"] for row in told] == ["Well", *["So-so", "Low"] * 3]
    assert services.execute(services.repeat(found).pk).result_digest == found.result_digest


@pytest.mark.parametrize("model", few(["probit", "cloglog"]))
def test_models_without_odds_tell_shares_and_differences(asked: Design, model: str) -> None:
    """The links are near to one another, so the shares by mood are those of the logistic model to a hundredth."""
    usual, found = (done(Kind.REGRESSION, asked, **ASKED, **given) for given in ({}, {"model": model}))
    assert not of("odds_ratio", found.result)
    for one, other in zip(of("share", usual.result), of("share", found.result), strict=True):
        assert other["estimate"] == pytest.approx(one["estimate"], abs=0.01)
    page = presentation.present(found)
    assert [part.title for part in page.parts][2:] == ["Model"]
    assert any("“How do you feel? Low” is higher than “How do you feel? Well” by" in each for each in page.sentences)


def test_page_tells_the_effect_of_an_answer_on_a_mean(asked: Design) -> None:
    found = done(Kind.REGRESSION, asked, **ASKED | {"outcome": "hours:mean"})
    page = presentation.present(found)
    assert page.about == ("Hours?", "How do you feel?", "How old are you?")
    words = "“How do you feel? Low” is higher than “How do you feel? Well” by"
    assert any(each.startswith(words) for each in page.sentences)
    assert page.sentences[-1].startswith("The outcome depends on the answer to “How do you feel?” (Wald statistic")
    assert [part.title for part in page.parts] == ["Mean in each group", "Differences of means"]
    assert page.parts[0].table.rows[3][0] == "Low"
    assert str(page.methods[0]).partition(";")[0].endswith("in the normal equations")
    assert services.execute(services.repeat(found).pk).result_digest == found.result_digest


@pytest.mark.django_db
def test_answer_that_hardly_anybody_gives_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody feels low, so nothing can be compared with it."""
    monkeypatch.setattr(services, "wake", lambda number: None)
    made, random = freeze_design(drawn().document), np.random.default_rng(6)
    who = people(made, 1000, random)
    who.answers["mood"][:] = np.arange(1000) % 2
    simulation.store(made, who, simulation.symbols(made, who, random))
    close_design(made.digest)
    found = done(Kind.REGRESSION, made, **ASKED | {"outcome": "hours:mean"})
    assert found.result["flags"] == ["rare_answer"]
    told = next(each for each in presentation.present(found).cautions if "hardly told from zero" in each)
    assert told.startswith("So few give some answer to “How do you feel?”")


def test_answer_alone_is_a_predictor(asked: Design) -> None:
    found = done(Kind.REGRESSION, asked, outcome="cheated", answer="mood")
    assert [row["quantity"] for row in found.result["rows"]] == [
        *["share"] * 3,
        *["difference"] * 2,
        *["odds_ratio"] * 2,
    ]
    assert found.result["n"] == 4000


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"answer-2": "mood"}, "Choose each question once as a randomised predictor"),
        ({"answer": "mood:1"}, "Choose one of the questions whose answer can be a predictor"),
        ({"answer-3": "cheated"}, "Choose another question than the outcome’s"),
        ({"answer": "", "answer-2": "hours"}, "Choose one of the questions whose answer can be a predictor"),
        ({"answer": "cheated"}, "Choose another question than the outcome’s"),
        ({"answer": "hours"}, "Choose one of the questions whose answer can be a predictor"),
        ({"outcome": "mood"}, "can be a predictor of a yes, of one choice, or of a mean"),
        ({"outcome": "mood:mean"}, "."),
        ({"outcome": "hours:mean", "prior": "yes"}, "A linear regression has no use for priors"),
        ({"outcome": "hours:mean", "model": "probit"}, "The regression of a mean is linear"),
        ({"model": "ordinal"}, "needs a question with more than two choices"),
    ],
)
def test_what_does_not_go_together_is_refused(fields: dict[str, str], words: str) -> None:
    with pytest.raises(AnalysisError, match=words):
        requests.parameters(Kind.REGRESSION, ASKED | fields, [drawn()])


def test_more_combinations_than_can_be_told_apart_are_refused() -> None:
    six = {"kind": "one_choice", "choices": list("ABCDEF"), "channel": {"name": "k_ary", "truth": "1/2"}}
    items = [ITEMS[0], *(six | {"key": f"q{at}", "wording": f"Question {at}?"} for at in (1, 2)), SMOKES]
    design = background.design(background.AGE, expected=4000, items=items)
    fields = {"outcome": "cheated", "answer": "q1", "answer-2": "q2"}
    assert requests.parameters(Kind.REGRESSION, fields, [design])["further_answers"] == ["q2"]
    words = "Randomised predictors have at most 36 combinations of answers; these have 72"
    with pytest.raises(AnalysisError, match=words):
        requests.parameters(Kind.REGRESSION, fields | {"answer-3": "smokes"}, [design])


def test_too_few_responses_have_no_numbers() -> None:
    design, inputs = inputs_of(1, n=25)
    parameters = {"outcome": "cheated", "answer": "mood", "predictors": [], "confidence": 0.95}
    found = adjusted_regression(design, parameters, inputs)
    assert (found["n"], found["flags"], found["rows"]) == (25, ["too_few_reports"], [])


@pytest.mark.parametrize("more", [{"answer": "mood"}, {}], ids=["randomised predictor", "none"])
def test_steps_of_few_responses_have_odds_and_no_shares(more: dict[str, str]) -> None:
    """100 responses, of which fewer than 30 gave each of five ages; a prior keeps all finite."""
    design, random = drawn(), np.random.default_rng(3)
    who = people(design, 100, random)
    symbols = simulation.symbols(design, who, random)
    exact = simulation.totals(design, who, symbols)
    inputs = simulation.pairs(design, who, np.random.default_rng(3), 0, 1) | background.released_inputs(
        design, exact, 0
    )
    parameters = {"outcome": "cheated", "predictors": [AGE], "steps": [AGE], "prior": 2.5, "confidence": 0.95, **more}
    found = adjusted_regression(design, parameters, inputs)
    by_age = [row for row in of("share", found) if row["group"]]
    assert by_age
    assert {row["estimate"] for row in by_age} == {None}
    assert [row["estimate"] is not None for row in of("odds_ratio", found) if row["group"]] == [True]


def test_weights_count_with_a_randomised_predictor(asked: Design) -> None:
    """Weights of equal ages leave the effect as it is, with a larger, robust standard error."""
    shares = {f"share-{AGE}-{answer}": "25" for answer in range(1, 5)}
    weights = done(Kind.WEIGHTING, asked, item="cheated", **shares)
    plain, weighted = done(Kind.REGRESSION, asked, **ASKED), done(Kind.REGRESSION, asked, weights=weights.key, **ASKED)
    assert {row["weights"] for row in weighted.result["rows"]} == {"entered"}
    assert "criteria" not in weighted.result
    for one, other in zip(plain.result["rows"], weighted.result["rows"], strict=True):
        if one["other_item"] and one["estimate"] is not None:
            assert np.log(other["estimate"]) == pytest.approx(np.log(one["estimate"]), abs=2 * one["standard_error"])
    assert "robust standard errors" in " ".join(map(str, presentation.present(weighted).methods))


SMOKES = ITEMS[0] | {"key": "smokes", "wording": "Do you smoke?"}


@cache
def of_three() -> Design:
    return background.design(background.AGE, expected=4000, items=[*ITEMS[:2], SMOKES, ITEMS[2]])


def smokers(design: Design, random: np.random.Generator) -> simulation.People:
    """Of 4,000 people more smoke in a low mood, and more of those who smoke have cheated, mood held fixed."""
    age, mood = random.choice(5, 4000), random.choice(3, size=4000, p=[0.4, 0.3, 0.3])
    smokes = (random.random(4000) < 0.2 + 0.2 * mood).astype(np.int64)
    cheated = random.random(4000) < 1 / (1 + np.exp(1.5 - EFFECTS[mood] - 1.2 * smokes))
    hours = np.minimum(mood + smokes, 3)
    cells = np.array([design.background.cell_of((one,)) for one in age.tolist()])
    return simulation.People(
        cells, {"cheated": cheated.astype(np.int64), "mood": mood, "smokes": smokes, "hours": hours}
    )


@pytest.mark.long
def test_two_randomised_predictors_are_told_apart() -> None:
    """Odds ratios of two moods and of smoking, each with the other held fixed, in 20 samples.

    Were the intervals independent, fewer than 50 of 60 would hold in 0.1 % of seeds. The odds ratio of smoking alone
    takes over a part of the moods'.
    """
    design, held, alone = of_three(), list[bool](), list[float]()
    parameters = {"outcome": "cheated", "answer": "mood", "predictors": [], "confidence": 0.95}
    for seed in range(20):
        random = np.random.default_rng(seed)
        who = smokers(design, random)
        symbols = simulation.symbols(design, who, random)
        counts = np.zeros((1, 2, 3, 2), dtype=np.int64)
        np.add.at(counts, (0, *(symbols[:, design.fields[place].start] for place in range(3))), 1)
        whole = {"groups": [list(range(len(design.strata)))]}
        both = adjusted_regression(
            design, parameters | {"further_answers": ["smokes"]}, whole | {"pairs": counts.tolist()}
        )
        for row in of("odds_ratio", both):
            truth = np.exp(1.2 if row["other_item"] == "smokes" else EFFECTS[row["other_choice"]])
            held.append(row["low"] <= truth <= row["high"])
        single = adjusted_regression(
            design, parameters | {"answer": "smokes"}, whole | {"pairs": counts.sum(axis=2).tolist()}
        )
        alone += [np.log(row["estimate"]) for row in of("odds_ratio", single)]
    assert len(held) == 60
    assert sum(held) >= 50
    assert np.mean(alone) > 1.2 + 4 * np.std(alone, ddof=1) / np.sqrt(20)


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize(("outcome", "level"), [("cheated", "share"), ("hours:mean", "mean")])
def test_page_tells_each_of_two_randomised_predictors(outcome: str, level: str) -> None:
    made, random = freeze_design(of_three().document), np.random.default_rng(4)
    who = smokers(made, random)
    simulation.store(made, who, simulation.symbols(made, who, random))
    close_design(made.digest)
    fields = {"outcome": outcome, "answer": "mood", "answer-2": "smokes", f"predictor-{AGE}": "yes"}
    found = done(Kind.REGRESSION, made, **fields)
    assert found.parameters["further_answers"] == ["smokes"]
    assert np.array(found.inputs["pairs"]).shape[1:] == (2, 3, 2)
    page = presentation.present(found)
    assert page.about[1:] == ("How do you feel?", "Do you smoke?", "How old are you?")
    depends = [sentence for sentence in page.sentences if sentence.startswith("The outcome depends on")]
    assert [each.partition("”")[0].rpartition("“")[2] for each in depends] == ["How do you feel?", "Do you smoke?"]
    assert "Of several randomised predictors effects add up" in " ".join(map(str, page.methods))
    by = [(row["other_item"], row["other_choice"]) for row in of(level, found.result) if row["other_item"]]
    assert by == [("mood", 0), ("mood", 1), ("mood", 2), ("smokes", 0), ("smokes", 1)]
    assert [part.drawn[3].heading for part in page.parts[:1]] == ["Do you smoke?"]
    assert services.execute(services.repeat(found).pk).result_digest == found.result_digest


TWO_COINS = {"name": "forced_response", "truth": "1/2", "yes": "1/2"}
DRINKS = {"key": "drinks", "kind": "several_choices", "wording": "What do you drink?", "channel": TWO_COINS}
NINE = [f"Town {number}" for number in range(1, 10)]


@cache
def of_ticks() -> Design:
    """With a question of several answers, and with one of more choices than a whole predictor may have."""
    town = {"key": "town", "kind": "one_choice", "wording": "Where?", "choices": NINE, "channel": ITEMS[1]["channel"]}
    drinks = DRINKS | {"choices": ["Beer", "Wine"]}
    return background.design(background.AGE, expected=4000, items=[ITEMS[0], drinks, town])


def drinkers(design: Design, n: int, random: np.random.Generator) -> simulation.People:
    """Wine comes with beer; of those who drink wine more have cheated, and of those who live in the third town."""
    age, town = random.choice(5, n), random.choice(9, n, p=[0.05, 0.05, 0.5, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05])
    wine = random.random(n) < 0.4
    drinks = np.stack([random.random(n) < 0.3 + 0.3 * wine, wine], axis=1).astype(np.int64)
    cheated = random.random(n) < 1 / (1 + np.exp(1.5 - 1.2 * wine - 0.9 * (town == 2)))
    cells = np.array([design.background.cell_of((one,)) for one in age.tolist()])
    return simulation.People(cells, {"cheated": cheated.astype(np.int64), "drinks": drinks, "town": town})


@pytest.mark.long
def test_one_choice_of_a_question_is_a_predictor() -> None:
    """Odds ratios of wine, of several ticks, and of one town of nine, each with the other held fixed, in 20 samples.

    Were the intervals independent, fewer than 32 of 40 would hold in 0.1 % of seeds.
    """
    design, held = of_ticks(), list[bool]()
    fields = {"outcome": "cheated", "answer": "drinks:1", "answer-2": "town:2"}
    parameters = requests.parameters(Kind.REGRESSION, fields, [design])
    variables = [outcome_of(design, "cheated"), *randomised_predictors(design, parameters)]
    for seed in range(20):
        random = np.random.default_rng(seed)
        symbols = simulation.symbols(design, drinkers(design, 8000, random), random)
        counts = np.zeros((1, 2, 2, 2), dtype=np.int64)
        np.add.at(counts, (0, *(np.array(one.codes)[symbols[:, one.column]] for one in variables)), 1)
        inputs = {"groups": [list(range(len(design.strata)))], "pairs": counts.tolist()}
        for row in of("odds_ratio", adjusted_regression(design, parameters, inputs)):
            truth = np.exp(1.2 if row["other_item"] == "drinks" else 0.9)
            held.append(row["low"] <= truth <= row["high"])
    assert len(held) == 40
    assert sum(held) >= 32


@pytest.mark.django_db
def test_page_tells_one_choice_against_all_others() -> None:
    made, random = freeze_design(of_ticks().document), np.random.default_rng(5)
    who = drinkers(made, 8000, random)
    simulation.store(made, who, simulation.symbols(made, who, random))
    close_design(made.digest)
    found = done(Kind.REGRESSION, made, outcome="cheated", answer="drinks:1", **{f"predictor-{AGE}": "yes"})
    page = presentation.present(found)
    assert page.about == ("Have you cheated?", "What do you drink? “Wine”", "How old are you?")
    assert "The outcome depends on the answer to “What do you drink? ‘Wine’”" in " ".join(page.sentences)
    assert page.sentences[0].startswith("The odds of “Yes” in “What do you drink? Wine” are")
    assert "those in “What do you drink? Not ‘Wine’”" in page.sentences[0]
    labels = [row["other_choice_label"] for row in exports.rows_of(found) if row["other_item"]]
    assert labels == ["Not “Wine”", "Wine", "Wine", "Wine"]
    assert services.execute(services.repeat(found).pk).result_digest == found.result_digest


@pytest.mark.django_db
def test_form_offers_choices_where_a_whole_question_cannot_be_a_predictor() -> None:
    fields = {field.name: field for field in form_of(Kind.REGRESSION, [of_ticks()], {}).fields}
    offered = {heading: [token for token, _ in options] for heading, options in fields["answer"].options}
    assert offered == {
        "": [""],
        "The answer to": ["cheated"],
        "What do you drink?": ["drinks:0", "drinks:1"],
        "Where?": [f"town:{choice}" for choice in range(9)],
    }
    assert "answer-3" not in fields


@pytest.mark.django_db
def test_form_offers_each_question_but_the_outcome_as_a_predictor() -> None:
    for design, expected in ((drawn(), ["answer"]), (of_three(), ["answer", "answer-2"])):
        names = [field.name for field in form_of(Kind.REGRESSION, [design], {}).fields]
        assert [name for name in names if name.startswith("answer")] == expected


JOB, CHILDREN = "do_you_have_a_job", "do_you_have_children"
INTERACTING = {
    "outcome": "cheated", "answer": "mood", "predictors": [JOB, CHILDREN], "interaction": [JOB, CHILDREN],
    "confidence": 0.95,
}  # fmt: skip


@cache
def of_two() -> Design:
    return background.design(background.JOB, background.CHILDREN, expected=4000, items=ITEMS[:2])


def pairs_of(seed: int, together: float) -> tuple[Design, dict[str, object]]:
    """Counts of 4,000 pairs; no job and no children add up on the logit, but for what both do `together`."""
    design, random = of_two(), np.random.default_rng(seed)
    told = random.choice(3, size=(4000, 2), p=[0.35, 0.35, 0.3])  # the last prefers not to say
    mood = random.choice(3, size=4000, p=[0.5, 0.3, 0.2])
    cells = np.array([design.background.cell_of(one) for one in told.tolist()])
    no = told == 1
    logit = -1 + EFFECTS[mood] + no @ [0.5, -0.4] + together * no.all(axis=1)
    answers = {"cheated": (random.random(4000) < 1 / (1 + np.exp(-logit))).astype(np.int64), "mood": mood}
    return design, simulation.pairs(design, simulation.People(cells, answers), random, 0, 1)


@pytest.mark.long
def test_interaction_beside_a_randomised_predictor_is_found_and_seldom_alarmed() -> None:
    """Of 20 samples in which effects add up one is expected to reject at 5 %, more than 4 do in 0.3 % of seeds."""
    alarms = 0
    for seed in range(20):
        design, inputs = pairs_of(seed, together=0.0)
        (test,) = adjusted_regression(design, INTERACTING, inputs)["interaction"]  # type: ignore[misc]
        alarms += test["p_value"] < 0.05
    assert alarms <= 4
    design, inputs = pairs_of(1, together=1.5)
    found = adjusted_regression(design, INTERACTING, inputs)
    (test,) = found["interaction"]  # type: ignore[misc]
    assert test["p_value"] < 0.01
    assert test["degrees_of_freedom"] == 4
    # Of questions that interact there are shares alone, no odds ratios.
    assert [row["other_choice"] for row in of("odds_ratio", found)] == [1, 2]
    assert [row["group"] for row in of("share", found)[3:5]] == [f"{JOB}=1+{CHILDREN}=1", f"{JOB}=1+{CHILDREN}=2"]


@pytest.mark.django_db
def test_page_tells_whether_predictors_interact() -> None:
    both = "interaction-where_do_you_live+how_old_are_you"
    found = done(Kind.REGRESSION, background.of_four_kinds(), outcome="cheated", answer="mood", **{both: "yes"})
    page = presentation.present(found)
    assert any("“Where do you live?” and “How old are you?” interact" in sentence for sentence in page.sentences)
    assert any("those that fewer than 30 gave together are left out" in str(method) for method in page.methods)


def test_priors_draw_the_effect_of_an_answer_towards_none(asked: Design) -> None:
    plain, drawn_in = done(Kind.REGRESSION, asked, **ASKED), done(Kind.REGRESSION, asked, prior="yes", **ASKED)
    assert drawn_in.parameters["prior"] == 2.5
    assert "criteria" not in drawn_in.result
    logs = [
        [abs(np.log(row["estimate"])) for row in one.result["rows"] if row["other_item"]] for one in (plain, drawn_in)
    ]
    assert sum(logs[1]) < sum(logs[0])
    assert all(row["high"] is not None for row in drawn_in.result["rows"])
    assert "Weakly informative priors" in " ".join(map(str, presentation.present(drawn_in).methods))
