"""Serializers for runs and analyses."""

from rest_framework import serializers

from estimator.models import Analysis, Run

SNAPSHOT = "when the totals were read; the day alone, at 00:00, where the survey was open then"


class RunSerializer(serializers.ModelSerializer[Run]):
    """How far a run is, and why it failed where it did."""

    class Meta:
        model = Run
        fields = (
            "key", "design", "trigger", "state", "progress", "fault", "reports", "snapshot_at", "confidence",
            "published",
        )  # fmt: skip
        read_only_fields = fields
        extra_kwargs = {"snapshot_at": {"help_text": SNAPSHOT}}


class AnalysisSerializer(serializers.ModelSerializer[Analysis]):
    """How far an analysis is, and why it failed where it did."""

    class Meta:
        model = Analysis
        fields = ("key", "name", "published", "kind", "state", "progress", "fault", "reports", "snapshot_at")
        read_only_fields = fields
        extra_kwargs = {"snapshot_at": {"help_text": SNAPSHOT}}
