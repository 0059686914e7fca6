"""Wording of analyses: quantities, differences in plain sentences, methods and their sources."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypedDict

from django.utils.translation import gettext, gettext_lazy, ngettext

from collector.designs import FEWEST_IN_GROUP, BackgroundQuestion, Design, Text
from estimator.analyses.quantities import (
    CoinKinds,
    Measured,
    Variable,
    of_two,
    question_at,
    randomised_predictors,
)
from estimator.analyses.rows import EDGE, ENOUGH_FOR_NORMAL, MAYBE_EMPTY, WALD, AnalysisRow
from estimator.base import wording
from estimator.base.languages import figures, filled
from estimator.base.measures import TOO_FEW_VALUES
from estimator.runs import targets
from estimator.runs.groups import AND, ENOUGH_TO_WEIGHT, OTHER, STEP, further_answer, label_of_key, other_label

POINTS = wording.Unit(100, 4, gettext_lazy(" percentage points"))
STEPS = wording.Unit(1, 6, "")
RATIO = wording.Unit(1, 4, "")
KINDS = (gettext_lazy("No, by the coin"), gettext_lazy("Yes, by the coin"), gettext_lazy("No, whatever it shows"))
"""The kinds of people that coins of their own tell apart."""
MINUS = "\u2212"
MOST_RATIO = 1000
"""The largest ratio shown; the smallest is a thousandth."""

OPEN = gettext_lazy(
    "The survey was open when this was computed. The intervals are valid for a number of "
    "responses fixed beforehand. They do not cover repeated looks as responses arrive, or "
    "stopping at a convenient result."
)
FLAGS = {
    EDGE: gettext_lazy("at the boundary of the possible values: no finite number"),
    MAYBE_EMPTY: gettext_lazy("too few respondents give this answer to compute shares among them"),
    TOO_FEW_VALUES: gettext_lazy("too few respondents chose a point for a mean"),
}


@dataclass(frozen=True)
class RowDescriber:
    """Describes the rows of an analysis of one design in its survey's language; its parameters name predictors."""

    design: Design
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def language(self) -> str:
        return self.design.language

    def text(self, texts: Text) -> str:
        return texts.get(self.language, "")

    def question(self, position: int) -> str:
        return self.text(self.design.items[position].wording)

    def choice(self, position: int, choice: int) -> str:
        return self.text(self.design.items[position].choices[choice])

    def quantity(self, position: int, choice: int | None) -> str:
        """The label of an estimated quantity."""
        return gettext("Mean") if choice is None else self.choice(position, choice)

    def group(self, key: str) -> str:
        """The label of a group; of all respondents if no key is given."""
        groups = self.design.groups
        if key == OTHER:
            return other_label(self.language)
        named = (self.text(group.label) for group in groups if group.key == key)
        return next(named, "") or label_of_key(self.design, key, self.language) or gettext("All respondents")

    def headed(self, key: str) -> tuple[str, str]:
        """A heading and a label for the group of a key: the background question and the answer, where it has both.

        Of two answers together the first with its question is the heading.
        """
        if AND in key:
            first, second = key.split(AND)
            return self.group(first), self.group(second)
        question, _, answer = key.rpartition("=")
        if not question:
            return "", self.group(key)
        if answer == STEP:
            return self.background_question(question), further_answer(self.language)
        return self.background_question(question), self.background_answer(question, int(answer))

    def placed(self, row: AnalysisRow) -> tuple[str, str]:
        """As `headed`, of the group of a row or of its answer to a randomised predictor."""
        if not row.other_item:
            return self.headed(row.group)
        question, answer, _ = self.answers_compared(row)
        return f"{question} · {self.group(row.group)}" if row.group else question, answer

    def sides(self, row: AnalysisRow) -> tuple[str, str]:
        """What a ratio or difference compares: two groups, or two answers to a randomised predictor."""
        if not row.other_item:
            return self.group(row.group), self.group(row.against)
        question, *answers = self.answers_compared(row)
        within = f" · {self.group(row.group)}" if row.group else ""
        one, first = (f"{question} {answer}{within}" for answer in answers)
        return one, first

    def answers_compared(self, row: AnalysisRow) -> tuple[str, str, str]:
        """The question of a randomised predictor, the answer that a row is of, and the first answer."""
        variable = self.predictors[row.other_item]
        answers = self.answers(variable)
        return self.question(variable.position), answers[row.other_choice or 0], answers[0]

    @cached_property
    def predictors(self) -> Mapping[str, Variable]:
        """The randomised predictors of a regression, by the keys of their questions."""
        found = randomised_predictors(self.design, self.parameters)
        return {self.design.items[one.position].key: one for one in found}

    def background_question(self, key: str) -> str:
        """The wording of a background question, or of several together by their keys."""
        return " × ".join(self.text(self._background(one).wording) for one in key.split(AND))

    def background_answer(self, key: str, answer: int | str) -> str:
        """The wording of an answer to a background question, or to several together, by its number from 1."""
        pairs = zip(key.split(AND), str(answer).split(AND), strict=True)
        return ", ".join(self.text(self._background(one).choices[int(number) - 1]) for one, number in pairs)

    def _background(self, key: str) -> BackgroundQuestion:
        return next(one for one in self.design.background.questions if one.key == key)

    def answers(self, variable: Variable | Measured) -> list[str]:
        """The answers of a variable, by their places; of coins the kinds of people."""
        if isinstance(variable, Measured):
            return [self.text(choice) for choice in self.design.background.questions[variable.question].choices]
        if isinstance(variable, CoinKinds):
            return [str(kind) for kind in KINDS]
        item = self.design.items[variable.position]
        labels = [self.text(choice) for choice in item.choices]
        if variable.choice is None or of_two(item):
            return labels
        return [gettext("Not “{label}”").format(label=labels[variable.choice]), labels[variable.choice]]

    def variable(self, variable: Variable | Measured) -> str:
        """The question of a variable, with its choice if it is one against all others."""
        if isinstance(variable, Measured):
            return self.text(self.design.background.questions[variable.question].wording)
        item = self.design.items[variable.position]
        question = self.question(variable.position)
        if isinstance(variable, CoinKinds):
            return gettext("{question} Who follows the coin").format(question=question)
        whole = variable.choice is None or of_two(item)
        return question if whole else f"{question} {named(self.choice(variable.position, variable.choice or 0))}"

    def unit(self, position: int, choice: int | None) -> wording.Unit:
        """The unit of the differences of a quantity."""
        return STEPS if choice is None and question_at(self.design, position).reports_mean else POINTS


