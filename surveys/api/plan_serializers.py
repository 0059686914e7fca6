"""The planner's parameters and replies, as documented in /api/schema/.

The fuzzing holds what is really answered against them.
"""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from estimator.base.mechanisms import REGISTRY
from estimator.base.verdict import Verdict
from surveys.api.base import FiniteField
from surveys.api.openapi import parameter
from surveys.definition.mechanisms import KINDS
from surveys.planning.parameters import Field


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
    """A point of a curve: `x` is a truth probability, an epsilon or a number of responses. Null: there is none."""

    x = FiniteField(allow_null=True)
    epsilon = FiniteField(allow_null=True)
    width = FiniteField(allow_null=True)
    below = FiniteField(allow_null=True)
    cost = FiniteField(allow_null=True)
    power = FiniteField(allow_null=True)


class CurvesSerializer(serializers.Serializer[Any]):
    setting = PointSerializer(many=True)
    respondents = PointSerializer(many=True)


class NumbersSerializer(serializers.Serializer[Any]):
    """As computed: shares from 0 to 1, means in the answers' unit. Null where there is no finite number."""

    kind = serializers.ChoiceField(choices=list(KINDS), source="question.kind")
    mechanism = serializers.ChoiceField(choices=list(REGISTRY), source="question.name")
    answers = serializers.IntegerField(source="question.answers")
    epsilon = FiniteField(allow_null=True)
    odds = FiniteField(allow_null=True, source="ratio")
    odds_exact = serializers.CharField(allow_blank=True)
    respondents = serializers.IntegerField(source="ahead.n")
    confidence = serializers.FloatField(source="ahead.confidence")
    expected = FiniteField(allow_null=True, source="ahead.expected")
    standard_error = FiniteField(allow_null=True, source="ahead.standard_error")
    interval_width = FiniteField(allow_null=True, source="ahead.width")
    half_width = FiniteField(allow_null=True, source="precision.half_width")
    verdict = serializers.ChoiceField(choices=list(Verdict), source="precision.verdict")
    chance_below = FiniteField(allow_null=True, source="ahead.below")
    chance_above = FiniteField(allow_null=True, source="ahead.above")
    direct_n = FiniteField(allow_null=True, source="ahead.direct_n")
    reports_per_direct_answer = FiniteField(allow_null=True, source="ahead.cost")
    margin = FiniteField(allow_null=True)
    respondents_for_margin = serializers.IntegerField(source="needed")
    against = FiniteField(allow_null=True, source="comparison.against")
    second = serializers.IntegerField(source="comparison.second")
    power = FiniteField(allow_null=True, source="comparison.power")
    respondents_for_power = serializers.IntegerField(allow_null=True, source="comparison.needed")
    exact = serializers.BooleanField(source="ahead.exact")


class PlanSerializer(serializers.Serializer[Any]):
    """The plan of one question."""

    truth = serializers.CharField(allow_blank=True)
    epsilon = serializers.CharField()
    summary = serializers.CharField()
    numbers = NumbersSerializer(source="found")
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
    width = serializers.CharField(allow_blank=True, help_text="half of the expected interval, with ±, in words")
    verdict = serializers.CharField(allow_blank=True, help_text="how precise the estimate is expected to be, in words")
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
    fresh = serializers.CharField(help_text="waves that fit under the ceiling where each is drawn anew")
    remember = serializers.CharField(help_text="waves that fit where devices remember their tickets")


class SurveyPlanSerializer(serializers.Serializer[Any]):
    item = serializers.CharField(allow_null=True, source="chosen.key", help_text="key of the chosen question")
    questions = LineSerializer(many=True, source="lines")
    total = TotalSerializer()
    plan = PlanSerializer(
        allow_null=True, source="showing", help_text="of the chosen question; null where it cannot be planned"
    )


SAID = {
    "item": "Key of the question whose slider is moved.",
    "truth": "Truth probability, like 1/2 or 0.35; more than 0 and less than 1.",
    "epsilon": "In place of a truth probability.",
    "by": "Which of the two counts where both are said.",
    "share": "Expected share of the choice, in per cent.",
    "mean": "Expected mean of numbers.",
    "spread": "Expected standard deviation of numbers.",
    "margin": "Wanted plus and minus, in per cent or in the answers' unit.",
    "against": "Share or mean of another group.",
    "respondents": "Reports.",
    "second": "Reports of the other group.",
    "confidence": "Of the interval, in per cent.",
    "kind": "Kind of the question.",
    "mechanism": "One that the kind can have.",
    "choices": "How many choices it has.",
    "most": "How many of several choices may be ticked.",
    "minimum": "Of a number: the least answer.",
    "maximum": "Of a number: the greatest answer.",
    "step": "Of a number: from one answer to the next.",
}


def described(fields: Mapping[str, Field]) -> list[OpenApiParameter]:
    """The parameters of a plan, for the API document."""
    return [parameter(name, SAID[name], **field.schema) for name, field in fields.items()]
