"""Quantities of analyses: the share of a choice or a mean, and variables for rows and columns of tables.

Forms and addresses name them by tokens: `mood:mean`, `mood:2` (the choice of that place), `mood` (all its choices),
`mood:coin` (who follows a coin of one's own). Background questions have keys of their own: `age`, or `age:steps` where
its answers count as numbers.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import lcm
from typing import Any

from django.utils.translation import gettext

from collector.designs import Design, Item
from estimator.base.questions import question_of
from randomized_response import Channel, EachOption, Question, SubsetSelection, UnaryEncoding
from randomized_response.means import scores_of

Weights = tuple[tuple[int, ...], ...]
MEAN = "mean"
COIN = "coin"
"""After the key of a question: who follows the coin of one's own that versions of the page have people toss."""
STEPS = "steps"
"""After the key of a background question, or as the value of a predictor: its answers count 0, 1, 2, ..., in order."""
MOST_ANSWERS = 12
"""Of a question that is regressed with all its choices."""


class AnalysisError(Exception):
    """The analysis cannot be made; the message says why, for the person who asked."""


@dataclass(frozen=True)
class Quantity:
    """The share of one choice of an item, or its mean where `choice` is None."""

    position: int
    choice: int | None


@dataclass(frozen=True)
class Variable:
    """A categorical variable: reports of one symbol, drawn through `channel`.

    - `position`: of the item in the design.
    - `choice`: where it stands: the answers are "another" (0) and this choice (1). Else the answers are the item's
      choices.
    - `column`: which symbol of a report it is.
    - `codes`: for each value of the symbol the report that the channel knows it by.
    """

    position: int
    choice: int | None
    column: int
    codes: tuple[int, ...]
    channel: Channel

    @property
    def reports(self) -> int:
        """The number of reports that the channel knows."""
        return self.channel.reports


@dataclass(frozen=True)
class CoinKinds(Variable):
    """Kinds of people that coins of their own tell apart: No by the coin, Yes by the coin, and No whatever it shows.

    Coins tell them apart together (Clark & Desharnais 1998), so a report is one of so many for each coin, and `channel`
    has them all: which coin somebody was told to toss says nothing of her, so its constant chance changes no maximum.

    - `asked`: the positions of the items that the coins are tossed for, one of them by each version.
    - `arms`: for each version with a coin the place in `asked`, and the first report of its coin.
    """

    asked: tuple[int, ...]
    arms: Mapping[int, tuple[int, int]]


@dataclass(frozen=True)
class Measured:
    """A background question as a variable: its answers are told openly.

    - `question`: its place among the background questions.
    - `answers`: the places of those that count; in steps without "prefer not to say", which has no number.
    - `stepped`: whether they count as numbers.
    """

    question: int
    answers: tuple[int, ...]
    stepped: bool


@dataclass(frozen=True)
class Score:
    """A number as the outcome of a regression: each report stands for its unbiased value.

    `scores` are these values, whose mean over the draw is the true one; `position` and `column` as of a variable.
    """

    position: int
    column: int
    scores: tuple[float, ...]

    choice: None = None

    @property
    def codes(self) -> tuple[int, ...]:
        return tuple(range(len(self.scores)))

    @property
    def reports(self) -> int:
        return len(self.scores)


def item_of(design: Design, key: str) -> int:
    """The position of the item with this key."""
    for position, item in enumerate(design.items):
        if item.key == key:
            return position
    raise AnalysisError(gettext("Choose a question of this survey."))


def quantity_of(design: Design, token: str) -> Quantity:
    """The quantity that a token names; AnalysisError where the question has none like it."""
    key, _, part = token.partition(":")
    position = item_of(design, key)
    question = question_at(design, position)
    if part == MEAN and question.reports_mean:
        return Quantity(position, None)
    if question.fits_shares:
        return Quantity(position, _choice(design, position, part))
    raise AnalysisError(gettext("Only the mean of a number can be estimated; choose the mean."))


def require_released(design: Design, token: str) -> None:
    """Refuse a token for shares of a scale of which only the mean is released."""
    key, _, part = token.partition(":")
    position = item_of(design, key)
    item, question = design.items[position], question_at(design, position)
    if part != MEAN and question.fits_shares and not question.reports_shares:
        raise AnalysisError(
            gettext(
                "Only the mean of “{wording}” is estimated: with discrete Laplace noise the shares of "
                "its points are too uncertain. Its mean can be compared."
            ).format(wording=item.wording[design.language])
        )


