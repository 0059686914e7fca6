"""What the document at /api/schema/ says of the panel's addresses: parameters, every status, the shape of each answer.

The shapes are those that `surveys/planning/showing.py` and the views make; tests/config/test_openapi.py and the fuzzing
hold what is really answered against them.
"""

from collections.abc import Callable, Iterable
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers

from collector.checks import KEY
from estimator.jobs import Job
from surveys.planning.parameters import EXACT, LARGEST_EPSILON, MOST_RESPONDENTS, NAMES
from surveys.questions import KINDS

View = Callable[..., Any]
JSON, HTML, TEXT = "application/json", "text/html", "text/plain"


class RefusalSerializer(serializers.Serializer[Any]):
    """Why there is no answer."""

    detail = serializers.CharField()


class FaultSerializer(serializers.Serializer[Any]):
    """Which field cannot be used, and a sentence with the bound and the value."""

    field = serializers.CharField()
    message = serializers.CharField()


class BadParameterSerializer(serializers.Serializer[Any]):
    error = FaultSerializer()


class RehearsalSerializer(serializers.Serializer[Any]):
    """How far a rehearsal is, and why it failed where it did."""

    state = serializers.ChoiceField(choices=Job.State.choices)
    progress = serializers.IntegerField(min_value=0, max_value=100, help_text="per cent")
    fault = serializers.CharField(allow_blank=True)


class WatchedWordsSerializer(serializers.Serializer[Any]):
    """The numbers that change while one watches, as the page shows them."""

    reports = serializers.CharField()
    waiting = serializers.CharField()
    job = serializers.CharField()
    lacking = serializers.CharField(allow_blank=True)


class WatchedSerializer(serializers.Serializer[Any]):
    words = WatchedWordsSerializer()
    progress = serializers.IntegerField(allow_null=True, min_value=0, max_value=100, help_text="of the run on its way")
    page = serializers.CharField(help_text="changes when more is to be shown than those words")
    results = serializers.CharField(allow_blank=True, help_text="key of the run whose estimates are shown")
    ends = serializers.BooleanField(help_text="whether nothing will change any more by itself")


class TileSerializer(serializers.Serializer[Any]):
    """A number with its name, what it means, and what to mind about it."""

    key = serializers.CharField()
    name = serializers.CharField()
    value = serializers.CharField()
    note = serializers.CharField()
    cautions = serializers.ListField(child=serializers.CharField())


class CandidateSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    times = serializers.FloatField(help_text="as many respondents as the best mechanism needs")


class AdviceSerializer(serializers.Serializer[Any]):
    """The mechanism to take, why, and what it was chosen from, the best first."""

    name = serializers.CharField()
    sentence = serializers.CharField()
    candidates = CandidateSerializer(many=True)


class PartSerializer(serializers.Serializer[Any]):
    """An element of a picture, as SVG has it."""

    tag = serializers.CharField()
    attributes = serializers.DictField(child=serializers.CharField(allow_blank=True))
    text = serializers.CharField(allow_blank=True)


class PictureSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    over = serializers.CharField(help_text="what moves in it")
    title = serializers.CharField()
    description = serializers.CharField()
    parts = PartSerializer(many=True)


class TableSerializer(serializers.Serializer[Any]):
    """The numbers of the curves, as texts; one row a point."""

    key = serializers.CharField()
    caption = serializers.CharField()
    head = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.ListField(child=serializers.CharField(allow_blank=True)))


class PointSerializer(serializers.Serializer[Any]):
    """A point of a curve: `x` is a truth probability, an epsilon or a number of reports. Null: there is none."""

    x = serializers.FloatField(allow_null=True)
    epsilon = serializers.FloatField(allow_null=True)
    width = serializers.FloatField(allow_null=True)
    below = serializers.FloatField(allow_null=True)
    cost = serializers.FloatField(allow_null=True)
    power = serializers.FloatField(allow_null=True)


class CurvesSerializer(serializers.Serializer[Any]):
    setting = PointSerializer(many=True)
    respondents = PointSerializer(many=True)


class NumbersSerializer(serializers.Serializer[Any]):
    """As computed: shares from 0 to 1, means in the answers' unit. Null where there is no finite number."""

    kind = serializers.ChoiceField(choices=list(KINDS))
    mechanism = serializers.ChoiceField(choices=list(NAMES))
    answers = serializers.IntegerField()
    epsilon = serializers.FloatField(allow_null=True)
    odds = serializers.FloatField(allow_null=True)
    odds_exact = serializers.CharField(allow_blank=True)
    respondents = serializers.IntegerField()
    confidence = serializers.FloatField()
    expected = serializers.FloatField(allow_null=True)
    standard_error = serializers.FloatField(allow_null=True)
    interval_width = serializers.FloatField(allow_null=True)
    chance_below = serializers.FloatField(allow_null=True)
    chance_above = serializers.FloatField(allow_null=True)
    direct_n = serializers.FloatField(allow_null=True)
    reports_per_direct_answer = serializers.FloatField(allow_null=True)
    margin = serializers.FloatField(allow_null=True)
    respondents_for_margin = serializers.IntegerField()
    against = serializers.FloatField(allow_null=True)
    second = serializers.IntegerField()
    power = serializers.FloatField(allow_null=True)
    respondents_for_power = serializers.IntegerField(allow_null=True)
    exact = serializers.BooleanField()


class PlanSerializer(serializers.Serializer[Any]):
    """The plan of one question."""

    truth = serializers.CharField(allow_blank=True)
    epsilon = serializers.CharField()
    summary = serializers.CharField()
    numbers = NumbersSerializer()
    tiles = TileSerializer(many=True)
    advice = AdviceSerializer()
    pictures = PictureSerializer(many=True)
    tables = TableSerializer(many=True)
    curves = CurvesSerializer()


