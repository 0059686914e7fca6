"""Rehearsals: asking for one, how far it is, stopping and forgetting it."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from estimator.jobs import Job
from surveys.access import get_survey_or_404
from surveys.api.base import View
from surveys.api.described import read
from surveys.models import Rehearsal
from surveys.panel.rehearse import rehearsal_or_404


class RehearsalSerializer(serializers.Serializer[Any]):
    """How far a rehearsal is, and why it failed where it did."""

    state = serializers.ChoiceField(choices=Job.State.choices)
    progress = serializers.IntegerField(min_value=0, max_value=100, help_text="per cent")
    fault = serializers.CharField(allow_blank=True)


def told(asked: Rehearsal) -> dict[str, Any]:
    return {"state": asked.state, "progress": asked.progress, "fault": asked.fault}


class RehearsalView(View):
    """A rehearsal of one's own survey."""

    @read("How far a rehearsal is", RehearsalSerializer)
    def get(self, request: Request, slug: str, number: int) -> Response:
        return Response(told(rehearsal_or_404(get_survey_or_404(request.user, slug), number)))
