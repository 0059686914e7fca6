"""The privacy budget for programs: what respondents may have spent, wave by wave."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.accounts.access import get_survey_or_404
from surveys.api.base import View, serialized
from surveys.api.openapi import read
from surveys.lifecycle.budget import budget_of, budget_sentences


class SumSerializer(serializers.Serializer[Any]):
    """Between two bounds: least where no remembered answer changed, most where all that could did."""

    least = serializers.FloatField(help_text="epsilon, rounded up")
    most = serializers.FloatField(help_text="epsilon, rounded up")
    odds = serializers.CharField(help_text="e^epsilon of the most, as a fraction")


class SpendSerializer(serializers.Serializer[Any]):
    """A question in one wave."""

    item = serializers.CharField()
    odds = serializers.CharField(help_text="e^epsilon of its responses alone, as a fraction")
    adds = SumSerializer()
    total = SumSerializer(help_text="of all waves until this one")


class SpentSerializer(serializers.Serializer[Any]):
    """What a wave costs."""

    repeats = serializers.ChoiceField(choices=["fresh", "remember"])
    epsilon = serializers.FloatField(help_text="of its responses alone")
    adds = SumSerializer()
    total = SumSerializer(help_text="of all waves until this one")
    items = SpendSerializer(many=True)


class NextWaveSerializer(SpentSerializer):
    """What opening would add."""

    fits = serializers.BooleanField(help_text="whether it can be opened")
    missing = serializers.CharField(allow_blank=True, help_text="why not")
    waves_that_fit = serializers.IntegerField(allow_null=True, help_text="under the ceiling; null: more than 100")


class WaveSerializer(serializers.Serializer[Any]):
    """One opening of a survey."""

    version = serializers.IntegerField()
    name = serializers.CharField(help_text="a wave where it asks what the one before asked, else a version")
    same_questions = serializers.BooleanField(help_text="as the one before")
    digest = serializers.CharField()
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    reports = serializers.IntegerField(help_text="responses stored, including those deleted since")
    epsilon = serializers.FloatField(help_text="of its responses alone")
    spent = SpentSerializer(allow_null=True, help_text="null where nobody answered: nothing was spent")


class LedgerSerializer(serializers.Serializer[Any]):
    """What a person who answered everything in every wave may have spent."""

    unit = serializers.CharField(help_text="whom and what the totals are about")
    ceiling = serializers.FloatField(help_text="epsilon above which nothing is opened")
    elsewhere = SumSerializer(help_text="in other surveys for the same people; part of every total")
    total = SumSerializer()
    waves = WaveSerializer(many=True)
    next = NextWaveSerializer(allow_null=True, help_text="of a draft or a closed survey, where it is complete")


class LedgerView(View):
    """What was spent in each wave and in all, for each question, and what the next wave would add."""

    @read("The ledger of a survey", LedgerSerializer)
    def get(self, request: Request, slug: str) -> Response:
        book = budget_of(get_survey_or_404(request.user, slug))
        return serialized(LedgerSerializer, budget_sentences(book))