def speaks_of(found: Collection[str]) -> str:
    """A sentence on the population that intervals are for and when they are valid; exceptions are marked."""
    named = gettext(" or, where stated, for ").join(str(text) for key, text in targets.WORDS.items() if key in found)
    return gettext(
        "Intervals include sampling. They are for {named}, and valid if the respondents, or "
        "those of a group, are a simple random sample of it."
    ).format(named=named)


def difference(row: AnalysisRow, one: str, other: str, unit: wording.Unit) -> str:
    """A sentence on whether one is higher or lower than the other, and by how much."""
    low, high = row.low, row.high
    if low is None or high is None:
        return gettext("{one} cannot be compared with {other} yet.").format(one=one, other=other)
    if not row.differs:
        return gettext("The data do not distinguish {one} from {other}: the difference is between {ends}.").format(
            one=one, other=other, ends=_ends(row, low, high, unit)
        )
    near, far = (low, high) if low > 0 else (-high, -low)
    places = _enough_places(row, unit)
    sentence = (
        gettext("{one} is higher than {other} by {span}.")
        if low > 0
        else gettext("{one} is lower than {other} by {span}.")
    )
    return sentence.format(one=one, other=other, span=wording.span(near, far, places, unit))


def change(row: AnalysisRow, before: str, after: str, what: str, unit: wording.Unit) -> str:
    """A sentence on whether a quantity rose or fell from one wave to the next, and by how much."""
    low, high = row.low, row.high
    if low is None or high is None or row.estimate is None or row.level is None:
        return gettext("{after} cannot be compared with {before} yet.").format(after=capital(after), before=before)
    places, level = _enough_places(row, unit), confidence(row.level)
    plain = wording.Unit(unit.factor, unit.most, "")
    if not row.differs:
        ends = _ends(row, low, high, unit)
        return gettext(
            "From {before} to {after}, the data do not show whether {what} changed ({level} CI of "
            "the change: between {ends})."
        ).format(before=before, after=after, what=what, level=level, ends=ends)
    rose = low > 0
    near, far = (low, high) if rose else (-high, -low)
    size = wording.value(abs(row.estimate), places, unit)
    span = wording.span(near, far, places, plain)
    sentence = (
        gettext("From {before} to {after}, {what} rose by {size} ({level} CI {span}).")
        if rose
        else gettext("From {before} to {after}, {what} fell by {size} ({level} CI {span}).")
    )
    return sentence.format(before=before, after=after, what=what, size=size, level=level, span=span)


