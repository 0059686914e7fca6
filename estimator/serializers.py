"""What programs are told of runs and analyses."""

from rest_framework import serializers

from estimator.models import Analysis, Run


class RunSerializer(serializers.ModelSerializer[Run]):
    """How far a run is, and why it failed where it did."""

    class Meta:
        model = Run
        fields = (
            "key",
            "design",
            "trigger",
            "state",
            "progress",
            "fault",
            "reports",
            "snapshot_at",
            "confidence",
            "published",
        )
        read_only_fields = fields


class AnalysisSerializer(serializers.ModelSerializer[Analysis]):
    """How far an analysis is, and why it failed where it did."""

    class Meta:
        model = Analysis
        fields = ("key", "kind", "state", "progress", "fault", "reports", "snapshot_at")
        read_only_fields = fields
