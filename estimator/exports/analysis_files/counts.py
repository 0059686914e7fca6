"""What a JSON file of an analysis says: its design, its counts, and the weights that meet known shares."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomized_response import CalibratedWeights, Channel, EachOption, ParameterError, Question, calibrate, question_of

FEWEST = 10
"""With fewer responses there is no estimate."""
ENOUGH = 30
"""With fewer there are no tables and models: they take estimates as normal."""
NUMBERS = ("estimate", "unbiased", "standard_error", "low", "high", "narrowest_standard_error")
"""The columns of a row."""
OTHER = "other groups"
"""The key of groups that are told of together."""

Array = NDArray[Any]
Row = Mapping[str, Any]
Answers = tuple[int, ...]


def row(quantity: str, item: str, n: int, **more: Any) -> Row:
    """A number with what it is of."""
    return {"quantity": quantity, "item": item, "n": n} | more


@dataclass(frozen=True)
class Variable:
    """A symbol of the responses to a question: by each of its values the report, and the chances of reports."""

    item: str
    choice: int | None
    column: int
    codes: Array
    channel: Channel


@dataclass(frozen=True)
class Analysis:
    """A file of an analysis; `document` is its content."""

    document: Mapping[str, Any]

    @property
    def design(self) -> Mapping[str, Any]:
        design: Mapping[str, Any] = self.document["design"]
        return design

    @property
    def parameters(self) -> Mapping[str, Any]:
        parameters: Mapping[str, Any] = self.document["parameters"]
        return parameters

    @property
    def inputs(self) -> Mapping[str, Any]:
        inputs: Mapping[str, Any] = self.document["inputs"]
        return inputs

    @property
    def confidence(self) -> float:
        return float(self.parameters["confidence"])

    @property
    def remembers(self) -> bool:
        """Whether devices remember their tickets."""
        return self.design.get("repeats") == "remember"

    @cached_property
    def totals(self) -> Array:
        """Counts of the values of each symbol of the question, by row: shape (rows, symbols, m)."""
        return np.array(self.inputs["totals"], dtype=np.int64)

    @cached_property
    def pairs(self) -> Array:
        """Counts of the reports of two or more questions together, by row."""
        return np.array(self.inputs["pairs"], dtype=np.int64)

    @property
    def latent(self) -> list[Variable]:
        """The randomised answers that are predictors."""
        p = self.parameters
        tokens = [p["answer"], *p.get("further_answers", ())] if "answer" in p else []
        return [self.variable(token) for token in tokens]

    @cached_property
    def sizes(self) -> Array:
        """The number of responses of each row."""
        counts = self.pairs if "pairs" in self.inputs else self.totals[:, 0]
        return np.asarray(counts.reshape(len(counts), -1).sum(axis=1))

    @property
    def members(self) -> list[list[int]]:
        """For each row the groups, or the cells of background questions, that it holds."""
        members: list[list[int]] = self.inputs["groups"]
        return members

    @property
    def background(self) -> Mapping[str, Any]:
        background: Mapping[str, Any] = self.design.get("background_questions") or {}
        return background

    @property
    def questions(self) -> list[Mapping[str, Any]]:
        """The background questions; the last choice of each is "prefer not to say", but of versions of the page."""
        return list(self.background.get("questions", ()))

    @property
    def strata(self) -> list[str]:
        """The keys of the groups."""
        return [group["key"] for group in self.design["strata"]["groups"]] or [""]

    @property
    def keys(self) -> list[str]:
        """The key of each row, of a survey with groups."""
        return [self.strata[rows[0]] if len(rows) == 1 else OTHER for rows in self.members]

    @cached_property
    def cells(self) -> list[list[Answers]]:
        """For each cell of background questions the answers to each that it takes."""
        everyone = [tuple(range(len(question["choices"]))) for question in self.questions]
        return [
            [everyone[q] if answers is None else tuple(answers) for q, answers in enumerate(cell)]
            for cell in self.background.get("cells", ())
        ]

    @cached_property
    def told(self) -> list[list[Answers]]:
        """For each row the answers to each background question that its cells take."""
        questions = range(len(self.questions))
        return [
            [tuple(sorted({answer for cell in rows for answer in self.cells[cell][q]})) for q in questions]
            for rows in self.members
        ]

    def may_have(self, row: int, key: str) -> set[str]:
        """The answers of a margin that respondents of a row may have; none where it may be any.

        "Prefer not to say", the last choice, is any of the answers that others in the row tell, or any at all.
        """
        asked = [question["key"] for question in self.questions]
        places = [asked.index(one) for one in key.split("+")]
        sizes = [len(self.questions[q]["choices"]) - 1 for q in places]
        told = [
            [a for a in self.told[row][q] if a < size] or range(size) for q, size in zip(places, sizes, strict=True)
        ]
        found = set[str]()
        for cell in self.members[row]:
            parts = zip(places, sizes, told, strict=True)
            taken = [[a for a in self.cells[cell][q] if a < size] or either for q, size, either in parts]
            found |= {"+".join(str(answer + 1) for answer in one) for one in product(*taken)}
        return found if len(found) < math.prod(sizes) else set()

    def item(self, key: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = next(one for one in self.design["items"] if one["key"] == key)
        return found

    def question(self, key: str) -> Question:
        return question_of(self.item(key))

    def quantity(self, token: str) -> tuple[str, int | None]:
        """The question of a token, and the place of the choice; None for its mean."""
        key, _, part = token.partition(":")
        return key, None if part == "mean" else int(part)

    def variable(self, token: str) -> Variable:
        """One choice against all others, or all choices of a question."""
        key, _, part = token.partition(":")
        item, mechanism = self.item(key), self.question(key).mechanism
        if isinstance(mechanism, EachOption):
            return Variable(key, int(part), int(part), np.arange(2), mechanism.channel)
        if not isinstance(mechanism, Channel):
            return Variable(key, int(part), int(part), np.arange(2), mechanism.bit)
        if not part:
            choice = 1 if len(item["choices"]) == 2 else None
            return Variable(key, choice, 0, np.arange(mechanism.reports), mechanism)
        assert mechanism.background is not None
        low, tickets = int(mechanism.background[int(part)]), mechanism.denominator
        high = low + mechanism.gain
        codes = np.arange(mechanism.reports) == int(part)
        channel = Channel(((tickets - low, low), (tickets - high, high)))
        return Variable(key, int(part), 0, codes.astype(int), channel)

    def measured(self, token: str) -> tuple[str, bool] | None:
        """The background question of a token, and whether its answers count as numbers; None of a randomised one."""
        key, _, part = token.partition(":")
        return (key, part == "steps") if key in [question["key"] for question in self.questions] else None

    def values(self, variable: Variable) -> list[float] | None:
        """The numbers that answers stand for: of two 0 and 1, of a scale its points; None where some have none."""
        if variable.channel.answers == 2:
            return [0.0, 1.0]
        found = [value for value in self.question(variable.item).values if value is not None]
        return found if len(found) == variable.channel.answers else None

    def kinds(self, key: str) -> tuple[Variable, Array]:
        """Who follows a coin: No by it, Yes by it, and No whatever it shows; and the counts of reports, by row.

        Each coin has two reports of its own. The versions of the page are the answers to the first background question.
        """
        versions = {
            number: arm.get("instead", {}).get(key, key)
            for number, arm in enumerate(self.questions[0]["arms"])
            if arm["explanation"] == "own_coin"
        }
        places = [item["key"] for item in self.design["items"] if item["key"] in versions.values()]
        table_of = {asked: self.item(asked)["channel"]["weights"] for asked in places}
        coins: list[list[list[int]]] = []
        for asked in versions.values():
            coins += [table_of[asked]] * (table_of[asked] not in coins)
        scale = math.lcm(*(sum(table[0]) for table in coins))
        rows = [tuple(entry * scale // sum(table[x]) for table in coins for entry in table[x]) for x in (0, 1)]
        counts = np.zeros((len(self.members), 2 * len(coins)), dtype=np.int64)
        for row, told in enumerate(self.told):
            if len(told[0]) == 1 and told[0][0] in versions:
                asked = versions[told[0][0]]
                first = 2 * coins.index(table_of[asked])
                counts[row, first : first + 2] = self.totals[row, places.index(asked)]
        channel = Channel((rows[0], rows[1], (scale, 0) * len(coins)))
        return Variable(key, None, 0, np.arange(2 * len(coins)), channel), counts

    def reports(self, column: int, codes: Array) -> Array:
        """Counts of the reports of one symbol, by row."""
        found = np.zeros((len(self.totals), int(codes.max()) + 1), dtype=np.int64)
        for value, code in enumerate(codes):
            found[:, code] += self.totals[:, column, value]
        return found

    def row_of(self, key: str) -> int:
        """The row that holds a group."""
        place = self.strata.index(key)
        return next(number for number, rows in enumerate(self.members) if place in rows)

    def compared(self, against: str) -> list[tuple[str, list[int]]]:
        """The groups that are compared, each with its rows: of one background question those with an answer of it."""
        if len(self.members) == 1:
            return []
        if not self.questions:
            return [(key, [number]) for number, key in enumerate(self.keys)]
        key = against.removeprefix("pairs:").partition("=")[0]
        place = next(q for q, question in enumerate(self.questions) if question["key"] == key)
        found = []
        for answer in range(len(self.questions[place]["choices"])):
            rows = [number for number, told in enumerate(self.told) if told[place] == (answer,)]
            found += [(f"{key}={answer + 1}", rows)] if rows else []
        return found

    def reference(self, groups: Sequence[tuple[str, list[int]]], against: str) -> int | None:
        """The place of the group that all are compared with, -1 if it is not told of; None to compare every pair."""
        if against.startswith("pairs") and against not in self.strata:
            return None
        if self.questions:
            return next((place for place, (key, _) in enumerate(groups) if key == against), -1)
        return self.row_of(against)

    def known_shares(self) -> list[float]:
        """The groups' known shares of the population, of each row; none if they are not known."""
        shares = [group.get("share") for group in self.design["strata"]["groups"]]
        if not shares or None in shares or len(self.members) == 1:
            return []
        return [float(sum(Fraction(shares[place]) for place in rows)) for rows in self.members]

    def versions(self) -> "list[Analysis]":
        """Of a comparison of versions each by itself, the oldest first."""
        parts = zip(self.document["designs"], self.inputs["versions"], self.inputs["groups"], strict=True)
        return [
            Analysis(
                {
                    "design": design,
                    "parameters": self.parameters,
                    "inputs": {"totals": np.stack([np.array(table) for table in tables], axis=1), "groups": groups},
                }
            )
            for design, tables, groups in parts
        ]


def weights_of(one: Analysis, sizes: Array, asked: Mapping[str, Any]) -> tuple[Array, CalibratedWeights] | None:
    """The rows with responses, and their weights that meet the margins; None where none do.

    A row that takes several answers counts as each of them in the proportions of the population.
    """
    rows, columns, means = np.flatnonzero(sizes), dict[str, Array](), dict[str, float]()
    for key, margin in asked["margins"].items():
        answers, known = list(margin), np.array([float(Fraction(share)) for share in margin.values()])
        told = [one.may_have(each, key) for each in rows.tolist()]
        parts = [np.array([not each or answer in each for answer in answers]) * known for each in told]
        if not all(part.sum() for part in parts):
            return None
        table = np.array([part / part.sum() for part in parts])
        for answer, share, column in zip(answers, known, table.T, strict=True):
            if np.ptp(column) > 0:
                columns[f"{key}={answer}"], means[f"{key}={answer}"] = column, float(share)
    bounds = None if asked["largest"] is None else (1 / asked["largest"], asked["largest"])
    try:
        return rows, calibrate(columns, means, weights=sizes[rows], method=asked["method"], bounds=bounds)
    except ParameterError:
        return None