def no_ratios(n: int, reference: str) -> str:
    """Why there are no odds ratios: the reference group of `n` responses is too small, or all others are."""
    few = gettext("no other group has {enough_for_normal}").format(enough_for_normal=ENOUGH_FOR_NORMAL)
    if n < ENOUGH_FOR_NORMAL:
        message = gettext("{named} has {n} of {enough_for_normal}")
        few = message.format(named=reference, n=n, enough_for_normal=ENOUGH_FOR_NORMAL)
    return gettext("There are no odds ratios yet: {few} responses.").format(few=few)


def odds(row: AnalysisRow, answer: str, one: str, other: str) -> str:
    """A sentence that interprets an odds ratio."""
    if row.low is None or row.high is None:
        return gettext("The odds in {one} cannot be compared with those in {other}: {why}.").format(
            one=one, other=other, why=missing(row)
        )
    low, high = ratio(row.low, up=False), ratio(row.high, up=True)
    if row.low <= 1 <= row.high:
        return gettext(
            "The data do not distinguish {one} from {other}: the odds ratio of {answer} is between {low} and {high}."
        ).format(one=one, other=other, answer=answer, low=low, high=high)
    return gettext("The odds of {answer} in {one} are {low} to {high} times those in {other}.").format(
        answer=answer, one=one, low=low, high=high, other=other
    )


def odds_of_step(row: AnalysisRow, answer: str, question: str) -> str:
    """A sentence that interprets the odds ratio of each further answer to a background question."""
    if row.low is None or row.high is None:
        text = gettext("There is no odds ratio of each further answer to {question}: {why}.")
        return text.format(question=question, why=missing(row))
    low, high = ratio(row.low, up=False), ratio(row.high, up=True)
    if row.low <= 1 <= row.high:
        text = gettext(
            "The data do not show that the odds of {answer} change with each further answer to {question}: the odds "
            "ratio is between {low} and {high}."
        )
    else:
        text = gettext("With each further answer to {question} the odds of {answer} are {low} to {high} times as high.")
    return text.format(answer=answer, question=question, low=low, high=high)


def correlation(row: AnalysisRow) -> str:
    """A sentence on whether two numbers go up together."""
    if row.low is None or row.high is None or row.estimate is None:
        return gettext("There is no correlation: {why}.").format(why=missing(row))
    low, high = (signed(figures(f"{end:.2f}")) for end in outwards(row))
    if not row.differs:
        text = gettext("The data do not show whether the two numbers go together: their correlation is {ends}.")
        return text.format(ends=gettext("between {low} and {high}").format(low=low, high=high))
    text = (
        gettext("Where one number is higher, so is the other: the correlation is {estimate} ({low} to {high}).")
        if row.low > 0
        else gettext("Where one number is higher, the other is lower: the correlation is {estimate} ({low} to {high}).")
    )
    return text.format(estimate=signed(figures(f"{row.estimate:.2f}")), low=low, high=high)


def outwards(row: AnalysisRow) -> tuple[float, float]:
    """The ends of an interval of numbers from -1 to 1, rounded outwards to two places."""
    low, high = row.low or 0.0, row.high or 0.0
    return max(math.floor(low * 100 + 1e-9) / 100, -1.0), min(math.ceil(high * 100 - 1e-9) / 100, 1.0)


def missing(row: AnalysisRow) -> str:
    """The reason why a row has no numbers."""
    known = [FLAGS[flag] for flag in row.flags if flag in FLAGS]
    if known:
        return str(known[0])
    # What has enough for its group to be released, and no number, lacks some for a model.
    minimum = enough_for(row) if row.n < FEWEST_IN_GROUP else max(enough_for(row), ENOUGH_FOR_NORMAL)
    reason = wording.not_enough(row.n, minimum=minimum)
    return reason[0].lower() + reason[1:]


