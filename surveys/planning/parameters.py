"""Strict parsing of the planner's query: every field has a form and bounds, and an error names all three."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypedDict, cast

from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from collector.designs import Kind
from collector.designs.checks import KEY
from collector.errors import InputError, ValidationError
from estimator.base.languages import filled
from estimator.base.mechanisms import LARGEST_EPSILON, REGISTRY
from randomized_response import ParameterError
from surveys.definition.mechanisms import KINDS, MECHANISMS
from surveys.definition.numerals import plain_number, plain_percent
from surveys.planning.question import AS_USUAL, WRITTEN, ExpectedAnswers, PlannedQuestion, Setting, free_question

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


EXACT = re.compile(r"[0-9]{1,9}(/[0-9]{1,9}|\.[0-9]{1,9})?")
DECIMAL = re.compile(r"-?[0-9]{1,10}(\.[0-9]{1,17})?")
"""Decimal numbers, with as many digits as a program writes for one."""
WHOLE = re.compile(r"[0-9]{1,9}")
MOST_RESPONDENTS = 10_000_000

PLANNED = tuple(name for name in REGISTRY if name != "custom")
"""The mechanisms that can be planned for a question in no survey: all that have a parameter to change."""


@dataclass(frozen=True)
class Field:
    """A parameter of the query: how its text is read, given its name for errors, and its type in JSON Schema."""

    read: Callable[[str, str], Any]
    schema: Mapping[str, Any]


def _whole(low: int, high: int) -> Field:
    def read(value: str, field: str) -> int:
        if not WHOLE.fullmatch(value) or not low <= int(value) <= high:
            raise InputError(
                field,
                filled(
                    gettext("{field} must be a whole number from {low:,} to {high:,}; got {value}"),
                    field=field,
                    low=low,
                    high=high,
                    value=value,
                ),
            )
        return int(value)

    return Field(read, {"type": "integer", "minimum": low, "maximum": high})


NUMBER, PERCENT = gettext_lazy("a number"), gettext_lazy("a percentage")


def _decimal(low: float, high: float, what: "StrOrPromise" = NUMBER) -> Field:
    def read(value: str, field: str) -> float:
        if not DECIMAL.fullmatch(value) or not low <= float(value) <= high:
            raise InputError(
                field,
                filled(
                    gettext("{field} must be {what} from {low:g} to {high:g}; got {value}"),
                    field=field,
                    what=what,
                    low=low,
                    high=high,
                    value=value,
                ),
            )
        return float(value)

    return Field(read, {"type": "number", "minimum": low, "maximum": high})


def _one_of(*names: str) -> Field:
    def read(value: str, field: str) -> str:
        if value not in names:
            raise InputError(
                field,
                gettext("{field} must be one of {names}; got {value}").format(
                    field=field, names=", ".join(names), value=value
                ),
            )
        return value

    return Field(read, {"type": "string", "enum": list(names)})


def _truth(value: str, field: str) -> Fraction:
    if not EXACT.fullmatch(value) or (value.partition("/")[2].strip("0") == "" and "/" in value):
        raise InputError(
            field,
            gettext("{field} must be a fraction such as 1/2 or 0.35; got {value}").format(field=field, value=value),
        )
    truth = Fraction(value)
    if not 0 < truth < 1:
        raise InputError(
            field,
            gettext("{field} must be greater than 0 and less than 1; got {value}").format(field=field, value=value),
        )
    return truth


def _grid(value: str, field: str) -> str:
    if not DECIMAL.fullmatch(value):
        raise InputError(
            field, gettext("{field} must be a decimal number such as 0.5; got {value}").format(field=field, value=value)
        )
    return value


IN_PERCENT = {"share", "confidence"}
ANSWER = _decimal(-1e9, 1e9)
GRID = Field(_grid, {"type": "string", "pattern": r"^-?[0-9]{1,9}(\.[0-9]{1,6})?$"})
ABOUT_A_QUESTION = {
    "truth": Field(_truth, {"type": "string", "pattern": f"^{EXACT.pattern}$"}),
    "epsilon": _decimal(0.01, LARGEST_EPSILON),
    "by": _one_of("truth", "epsilon"),
    "share": _decimal(0, 100, PERCENT),
    "mean": ANSWER,
    "spread": _decimal(0, 1e9),
    "margin": _decimal(0.001, 1e9),
    "against": ANSWER,
    "respondents": _whole(10, MOST_RESPONDENTS),
    "second": _whole(10, MOST_RESPONDENTS),
    "confidence": _decimal(50, 99.9, PERCENT),
}
ITEM = Field(lambda value, field: value, {"type": "string", "pattern": f"^{KEY.pattern}$"})
ABOUT_A_SURVEY = ABOUT_A_QUESTION | {"item": ITEM}
ABOUT_A_FREE_QUESTION = {
    "kind": _one_of(*KINDS),
    "mechanism": _one_of(*PLANNED),
    "choices": _whole(2, 256),
    "most": _whole(1, 255),
    "minimum": GRID,
    "maximum": GRID,
    "step": Field(_grid, {"type": "string", "pattern": r"^[0-9]{1,9}(\.[0-9]{1,6})?$"}),
    **ABOUT_A_QUESTION,
}


@dataclass(frozen=True)
class PlanParameters:
    """The parameters besides the question itself. Shares and confidence in [0, 1]; None where not given."""

    setting: Setting = WRITTEN
    expected: ExpectedAnswers = AS_USUAL
    respondents: int = 1000
    second: int | None = None
    confidence: float = 0.95
    margin: float | None = None
    against: float | None = None


class Query(TypedDict, total=False):
    """What an address says, read; shares and the confidence are in per cent."""

    item: str
    kind: Kind
    mechanism: str
    choices: int
    minimum: str
    maximum: str
    step: str
    most: int
    by: str
    truth: Fraction
    epsilon: float
    share: float
    mean: float
    spread: float
    respondents: int
    second: int
    confidence: float
    margin: float
    against: float


def free(query: QueryDict) -> tuple[PlannedQuestion, PlanParameters]:
    """A question that is in no survey, and the parameters of its plan. Raises InputError."""
    values = _read(query, ABOUT_A_FREE_QUESTION)
    kind = values.get("kind", "yes_no")
    names = [name for name in MECHANISMS[kind] if name in PLANNED]
    name = values.get("mechanism", names[0])
    if name not in names:
        raise InputError(
            "mechanism",
            gettext("mechanism must be {names} for {kind}; got {name}").format(
                names=" or ".join(names), kind=kind, name=name
            ),
        )
    choices = 2 if kind == "yes_no" else values.get("choices", 5)
    grid = values.get("minimum", "0"), values.get("maximum", "10"), values.get("step", "1")
    try:
        question = free_question(kind, name, choices=choices, grid=grid, most=_most(values, kind, choices))
    except (ParameterError, ValidationError) as error:
        raise _input_error(error, "minimum") from None
    return question, _wanted(question, values, question.usual)


def of_item(query: QueryDict, question: PlannedQuestion) -> PlanParameters:
    """The parameters for a draft's question; its setting as written if the slider was not moved."""
    return _wanted(question, _read(query, ABOUT_A_SURVEY), WRITTEN)


