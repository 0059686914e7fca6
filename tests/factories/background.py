"""Surveys with background questions: three of them, or the most there may be."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from collector.reports.selectors import Totals
from estimator.analyses import services as analyses
from estimator.models import Analysis
from estimator.runs.groups import of_totals
from surveys.definition import definitions
from surveys.definition.background import frozen_background
from tests.factories import payloads, simulation

REGION: dict[str, Any] = {
    "wording": "Where do you live?",
    "choices": ["North", "South", "East", "West"],
    "shares": ["0.4", "0.3", "0.2", "0.1"],
}
AGE: dict[str, Any] = {"wording": "How old are you?", "choices": ["18–29", "30–44", "45–59", "60 or older"]}
GENDER: dict[str, Any] = {
    "wording": "What is your gender?",
    "choices": ["Woman", "Man", "Another"],
    "shares": ["0.49", "0.49", "0.02"],
}
DEGREE: dict[str, Any] = {"wording": "What is your highest degree?", "choices": ["None", "School", "University"]}
JOB: dict[str, Any] = {"wording": "Do you have a job?", "choices": ["Yes", "No"]}
CHILDREN: dict[str, Any] = {"wording": "Do you have children?", "choices": ["Yes", "No"]}
YEAR: dict[str, Any] = {
    "wording": "In which year did you begin?",
    "choices": [str(year) for year in range(2010, 2025)],
}
ARMS: dict[str, Any] = {"arms": [{"explanation": "before"}, {"explanation": "after"}]}
"""The versions of a page that explains the tickets before or after."""
CROSSWISE: dict[str, Any] = {
    "arms": [
        {"explanation": "before"},
        {"explanation": "before", "instead": {"cheated": "cheated-crosswise"}},
    ],
    "choices": ["One question", "Two statements"],
}
"""The versions of a page that asks one question by forced response or crosswise."""
OWN_COIN: dict[str, Any] = {"arms": [{"explanation": "before"}, {"explanation": "own_coin"}]}
"""The versions of a page that draws tickets, or has people toss a coin of their own."""
SIX = [REGION, AGE, GENDER, DEGREE, JOB, CHILDREN]


def definition(*questions: dict[str, Any], expected: int = 1000, smallest: int = 10, **changes: Any) -> Any:
    """The campus survey without groups and with these background questions, complete."""
    asked = {"expected_responses": expected, "smallest_cell": smallest, "questions": list(questions or SIX[:3])}
    raw = payloads.definition(strata={"wording": "", "groups": []}, background_questions=asked, **changes)
    return definitions.complete(raw)


def frozen(*questions: dict[str, Any], **changes: Any) -> dict[str, object]:
    """These questions as a design has them."""
    return frozen_background(definition(*questions, **changes)["background_questions"])


def design(*questions: dict[str, Any], **changes: Any) -> Design:
    return definitions.design_of(definition(*questions, **changes), version=1)


def crosswise(*questions: dict[str, Any], **changes: Any) -> Any:
    """The definition of a survey whose second version asks the first question of the campus survey crosswise."""
    cheated, mood = payloads.definition()["items"]
    other = {
        **cheated,
        "key": "cheated-crosswise",
        "wording": {"en": "Did you ever cheat?"},
        "channel": {"name": "crosswise", "prevalence": "1/4"},
    }
    return definition(CROSSWISE, *questions, items=[cheated, other, mood], **changes)


@cache
def of_versions() -> Design:
    """That survey with a question on jobs."""
    return definitions.design_of(crosswise(JOB, expected=4000), version=1)


def in_versions(one: float, other: float, *, n: int = 4000, seed: int = 1, closed: bool = True) -> Design:
    """The same, closed or not, over n people, of whom these shares say yes in the two versions; others send a no."""
    made, random = freeze_design(of_versions().document), np.random.default_rng(seed)
    arm = random.integers(2, size=n)
    cells = np.array([made.background.cell_of(told) for told in zip(arm, random.choice(3, n), strict=True)])
    yes = random.random(n) < np.array([one, other])[arm]
    answers = {
        "cheated": (yes & (arm == 0)).astype(np.int64),
        "cheated-crosswise": (yes & (arm == 1)).astype(np.int64),
        "mood": random.choice(3, size=n),
    }
    who = simulation.People(cells, answers)
    simulation.store(made, who, simulation.symbols(made, who, random))
    if closed:
        close_design(made.digest)
    return made


def weaker(**changes: Any) -> Any:
    """The definition of a survey whose second version protects one question less, and is agreed to by itself."""
    cheated, mood = payloads.definition()["items"]
    other = {**cheated, "key": "cheated-little", "channel": {"name": "forced_response", "truth": "3/4", "yes": "1/2"}}
    arms: dict[str, Any] = {
        "arms": [
            {"explanation": "before"},
            {
                "explanation": "before",
                "instead": {"cheated": "cheated-little"},
                "consent": {"en": "I know that fewer tickets decide in my version."},
            },
        ],
        "choices": ["Half of the tickets", "A quarter of the tickets"],
    }
    agreed = {"consent_statements": [{"en": "I am 18 or older."}]}
    return definition(arms, items=[cheated, other, mood], **(agreed | changes))


def two_coins(*questions: dict[str, Any], **changes: Any) -> Any:
    """The definition of a survey with tickets, and with two coins of which one asks for the reverse of the other."""
    cheated, mood = payloads.definition()["items"]
    items = [cheated, cheated | {"key": "cheated-reverse", "channel": {"name": "warner", "truth": "1/4"}}, mood]
    arms: dict[str, Any] = {
        "arms": [
            {"explanation": "before"},
            {"explanation": "own_coin"},
            {"explanation": "own_coin", "instead": {"cheated": "cheated-reverse"}},
        ],
        "choices": ["Tickets", "Two coins", "Two coins, reversed"],
    }
    return definition(arms, *questions, **({"expected": 6000, "items": items} | changes))


DENIAL = (0.15, 0.25, 0.4, 0.2)
"""The share of those with each degree, the last of who prefers not to say it, who mark No whatever a coin shows."""


def tossers(design: Design, n: int, seed: int, denial: Sequence[float] = DENIAL) -> tuple[simulation.People, Any]:
    """People in the three versions of `two_coins(DEGREE)`, of whom 30 % have cheated, and what they send."""
    random = np.random.default_rng(seed)
    shares = [float(share) for share in design.background.questions[1].shares]
    arm, degree = random.integers(3, size=n), random.choice(len(shares), size=n, p=shares)
    cells = np.array([design.background.cell_of(told) for told in zip(arm, degree, strict=True)])
    return tossing(design, (arm, cells), random, 0.3, np.array(denial)[degree])


def tossing(
    design: Design,
    versions: tuple[NDArray[np.int64], NDArray[np.int64]],
    random: np.random.Generator,
    cheated: float,
    disobey: float | NDArray[np.float64],
    mark: int = 0,
) -> tuple[simulation.People, Any]:
    """People in these versions of `two_coins` and cells, and what they send.

    Who disobeys a coin sends this mark whatever it shows.
    """
    arm, cells = versions
    n = len(arm)
    yes = random.random(n) < cheated
    answers = {
        "cheated": (yes & (arm != 2)).astype(np.int64),
        "cheated-reverse": (yes & (arm == 2)).astype(np.int64),
        "mood": random.choice(3, size=n),
    }
    who = simulation.People(cells, answers)
    sent = simulation.symbols(design, who, random)
    disobeys = (random.random(n) < disobey) & (arm > 0)
    sent[disobeys, np.where(arm == 2, 1, 0)[disobeys]] = mark
    return who, sent


def tossed(n: int = 9000, seed: int = 58) -> Design:
    """That survey, closed, over n such people."""
    made = freeze_design(definitions.design_of(two_coins(DEGREE), version=1).document)
    simulation.store(made, *tossers(made, n, seed))
    close_design(made.digest)
    return made


DISTRICT: dict[str, Any] = {
    "wording": "In which district do you live?",
    "choices": [f"District {letter}" for letter in "ABCDEFGHIJKL"],
}
YES = (0.1, 0.2, 0.4, 0.6, 0.3)
"""How many of each region, and of those who do not tell theirs, have cheated."""


def answered(n: int = 2000, seed: int = 5) -> Design:
    """An open survey on region, age and gender with n responses, stored; more have cheated further down the regions."""
    made = freeze_design(three().document)
    answer(made, n, seed)
    return made


def answer(made: Design, n: int = 2000, seed: int = 5) -> None:
    """Store n responses to a survey whose first background question is the region."""
    people, reports = _people(made, n, seed)
    simulation.store(made, people, reports)


def sampled(n: int = 2000, seed: int = 5) -> tuple[Design, Totals]:
    """The same, as it would be counted, without a store."""
    made = three()
    people, reports = _people(made, n, seed)
    return made, simulation.totals(made, people, reports)


def inputs_of(seed: int, n: int = 2000) -> tuple[Design, dict[str, object]]:
    """The same, as the inputs of an analysis of the first question: its totals by released cell."""
    made, exact = sampled(n, seed)
    return made, released_inputs(made, exact, 0)


def released_inputs(made: Design, exact: Totals, position: int) -> dict[str, object]:
    """What an analysis of the question at this place has of totals: a table for each released row of cells."""
    partition, field = of_totals(made, exact), made.fields[position]
    totals = np.stack(partition.merge_item(exact[field.start : field.stop], position), axis=1).tolist()
    return {"totals": totals, "groups": partition.members}


def districts(n: int, seed: int, spread: float = 0.8) -> tuple[Design, Totals, NDArray[np.float64]]:
    """Totals of n responses from twelve districts and two ages, and the share that have cheated by district and age.

    The logits are -1, plus 0.7 for the second half of the ages, plus a normal number of each district with that spread.
    """
    made, random = _of_districts(), np.random.default_rng(seed)
    logits = -1 + spread * random.normal(size=(12, 1)) + np.array([0.0, 0.0, 0.7, 0.7])
    shares = 1 / (1 + np.exp(-logits))
    district, age = random.choice(12, size=n), random.choice(4, size=n)
    cells = np.array([made.background.cell_of(told) for told in zip(district.tolist(), age.tolist(), strict=True)])
    cheated = (random.random(n) < shares[district, age]).astype(np.int64)
    people = simulation.People(cells, {"cheated": cheated, "mood": random.choice(3, size=n)})
    return made, simulation.totals(made, people, simulation.symbols(made, people, random)), shares


@cache
def _of_districts() -> Design:
    return design(DISTRICT, AGE, expected=5000)


@cache
def three() -> Design:
    return design(REGION, AGE, GENDER, expected=2000)


def _people(made: Design, n: int, seed: int) -> tuple[simulation.People, NDArray[np.uint8]]:
    random = np.random.default_rng(seed)
    shares = [[float(share) for share in question.shares] for question in made.background.questions]
    told = np.stack([random.choice(len(one), size=n, p=one) for one in shares], axis=1)
    cells = np.array([made.background.cell_of(answers) for answers in told.tolist()])
    cheated = (random.random(n) < np.array(YES)[told[:, 0]]).astype(np.int64)
    people = simulation.People(cells, {"cheated": cheated, "mood": random.choice(3, size=n)})
    return people, simulation.symbols(made, people, random)


def done(kind: Analysis.Kind, made: Design, **fields: str) -> Analysis:
    """An analysis of this survey, requested with these fields and computed."""
    found = analyses.execute(analyses.request(kind, fields, [made]).pk)
    assert found.state == Analysis.State.DONE, found.fault
    return found


FORCED = {"name": "forced_response", "truth": "1/2", "yes": "1/2"}
K_ARY = {"name": "k_ary", "truth": "1/2"}
FOUR_KINDS: list[dict[str, Any]] = [
    {"key": "cheated", "kind": "yes_no", "wording": "Have you cheated?", "choices": ["No", "Yes"], "channel": FORCED},
    {"key": "mood", "kind": "one_choice", "wording": "How do you feel?", "choices": ["Well", "So-so", "Low"],
     "channel": K_ARY},
    {"key": "tired", "kind": "scale", "wording": "How tired are you?", "choices": ["Not", "A little", "Very"],
     "channel": K_ARY},
    {"key": "drinks", "kind": "several_choices", "wording": "What do you drink?", "choices": ["Tea", "Coffee"],
     "channel": FORCED},
]  # fmt: skip


def of_four_kinds(n: int = 3000, seed: int = 4) -> Design:
    """A closed survey with region and age over n people, of whom more cheated in the later regions."""
    made = design(REGION, AGE, expected=3000, items=FOUR_KINDS)
    made, random = freeze_design(made.document), np.random.default_rng(seed)
    region, age = random.choice(5, n), random.choice(5, n)
    cells = np.array([made.background.cell_of(told) for told in zip(region, age, strict=True)])
    answers = {
        "cheated": (random.random(n) < 0.2 + 0.1 * region).astype(np.int64),
        "mood": random.choice(3, size=n, p=[0.5, 0.3, 0.2]),
        "tired": random.choice(3, size=n),
        "drinks": random.integers(0, 2, size=(n, 2)),
    }
    who = simulation.People(cells, answers)
    simulation.store(made, who, simulation.symbols(made, who, random))
    close_design(made.digest)
    return made