def enough_for(row: AnalysisRow) -> int:
    """The minimum number of reports for the number of a row."""
    if row.weights:
        return ENOUGH_TO_WEIGHT
    return ENOUGH_FOR_NORMAL if row.quantity == "odds_ratio" or AND in row.group else FEWEST_IN_GROUP


def count_with_answer(choice: str, *, several: bool) -> str:
    """The phrase for respondents with this true answer, or with it among several that they ticked."""
    words = gettext("would truthfully tick “{choice}”") if several else gettext("would truthfully answer “{choice}”")
    return words.format(choice=choice)


def places_of(row: AnalysisRow, unit: wording.Unit) -> int:
    return min(wording.decimals(row.standard_error, unit), 2 if unit is POINTS else unit.most)


def _enough_places(row: AnalysisRow, unit: wording.Unit) -> int:
    """The fewest decimals at which the nearer end of an interval is not shown as 0."""
    places, near = places_of(row, unit), min(abs(row.low or 0.0), abs(row.high or 0.0))
    while row.differs and places < unit.most and math.floor(near * unit.factor * 10**places) == 0:
        places += 1
    return places


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def signed(text: str) -> str:
    return text.replace("-", MINUS)


def ratio(number: float, *, up: bool | None = None) -> str:
    """Format a ratio to two significant digits, rounded outwards if it is an end of an interval.

    Beyond a thousand, or a thousandth, more digits would say nothing: only hardly any data lead there.
    """
    if number > MOST_RATIO:
        text = "{most_ratio:,}" if up is False else gettext("over {most_ratio:,}")
        return filled(text, most_ratio=MOST_RATIO)
    if number < 1 / MOST_RATIO:
        return (
            "0"
            if number <= 0 or up is False
            else figures(f"{1 / MOST_RATIO}")
            if up
            else filled(gettext("below {least}"), least=1 / MOST_RATIO)
        )
    places = max(0, 1 - math.floor(math.log10(number)))
    scaled = number * 10**places
    whole = round(scaled) if up is None else math.ceil(scaled - 1e-9) if up else math.floor(scaled + 1e-9)
    return figures(f"{whole / 10**places:,.{places}f}")


def p_value(number: float | None) -> str:
    if number is None:
        return "–"
    return gettext("below 0.001") if number < 0.001 else figures(f"{number:.3f}" if number < 0.1 else f"{number:.2f}")


def confidence(level: float) -> str:
    return figures(f"{100 * level:g}{wording.SPACE}%")


def named(text: str) -> str:
    """In the quotation marks of the language; those within the text become its inner ones."""
    marks = gettext("“{text}”")
    for mark, inner in zip(marks.split("{text}"), gettext("‘{text}’").split("{text}"), strict=True):
        text = text.replace(mark, inner)
    return marks.format(text=text)


def _ends(row: AnalysisRow, low: float, high: float, unit: wording.Unit) -> str:
    least, most = wording.ends(low, high, places_of(row, unit), unit)
    return signed(gettext("{least} and {most}{sign}").format(least=least, most=most, sign=unit.sign))


class Test(TypedDict, total=False):
    """A test as an analysis stores it: by the likelihood ratio, or Wald's where `test` says so."""

    test: str

    statistic: float | None
    degrees_of_freedom: int
    p_value: float | None


def facts(found: Test) -> str:
    """A test in the usual notation."""
    statistic = found["statistic"]
    quoted = "–" if statistic is None else figures(f"{statistic:.2f}")
    freedom = found["degrees_of_freedom"]
    if found.get("test") == WALD:
        return ngettext(
            "Wald statistic {quoted} with {freedom} degree of freedom, p {p_value}",
            "Wald statistic {quoted} with {freedom} degrees of freedom, p {p_value}",
            freedom,
        ).format(quoted=quoted, freedom=freedom, p_value=p_phrase(found["p_value"]))
    return ngettext(
        "likelihood ratio {quoted} with {freedom} degree of freedom, p {p_value}",
        "likelihood ratio {quoted} with {freedom} degrees of freedom, p {p_value}",
        freedom,
    ).format(quoted=quoted, freedom=freedom, p_value=p_phrase(found["p_value"]))


def p_phrase(number: float | None) -> str:
    text = p_value(number)
    return text if number is not None and number < 0.001 else f"= {text}"
