"""Models of all stored data: frozen designs, reports, invitations, totals and daily counts.

No key to a user, no address, no browser, no free text, no time finer than a day.
"""

from typing import Any

from django.db import models
from django.db.models import F, Func, Q
from django.db.models.functions import Length
from django.db.models.lookups import Exact


class SaysRehearsal(Func):
    """SQL expression: True if a design's document declares a rehearsal."""

    function = "json_extract"
    template = "%(function)s(%(expressions)s, '$.rehearsal')"
    output_field = models.BooleanField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, Any]:
        return self.as_sql(
            compiler, connection, template="((%(expressions)s)::jsonb ->> 'rehearsal')::boolean", **context
        )


class FrozenDesign(models.Model):
    """The immutable document that a survey was opened with. A trigger refuses changes in raw SQL too.

    A design that is split has a row for each further part too, with a key in place of the digest.
    """

    digest = models.CharField(max_length=64, primary_key=True)
    number = models.PositiveIntegerField(
        unique=True, help_text="what a row of a report says in place of the digest: 4 bytes for 64"
    )
    document = models.TextField(help_text="canonical JSON; its SHA-256 is the digest")
    opened_on = models.DateField()
    closed_on = models.DateField(null=True, default=None, help_text="since when it takes no reports")
    final_on = models.DateField(
        null=True, help_text="since when its closing is final; until then it may be opened again, and stays in steps"
    )
    rewritten_on = models.DateField(null=True, help_text="when its reports were last written anew after closing")
    restored_on = models.DateField(
        null=True, help_text="when a restore closed it, as it is by invitation; empty again once it is reopened"
    )
    purged_on = models.DateField(null=True, help_text="since when its reports are deleted, all or some")
    coin_reports = models.PositiveBigIntegerField(
        null=True, help_text="of the purged reports, those with a coin or a die, sent or on paper"
    )
    sheets = models.PositiveBigIntegerField(null=True, help_text="of the purged reports, those on paper")
    part_of = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        db_constraint=False,
        related_name="parts",
        help_text="the design of which this row is a further part; see collector/designs/parts.py",
    )
    rehearsal = models.GeneratedField(
        expression=SaysRehearsal(F("document")),
        output_field=models.BooleanField(),
        db_persist=True,
        help_text="whether its respondents are simulated, as the document says it",
    )

    class Meta:
        indexes = [models.Index(fields=["part_of"], condition=Q(part_of__isnull=False), name="parts_of_a_design")]

    def __str__(self) -> str:
        return self.digest[:12]


class StoredReport(models.Model):
    """One randomised report: a byte for each symbol.

    The key begins with the design, so that its reports are found together, and goes on with the random nonce: SQLite
    keeps the rows in the order of their keys (see collector/database/tables.py), and nothing tells in which order they
    came.
    The columns stand in the order in which PostgreSQL pads them least.
    """

    class Mode(models.IntegerChoices):
        """Source of a report's randomisation."""

        BROWSER = 0, "randomised by the respondent's browser"
        COIN = 1, "randomised by the respondent, with a coin or a die"
        PAPER = 2, "randomised with a coin or a die on paper, entered by the researcher"
        SIMULATED = 3, "of a simulated respondent; a trigger lets it into rehearsals alone, and nothing else into them"

    pk = models.CompositePrimaryKey("design_id", "nonce")
    design = models.ForeignKey(
        FrozenDesign, on_delete=models.PROTECT, to_field="number", db_index=False, related_name="+"
    )
    stratum = models.PositiveSmallIntegerField(help_text="index of the group in the design")
    mode = models.PositiveSmallIntegerField(choices=Mode.choices, default=Mode.BROWSER)
    nonce = models.BinaryField(
        max_length=16, help_text="random; from the respondent's browser, or from us for a coin and for paper"
    )
    report = models.BinaryField()

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(condition=Q(mode__in=[0, 1, 2, 3]), name="%(class)s_mode_known"),
            models.CheckConstraint(condition=Exact(Length("nonce"), 16), name="%(class)s_nonce_of_16_bytes"),
        ]

    def __str__(self) -> str:
        return f"report of design {self.design_id}"


class WaitingReport(StoredReport):
    """A received report that is not in the totals yet."""


class Report(StoredReport):
    """A report that is in the totals."""

    class Meta(StoredReport.Meta):
        # Few reports come from a coin; they are counted without reading the others.
        indexes = [models.Index(fields=["design", "mode"], condition=Q(mode__gt=0), name="report_from_a_coin")]


class SetAsideReport(StoredReport):
    """A waiting report that its design cannot produce, such as after data corruption: in no total."""