def quantities_of(design: Design, position: int) -> Iterator[str]:
    """Yield the tokens of all quantities released for an item; of two answers only the second."""
    item, question = design.items[position], question_at(design, position)
    if question.reports_mean:
        yield f"{item.key}:{MEAN}"
    if question.reports_shares:
        choices = range(len(item.choices))
        yield from (f"{item.key}:{choice}" for choice in (choices if not of_two(item) else [1]))


def variable_of(design: Design, token: str, *, binary: bool = False) -> Variable:
    """The variable that a token names, with two answers if `binary`.

    Raises AnalysisError: where its reports do not tell it, with the reason.
    """
    key, _, part = token.partition(":")
    position = item_of(design, key)
    item, question = design.items[position], question_at(design, position)
    if not question.fits_shares:
        raise AnalysisError(
            gettext(
                "A number cannot be used in a cross table or a regression: its responses allow only "
                "the mean to be estimated."
            )
        )
    mechanism, start = question.mechanism, design.fields[position].start
    if part:
        return _of_choice(position, _choice(design, position, part), start, mechanism)
    if not isinstance(mechanism, Channel):
        raise AnalysisError(
            gettext(
                "The responses to this question are marks, one for each choice, and a table needs one "
                "answer: choose one choice, which is then compared with all others."
            )
        )
    if binary and mechanism.answers != 2:
        raise AnalysisError(
            gettext(
                "A logistic regression needs two answers: choose one choice, which is then compared with all others."
            )
        )
    choice = 1 if of_two(item) else None
    return Variable(position, choice, start, tuple(range(mechanism.reports)), mechanism)


def randomised_predictors(design: Design, parameters: Mapping[str, Any]) -> list[Variable]:
    """The randomised answers that are predictors of a regression."""
    tokens = [parameters["answer"], *parameters.get("further_answers", ())] if "answer" in parameters else []
    return [variable_of(design, token) for token in tokens]


def measured_of(design: Design, token: str) -> Measured | None:
    """The background question that a token names; None for another token."""
    key, _, part = token.partition(":")
    for place, question in enumerate(design.background.questions):
        if question.key == key and question in design.background.asked and part in ("", STEPS):
            stepped = part == STEPS
            return Measured(place, question.offered if stepped else question.everyone, stepped)
    return None


def sides_of(design: Design, parameters: Mapping[str, Any]) -> tuple[Variable | Measured, Variable]:
    """The two variables of a cross-table."""
    first = measured_of(design, parameters["rows"]) or variable_of(design, parameters["rows"])
    return first, variable_of(design, parameters["columns"])


def values_of(design: Design, variable: Variable) -> tuple[float, ...] | None:
    """The numbers that the answers of a variable stand for; None where some have none, as those of a choice."""
    if variable.channel.answers == 2:
        return (0.0, 1.0)
    values = question_at(design, variable.position).values
    known = tuple(value for value in values if value is not None)
    return known if known and len(known) == len(values) else None


def coins_differ(one: Weights, other: Weights) -> bool:
    """Whether two coins tell more together than one: their chances of a Yes are in different proportions."""
    (a, b), (c, d) = ([yes for _no, yes in table] for table in (one, other))
    return a * d != b * c


