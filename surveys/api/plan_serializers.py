"""Serializers that describe the planner in /api/schema/: its parameters, and the shape of its reply.

The shapes are those that `surveys/planning/presentation.py` makes; tests/config/test_openapi.py and the fuzzing hold
what is really answered against them.
"""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from estimator.base.mechanisms import REGISTRY
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
    mechanism = serializers.ChoiceField(choices=list(REGISTRY))
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
    fresh = serializers.CharField(help_text="waves that fit under the ceiling where each is drawn anew")
    remember = serializers.CharField(help_text="waves that fit where devices remember their tickets")


class SurveyPlanSerializer(serializers.Serializer[Any]):
    item = serializers.CharField(allow_null=True, help_text="key of the chosen question")
    questions = LineSerializer(many=True)
    total = TotalSerializer()
    plan = PlanSerializer(allow_null=True, help_text="of the chosen question; null where it cannot be planned")


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