class ReportArchive(models.Model):
    """The file in `storages["archives"]` with all reports of a closed design, in place of their rows.

    From `clearing` to `returning` the file is what is read, whichever rows are there.
    """

    class State(models.TextChoices):
        """Each is reached from the one before, a `discarded` one also from any."""

        WRITING = "writing", "the file is written and compared; the rows are read"
        CLEARING = "clearing", "the file is read; the rows are deleted"
        ARCHIVED = "archived", "the file is read; there are no rows"
        RETURNING = "returning", "the file is read; the rows are put back"
        DISCARDED = "discarded", "the file is to be deleted; the rows are read, or purged"

    READ = (State.CLEARING, State.ARCHIVED, State.RETURNING)

    design = models.OneToOneField(FrozenDesign, on_delete=models.PROTECT, primary_key=True, related_name="archive")
    state = models.CharField(max_length=9, choices=State.choices, default=State.WRITING)
    name = models.CharField(max_length=100, help_text="of the file")
    size = models.PositiveBigIntegerField(default=0, help_text="of the file, in bytes")
    sha256 = models.CharField(max_length=64, default="", help_text="of the file")
    content = models.CharField(
        max_length=64, default="", help_text="SHA-256 of the reports by nonce, as a backup's member has them"
    )
    reports = models.PositiveBigIntegerField(default=0)
    coin_reports = models.PositiveBigIntegerField(
        default=0, help_text="of these, those with a coin or a die, sent or on paper"
    )
    sheets = models.PositiveBigIntegerField(default=0, help_text="of these, those on paper")
    archived_on = models.DateField(null=True, help_text="when the file took the rows' place")

    def __str__(self) -> str:
        return f"{self.name} ({self.state})"


class Batch(models.Model):
    """A batch of invitation codes created together, including those used or withdrawn since.

    Nobody in it is told apart from the others: it holds ten at least, and nothing says who got which.
    """

    pk = models.CompositePrimaryKey("design_id", "number")
    design = models.ForeignKey(
        FrozenDesign, on_delete=models.PROTECT, to_field="number", db_index=False, related_name="+"
    )
    number = models.PositiveIntegerField(help_text="within the design, from 1")
    stratum = models.PositiveSmallIntegerField(
        null=True, help_text="index of the group that all its reports are of; empty where each may be of any"
    )
    count = models.PositiveIntegerField(help_text="how many were made")
    kind = models.CharField(max_length=16, help_text="how they were handed out")
    made_on = models.DateField()
    withdrawn_on = models.DateField(null=True, help_text="when those that were not used were withdrawn")

    def __str__(self) -> str:
        return f"batch {self.number} of design {self.design_id}"


class Invitation(models.Model):
    """An unused code; the transaction that stores the report using it deletes this row.

    The key ends with a hash, which is as good as random: rows lie in no order in which anything was done.
    """

    pk = models.CompositePrimaryKey("design_id", "hash")
    design = models.ForeignKey(
        FrozenDesign, on_delete=models.PROTECT, to_field="number", db_index=False, related_name="+"
    )
    batch = models.PositiveIntegerField(help_text="the number of its batch")
    hash = models.BinaryField(max_length=32, help_text="SHA-256 of the code")

    class Meta:
        constraints = [models.CheckConstraint(condition=Exact(Length("hash"), 32), name="invitation_hash_of_32_bytes")]

    def __str__(self) -> str:
        return f"invitation to design {self.design_id}"


class UsedToken(models.Model):
    """A redeemed blindly signed token, written in the transaction of its report."""

    pk = models.CompositePrimaryKey("design_id", "hash")
    # Without a constraint: the report beside it has one, and PostgreSQL would look the design up again for each row.
    design = models.ForeignKey(
        FrozenDesign,
        on_delete=models.PROTECT,
        to_field="number",
        db_index=False,
        db_constraint=False,
        related_name="+",
    )
    hash = models.BinaryField(max_length=32, help_text="SHA-256 of what was signed")

    class Meta:
        constraints = [models.CheckConstraint(condition=Exact(Length("hash"), 32), name="usedtoken_hash_of_32_bytes")]

    def __str__(self) -> str:
        return f"used token of design {self.design_id}"


class Tally(models.Model):
    """The number of folded reports of a stratum with this symbol at this position: the sum over the parts.

    Each worker that folds a design adds to a part that no other one holds meanwhile. The key begins with the design's
    number, as the reports' keys do: a database of several nodes keeps the reports and totals of a design together.
    """

    pk = models.CompositePrimaryKey("design_id", "part", "stratum", "position", "symbol")
    design = models.ForeignKey(
        FrozenDesign, on_delete=models.PROTECT, to_field="number", db_index=False, related_name="+"
    )
    part = models.PositiveSmallIntegerField(default=0)
    stratum = models.PositiveSmallIntegerField()
    position = models.PositiveSmallIntegerField()
    symbol = models.PositiveSmallIntegerField()
    count = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.count} x {self.symbol} at {self.position}"


class DailyCount(models.Model):
    """The number of reports of a design folded on a day; on several days together if a day has few.

    Nothing leads from here to a report. Only the newest row of a design may hold fewer than folding.FEWEST.
    """

    pk = models.CompositePrimaryKey("design_id", "first_day")
    design = models.ForeignKey(
        FrozenDesign, on_delete=models.PROTECT, to_field="number", db_index=False, related_name="+"
    )
    first_day = models.DateField(help_text="UTC, as the next")
    last_day = models.DateField()
    count = models.PositiveBigIntegerField()

    class Meta:
        ordering = ["first_day"]
        constraints = [
            models.CheckConstraint(condition=Q(last_day__gte=F("first_day")), name="daily_count_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.count} from {self.first_day} to {self.last_day}"
