"""The model of an analysis: its request, its inputs and its result."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_noop

from collector.models import FrozenDesign
from estimator.base.jobs import Job, new_key

LONGEST_NAME = 80


class Analysis(Job):
    """One analysis of one snapshot; a job. Its result depends on `kind`, `parameters` and `inputs` alone."""

    class Kind(models.TextChoices):
        COMPARISON = "comparison", gettext_noop("Compare groups")
        WEIGHTING = "weighting", gettext_noop("Weight to a population")
        CROSS_TABLE = "cross-table", gettext_noop("Cross two questions")
        SCORES = "scores", gettext_noop("Number of yes")
        REGRESSION = "regression", gettext_noop("Regression on groups")
        AREAS = "areas", gettext_noop("Small areas")
        VERSIONS = "versions", gettext_noop("Compare versions")

    key = models.CharField(max_length=32, unique=True, default=new_key, editable=False)
    name = models.CharField(max_length=LONGEST_NAME, blank=True, default="", help_text="what its team calls it")
    published = models.BooleanField(default=False, help_text="whether reports of its version show it")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    design = models.ForeignKey(FrozenDesign, on_delete=models.PROTECT, related_name="analyses")
    parameters = models.JSONField(help_text="what was asked, as `asking` understood it")
    repeats = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    snapshot_at = models.DateTimeField(null=True, help_text="when the totals were read")
    while_open = models.BooleanField(default=False, help_text="whether more reports could still come then")
    reports = models.PositiveBigIntegerField(null=True, help_text="number of reports in the snapshot")
    inputs = models.JSONField(default=dict, help_text="the totals that it was computed from")
    input_digest = models.CharField(max_length=64, default="", help_text="SHA-256 of what was asked and the totals")
    result = models.JSONField(default=dict)
    result_digest = models.CharField(max_length=64, default="", help_text="SHA-256 of the result")
    version = models.CharField(max_length=32, default="", help_text="of the library that computed it")

    class Meta:
        ordering = ["-requested_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(state="done") | Q(finished_at__isnull=False, reports__isnull=False),
                name="analysis_done_is_complete",
            ),
        ]
        indexes = [models.Index(fields=["design", "-requested_at"], name="analysis_newest_of_design")]
        verbose_name_plural = "analyses"

    def __str__(self) -> str:
        return f"{self.kind} {self.key[:8]} ({self.state})"