def of_survey(query: QueryDict) -> Query:
    """The key of the question whose slider is moved, and the other parameters. Raises InputError."""
    return _read(query, ABOUT_A_SURVEY)


def _read(query: QueryDict, fields: Mapping[str, Field]) -> Query:
    """Parse the fields, each at most once; an empty one is ignored."""
    for name in query:
        if name not in fields:
            raise InputError(
                name[:40],
                gettext("{name} is not a parameter; known are {fields}").format(
                    name=name[:40], fields=", ".join(fields)
                ),
            )
        if len(query.getlist(name)) > 1:
            raise InputError(
                name,
                gettext("{name} must be given once; got it {count} times").format(
                    name=name, count=len(query.getlist(name))
                ),
            )
    values = {name: _plain(name, str(query[name]).strip()[:40]) for name in query}
    return cast("Query", {name: fields[name].read(value, name) for name, value in values.items() if value})


def _plain(name: str, written: str) -> str:
    """A number in plain digits; every other text as it stands."""
    return plain_percent(written) if name in IN_PERCENT else plain_number(written)


def _wanted(question: PlannedQuestion, values: Query, otherwise: Setting) -> PlanParameters:
    share = values.get("share", 20.0) / 100
    wanted = PlanParameters(
        _setting(question, values, otherwise),
        ExpectedAnswers(share, values.get("mean"), values.get("spread")),
        values.get("respondents", 1000),
        values.get("second"),
        values.get("confidence", 95.0) / 100,
        values.get("margin"),
        values.get("against"),
    )
    _check_against(question, values.get("against"))
    try:
        question.shares(wanted.expected)
        question.at(wanted.setting)
    except (ParameterError, ValidationError) as error:
        raise _input_error(error, "truth") from None
    return wanted


def _check_against(question: PlannedQuestion, against: float | None) -> None:
    """Require a share in per cent, or a mean inside the answers' range."""
    low, high = (question.values[0], question.values[-1]) if question.values else (0.0, 100.0)
    inside = against is None or (low < against < high if question.values else low <= against <= high)
    if not inside:
        raise InputError(
            "against",
            filled(
                gettext("against must be a number from {low:g} to {high:g}; got {against:g}"),
                low=low,
                high=high,
                against=against,
            ),
        )


def _setting(question: PlannedQuestion, values: Query, otherwise: Setting) -> Setting:
    """The setting, by `truth` if the mechanism has one and `by` is not epsilon."""
    by = "epsilon" if not question.by_truth else values.get("by", "truth" if "truth" in values else "epsilon")
    if by not in values or question.fixed:
        return otherwise
    return Setting(truth=values["truth"]) if by == "truth" else Setting(epsilon=values["epsilon"])


def _most(values: Query, kind: str, choices: int) -> int | None:
    most = values.get("most")
    if kind == "several_choices" and most is not None and most >= choices:
        raise InputError(
            "most",
            gettext("most must be less than the {choices} choices; got {most}").format(choices=choices, most=most),
        )
    return most


def _input_error(error: ParameterError | ValidationError, otherwise: str) -> InputError:
    """An error of the mechanism, at the field of the same name where there is one."""
    if isinstance(error, ParameterError):
        name, sentence = error.name, str(error)
    else:  # of the range of a number
        name, sentence = str(error.path[-1]), error.sentence(error.path[-1:])
    return InputError(name if name in ABOUT_A_FREE_QUESTION else otherwise, sentence)
