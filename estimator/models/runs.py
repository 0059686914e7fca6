"""Models of runs, their estimates, and the known truth of a rehearsal."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_noop

from collector.models import FrozenDesign
from estimator.base.jobs import Job, new_key
from estimator.base.measures import MEAN, SHARE


class Run(Job):
    """One estimation of one design from one snapshot of its totals; a job."""

    class Trigger(models.TextChoices):
        DEMAND = "demand", gettext_noop("on demand")
        SCHEDULE = "schedule", gettext_noop("on schedule")
        CLOSING = "closing", gettext_noop("at closing")

    key = models.CharField(max_length=32, unique=True, default=new_key, editable=False)
    design = models.ForeignKey(FrozenDesign, on_delete=models.PROTECT, related_name="runs")
    trigger = models.CharField(max_length=16, choices=Trigger.choices)
    confidence = models.FloatField(default=0.95)
    anytime = models.BooleanField(
        default=False, help_text="whether its intervals hold however often one looks: so they are made until closing"
    )
    snapshot_at = models.DateTimeField(null=True, help_text="when the totals were read")
    reports = models.PositiveBigIntegerField(null=True, help_text="number of reports in the snapshot")
    coin_reports = models.PositiveBigIntegerField(default=0, help_text="of them, those with a real coin or die")
    input_digest = models.CharField(max_length=64, default="", help_text="SHA-256 of design digest and totals")
    tallies = models.JSONField(
        default=list, help_text="the totals as they are released: by symbol of a report, row of `groups` and value"
    )
    groups = models.JSONField(
        default=list, help_text="for each row of the totals the indices of the groups in the design that it holds"
    )
    version = models.CharField(max_length=32, default="", help_text="of the estimator")
    published = models.BooleanField(default=False, help_text="whether whoever has the link may read the report")

    class Meta:
        ordering = ["-requested_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(state="done") | Q(finished_at__isnull=False, reports__isnull=False),
                name="run_done_is_complete",
            ),
        ]
        indexes = [models.Index(fields=["design", "state"])]

    def __str__(self) -> str:
        return f"run {self.key[:8]} ({self.state})"


class Estimate(models.Model):
    """One estimate for one item, in one stratum or in all: the share of a choice, or the mean."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="estimates")
    position = models.PositiveSmallIntegerField(help_text="of the item in the design")
    measure = models.CharField(max_length=8, choices=[(SHARE, SHARE), (MEAN, MEAN)], default=SHARE)
    choice = models.PositiveSmallIntegerField(help_text="of the item, by its order in the design; 0 for a mean")
    stratum = models.PositiveSmallIntegerField(
        null=True, help_text="index of the group, the number of groups for those told together; empty for all"
    )
    n = models.PositiveBigIntegerField(help_text="reports")
    sent = models.PositiveBigIntegerField(null=True, help_text="reports that say this choice; empty for a mean")
    unbiased = models.FloatField(null=True)
    constrained = models.FloatField(null=True)
    standard_error = models.FloatField(null=True)
    noise_standard_error = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    interval = models.CharField(max_length=32)
    noise_low = models.FloatField(null=True)
    noise_high = models.FloatField(null=True)
    noise_interval = models.CharField(max_length=32)
    direct_question_n = models.FloatField(null=True, help_text="reports that a direct question would have needed")
    flags = models.JSONField(default=list)

    class Meta:
        ordering = ["position", "stratum", "measure", "choice"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position", "measure", "choice", "stratum"], name="estimate_once"),
            models.UniqueConstraint(
                fields=["run", "position", "measure", "choice"], condition=Q(stratum=None), name="estimate_of_all_once"
            ),
            models.CheckConstraint(
                condition=Q(measure=SHARE, sent__isnull=False) | Q(measure=MEAN, choice=0, sent=None),
                name="estimate_of_share_or_mean",
            ),
        ]

    def __str__(self) -> str:
        return f"estimate of the {self.measure} of choice {self.choice} of item {self.position}"


class GroupSize(models.Model):
    """The number of people in a group, with noise: drawn once and never again, even after reports are purged."""

    design = models.ForeignKey(FrozenDesign, on_delete=models.PROTECT, related_name="group_sizes")
    stratum = models.PositiveSmallIntegerField(help_text="index of the group in the design")
    count = models.BigIntegerField(help_text="reports of the group and discrete Laplace noise; may be below 0")
    epsilon = models.CharField(max_length=32, help_text="as the design says it")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["design", "stratum"], name="group_size_once")]

    def __str__(self) -> str:
        return f"about {self.count} in group {self.stratum}"


class KnownShare(models.Model):
    """The true share of an answer among the simulated respondents of a rehearsal.

    Answers are choices, options of which several may apply, or the points of a number's grid, each by its index.
    """

    design = models.ForeignKey(FrozenDesign, on_delete=models.PROTECT, related_name="known_shares")
    position = models.PositiveSmallIntegerField()
    choice = models.PositiveSmallIntegerField()
    stratum = models.PositiveSmallIntegerField(null=True)
    respondents = models.PositiveBigIntegerField(help_text="simulated, in this stratum")
    holders = models.PositiveBigIntegerField(help_text="of them, those whose true answer is this choice")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["design", "position", "choice", "stratum"], name="known_share_once"),
            models.UniqueConstraint(
                fields=["design", "position", "choice"], condition=Q(stratum=None), name="known_share_of_all_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.holders} of {self.respondents}"

    @property
    def share(self) -> float:
        return self.holders / self.respondents


class Worker(models.Model):
    """The time of a worker's last look for work: one row for all workers."""

    seen_at = models.DateTimeField()
    caught_up_at = models.DateTimeField(null=True, help_text="when no report waited to be counted; to 15 seconds")

    def __str__(self) -> str:
        return f"worker, seen {self.seen_at}"
