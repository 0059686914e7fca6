"""Progress of an open survey, small enough to be polled every few seconds."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from collector.reports.steps import STEP
from surveys.accounts.access import get_survey_or_404
from surveys.api.base import View, serialized
from surveys.api.openapi import read
from surveys.lifecycle.progress import progress_of


class WatchedWordsSerializer(serializers.Serializer[Any]):
    """The numbers that change while one watches, as the page shows them."""

    reports = serializers.CharField(help_text=f"while the survey is open in steps of {STEP}")
    waiting = serializers.CharField(help_text="how they are counted, or how many are not counted yet")
    job = serializers.CharField()
    lacking = serializers.CharField(allow_blank=True)


class WatchedSerializer(serializers.Serializer[Any]):
    words = WatchedWordsSerializer()
    progress = serializers.IntegerField(
        allow_null=True, min_value=0, max_value=100, source="pending.progress", help_text="of the current run"
    )
    page = serializers.CharField(help_text="changes when the page must be reloaded")
    results = serializers.CharField(allow_blank=True, help_text="key of the run whose estimates are shown")
    ends = serializers.BooleanField(help_text="whether no further automatic changes will follow")


class WatchView(View):
    """304 where nothing changed."""

    @read("Progress of a survey", WatchedSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return serialized(WatchedSerializer, progress_of(get_survey_or_404(request.user, slug)))
