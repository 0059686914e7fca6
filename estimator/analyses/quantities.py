"""Quantities of analyses: the share of a choice or a mean, and variables for rows and columns of tables.

Forms and addresses name them by tokens: `mood:mean`, `mood:2` (the choice of that place), `mood` (all its choices).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext

from collector.designs import Design, Item
from estimator.base.questions import question_of
from randomized_response import Channel, EachOption, Question, SubsetSelection, UnaryEncoding
from randomized_response.means import scores_of

MEAN = "mean"
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


def outcome_of(design: Design, token: str) -> Variable | Score:
    """The outcome of a regression on background questions: a variable or a mean. AnalysisError says why there is none.

    A variable has two answers, or at most `MOST_ANSWERS`.
    """
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
    """The tokens of the outcomes of an item: its mean, then its variables."""
    for token in (f"{design.items[position].key}:{MEAN}", *variables_of(design, position)):
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