class LineSerializer(serializers.Serializer[Any]):
    """A question in the table of all of them; `fault` says why it cannot be planned."""

    key = serializers.CharField()
    wording = serializers.CharField()
    chosen = serializers.BooleanField()
    epsilon = serializers.CharField(allow_blank=True)
    odds = serializers.CharField(allow_blank=True)
    width = serializers.CharField(allow_blank=True)
    below = serializers.CharField(allow_blank=True)
    direct = serializers.CharField(allow_blank=True)
    fault = serializers.CharField(allow_blank=True)


class TotalSerializer(serializers.Serializer[Any]):
    """All questions together, as they are written and with the slider where it stands."""

    epsilon = serializers.FloatField(allow_null=True)
    text = serializers.CharField()
    odds = serializers.CharField()
    written = serializers.CharField()
    below = serializers.CharField()
    caution = serializers.CharField(allow_blank=True)


class SurveyPlanSerializer(serializers.Serializer[Any]):
    item = serializers.CharField(allow_null=True, help_text="key of the chosen question")
    questions = LineSerializer(many=True)
    total = TotalSerializer()
    plan = PlanSerializer(allow_null=True, help_text="of the chosen question; null where it cannot be planned")


def _query(name: str, said: str, **schema: Any) -> OpenApiParameter:
    return OpenApiParameter(name, {"type": "number"} | schema, OpenApiParameter.QUERY, description=said)


def _text(name: str, said: str, **schema: Any) -> OpenApiParameter:
    return _query(name, said, type="string", **schema)


def _whole(name: str, said: str, low: int, high: int) -> OpenApiParameter:
    return _query(name, said, type="integer", minimum=low, maximum=high)


ABOUT_A_QUESTION = [
    _text("truth", "Truth probability, like 1/2 or 0.35; more than 0 and less than 1.", pattern=f"^{EXACT.pattern}$"),
    _query("epsilon", "In place of a truth probability.", minimum=0.01, maximum=LARGEST_EPSILON),
    _text("by", "Which of the two counts where both are said.", enum=["truth", "epsilon"]),
    _query("share", "Expected share of the choice, in per cent.", minimum=0, maximum=100),
    _query("mean", "Expected mean of numbers.", minimum=-1e9, maximum=1e9),
    _query("spread", "Expected standard deviation of numbers.", minimum=0, maximum=1e9),
    _query("margin", "Wanted plus and minus, in per cent or in the answers' unit.", minimum=0.001, maximum=1e9),
    _query("against", "Share or mean of another group.", minimum=-1e9, maximum=1e9),
    _whole("respondents", "Reports.", 10, MOST_RESPONDENTS),
    _whole("second", "Reports of the other group.", 10, MOST_RESPONDENTS),
    _query("confidence", "Of the interval, in per cent.", minimum=50, maximum=99.9),
]
ABOUT_A_FREE_QUESTION = [
    _text("kind", "Kind of the question.", enum=list(KINDS)),
    _text("mechanism", "One that the kind can have.", enum=[name for name in NAMES if name != "custom"]),
    _whole("choices", "How many choices it has.", 2, 256),
    _whole("most", "How many of several choices may be ticked.", 1, 255),
    _text("minimum", "Of a number: the least answer.", pattern=r"^-?[0-9]{1,9}(\.[0-9]{1,6})?$"),
    _text("maximum", "Of a number: the greatest answer.", pattern=r"^-?[0-9]{1,9}(\.[0-9]{1,6})?$"),
    _text("step", "Of a number: from one answer to the next.", pattern=r"^[0-9]{1,9}(\.[0-9]{1,6})?$"),
]
ITEM = _text("item", "Key of the question whose slider is moved.", pattern=f"^{KEY.pattern}$")
TAG = OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description="The ETag of the last answer.")

BAD_PARAMETER = OpenApiResponse(BadParameterSerializer, "A parameter that cannot be used, and why.")
UNCHANGED = OpenApiResponse(None, "Nothing has changed since that ETag.")
NO_ACCEPT = OpenApiResponse(RefusalSerializer, "The Accept header leaves out JSON.")
REFUSED: dict[Any, OpenApiResponse] = {
    403: OpenApiResponse(RefusalSerializer, "Nobody on the staff is signed in, or a second factor is still asked for."),
    (404, JSON): OpenApiResponse(RefusalSerializer, "There is none, or it belongs to a team of others."),
    (404, HTML): OpenApiResponse(OpenApiTypes.STR, "This is no address."),
    406: NO_ACCEPT,
    (429, TEXT): OpenApiResponse(OpenApiTypes.STR, "Too many requests; Retry-After says when to try again."),
    (503, TEXT): OpenApiResponse(OpenApiTypes.STR, "The database is away; Retry-After says when to try again."),
}


def described(
    summary: str,
    shape: Any,
    *,
    parameters: Iterable[OpenApiParameter] = (),
    others: dict[int, OpenApiResponse] | None = None,
    about_nothing: bool = False,
) -> Callable[[View], View]:
    """Say in the document what a GET answers with; `about_nothing`: its address names nothing that could be missing."""
    refused = {key: said for key, said in REFUSED.items() if not about_nothing or key not in ((404, JSON), (404, HTML))}
    answered = {200: OpenApiResponse(shape, "As it stands now.")}
    decorator: Callable[[View], View] = extend_schema(
        summary=summary, parameters=[*parameters], responses=answered | (others or {}) | refused
    )
    return decorator
