"""What programs are told of runs."""

from rest_framework import serializers

from estimator.models import Run


class RunSerializer(serializers.ModelSerializer[Run]):
    """How far a run is, and why it failed where it did."""

    class Meta:
        model = Run
        fields = ("key", "state", "progress", "fault", "reports", "snapshot_at")
        read_only_fields = fields
