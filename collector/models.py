"""Everything that is kept: frozen designs, reports, totals, and how many reports came on which days.

No key to a user, no address, no browser, no free text, no time finer than a day.
"""

from typing import Any

from django.db import models
from django.db.models import F, Func, Q


class SaysRehearsal(Func):
    """Whether a design's document says that it is one of a rehearsal."""

    function = "json_extract"
    template = "%(function)s(%(expressions)s, '$.rehearsal')"
    output_field = models.BooleanField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, Any]:
        return self.as_sql(
            compiler, connection, template="((%(expressions)s)::jsonb ->> 'rehearsal')::boolean", **context
        )


class FrozenDesign(models.Model):
    """The immutable document that a survey was opened with. A trigger refuses changes in raw SQL too."""

    digest = models.CharField(max_length=64, primary_key=True)
    document = models.TextField(help_text="canonical JSON; its SHA-256 is the digest")
    opened_on = models.DateField()
    closed_on = models.DateField(null=True, default=None)
    rehearsal = models.GeneratedField(
        expression=SaysRehearsal(F("document")),
        output_field=models.BooleanField(),
        db_persist=True,
        help_text="whether its respondents are simulated, as the document says it",
    )

    def __str__(self) -> str:
        return self.digest[:12]


class Report(models.Model):
    """One randomised report: a byte for each symbol."""

    class Folding(models.IntegerChoices):
        WAITING = 0
        CLAIMED = 1, "claimed within the transaction that counts it"
        FOLDED = 2

    class Mode(models.IntegerChoices):
        BROWSER = 0, "randomised by the respondent's browser"
        COIN = 1, "randomised by the respondent, with a coin or a die"
        PAPER = 2, "randomised with a coin or a die on paper, entered by the researcher"
        SIMULATED = 3, "of a simulated respondent; a trigger lets it into rehearsals alone, and nothing else into them"

    nonce = models.CharField(
        max_length=32,
        primary_key=True,
        help_text="random; from the respondent's browser, or from us for a coin and for paper",
    )
    design = models.ForeignKey(FrozenDesign, on_delete=models.PROTECT, related_name="reports")
    stratum = models.PositiveSmallIntegerField(help_text="index of the group in the design")
    report = models.BinaryField()
    mode = models.PositiveSmallIntegerField(choices=Mode.choices, default=Mode.BROWSER)
    folding = models.PositiveSmallIntegerField(choices=Folding.choices, default=Folding.WAITING)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(folding__in=[0, 1, 2]), name="report_folding_known"),
            models.CheckConstraint(condition=Q(mode__in=[0, 1, 2, 3]), name="report_mode_known"),
        ]
        indexes = [
            models.Index(fields=["design"], condition=Q(folding__lt=2), name="report_not_folded"),
            # Few reports come from a coin; they are counted without reading the others.
            models.Index(fields=["design"], condition=Q(mode__gt=0), name="report_from_a_coin"),
        ]

    def __str__(self) -> str:
        return f"report of {self.design_id[:12]}"


class Tally(models.Model):
    """How many folded reports of a stratum have this symbol at this position."""

    design = models.ForeignKey(FrozenDesign, on_delete=models.PROTECT, related_name="tallies")
    stratum = models.PositiveSmallIntegerField()
    position = models.PositiveSmallIntegerField()
    symbol = models.PositiveSmallIntegerField()
    count = models.PositiveBigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["design", "stratum", "position", "symbol"], name="tally_once"),
        ]

    def __str__(self) -> str:
        return f"{self.count} x {self.symbol} at {self.position}"


class DailyCount(models.Model):
    """How many reports of a design were folded on a day; on several days together where one day has few.

    Nothing leads from here to a report. Only the newest row of a design may hold fewer than folding.FEWEST.
    """

    design = models.ForeignKey(FrozenDesign, on_delete=models.PROTECT, related_name="daily_counts")
    first_day = models.DateField(help_text="UTC, as the next")
    last_day = models.DateField()
    count = models.PositiveBigIntegerField()

    class Meta:
        ordering = ["first_day"]
        constraints = [
            models.UniqueConstraint(fields=["design", "first_day"], name="daily_count_once"),
            models.CheckConstraint(condition=Q(last_day__gte=F("first_day")), name="daily_count_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.count} from {self.first_day} to {self.last_day}"