def coin_kinds(design: Design, position: int) -> CoinKinds | None:
    """Who follows the coin of an item; None without two versions whose coins differ."""
    item, arms = design.items[position], design.background.arms
    if not of_two(item) or any(item.key in arm.instead.values() for arm in arms):
        return None
    coins, tossed = list[Weights](), dict[int, tuple[int, int]]()
    for number, arm in enumerate(arms):
        place = item_of(design, arm.instead.get(item.key, item.key))
        mechanism = question_at(design, place).mechanism
        if arm.own_coin and isinstance(mechanism, Channel) and mechanism.answers == mechanism.reports == 2:
            coins += [mechanism.weights] * (mechanism.weights not in coins)
            tossed[number] = (place, coins.index(mechanism.weights))
    if not any(coins_differ(*pair) for pair in combinations(coins, 2)):
        return None
    tickets = lcm(*(sum(table[0]) for table in coins))
    scaled = [[[entry * tickets // sum(row) for entry in row] for row in table] for table in coins]
    rows = [[entry for table in scaled for entry in table[answer]] for answer in (0, 1)]
    channel = Channel((tuple(rows[0]), tuple(rows[1]), (tickets, 0) * len(coins)))
    asked = tuple(sorted({place for place, _ in tossed.values()}))
    by_arm = {arm: (asked.index(place), 2 * coin) for arm, (place, coin) in tossed.items()}
    codes = tuple(range(channel.reports))
    return CoinKinds(position, None, design.fields[position].start, codes, channel, asked, by_arm)


def outcome_of(design: Design, token: str) -> Variable | Score:
    """The outcome of a regression on background questions: a variable, a mean, or who follows a coin.

    A variable has two answers, or at most `MOST_ANSWERS`. AnalysisError says why there is none.
    """
    if token.endswith(f":{COIN}"):
        kinds = coin_kinds(design, item_of(design, token.partition(":")[0]))
        if kinds is None:
            raise AnalysisError(gettext("Who follows a coin is told by two versions of the page whose coins differ."))
        return kinds
    if token.partition(":")[2] != MEAN:
        variable = variable_of(design, token)
        if variable.channel.answers > MOST_ANSWERS:
            text = gettext("A regression of all choices needs a question with at most {most}; this one has {count}.")
            raise AnalysisError(text.format(most=MOST_ANSWERS, count=variable.channel.answers))
        return variable
    position = quantity_of(design, token).position
    question = question_at(design, position)
    if not isinstance(question.mechanism, Channel) or None in question.values:
        raise AnalysisError(
            gettext(
                "The mean of this question cannot be regressed: some of those who answer it have no number, such as "
                "those who prefer not to say."
            )
        )
    values = [value for value in question.values if value is not None]
    scores = tuple(scores_of(question.mechanism, values).tolist())
    return Score(position, design.fields[position].start, scores)


def outcomes_of(design: Design, position: int) -> Iterator[str]:
    """The tokens of the outcomes of an item: its mean, its variables, who follows its coin."""
    key = design.items[position].key
    for token in (f"{key}:{MEAN}", *variables_of(design, position), f"{key}:{COIN}"):
        try:
            outcome_of(design, token)
        except AnalysisError:
            continue
        yield token


def variables_of(design: Design, position: int, *, binary: bool = False) -> Iterator[str]:
    """The tokens of the variables of an item; none if its shares are not released."""
    item = design.items[position]
    if not question_at(design, position).reports_shares:
        return
    tokens = [item.key, *(f"{item.key}:{choice}" for choice in range(len(item.choices)))]
    for token in tokens[:1] if of_two(item) else tokens:
        try:
            variable_of(design, token, binary=binary)
        except AnalysisError:
            continue
        yield token


def of_two(item: Item) -> bool:
    """Return True if an item has two exclusive answers, so that the second determines the first."""
    return len(item.choices) == 2 and item.kind != "several_choices" and item.encoding == "single"


def question_at(design: Design, position: int) -> Question:
    return question_of(design.items[position])


def _choice(design: Design, position: int, part: str) -> int:
    choices = design.items[position].choices
    if not (part.isascii() and part.isdecimal() and int(part) < len(choices)):
        raise AnalysisError(gettext("Choose one choice of the question."))
    return int(part)


def _of_choice(
    position: int, choice: int, start: int, mechanism: Channel | UnaryEncoding | SubsetSelection | EachOption
) -> Variable:
    """One choice against all others: exact if every other answer sends it with equal probability."""
    if isinstance(mechanism, EachOption):
        return Variable(position, choice, start + choice, (0, 1), mechanism.channel)
    if not isinstance(mechanism, Channel):
        return Variable(position, choice, start + choice, (0, 1), mechanism.bit)
    if mechanism.background is None:
        raise AnalysisError(
            gettext(
                "One choice of this question cannot be compared with all others: how often a response "
                "reports it depends on which other answer is true. Choose the whole question."
            )
        )
    low = int(mechanism.background[choice])
    high, tickets = low + mechanism.gain, mechanism.denominator
    channel = Channel(((tickets - low, low), (tickets - high, high)))
    codes = tuple(int(symbol == choice) for symbol in range(mechanism.reports))
    return Variable(position, choice, start, codes, channel)
