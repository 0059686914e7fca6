"""Surveys as their authors write them, and the versions that were opened."""

from hashlib import sha256
from typing import Self

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy, gettext_noop

from collector.designs.checks import KEY
from collector.models import FrozenDesign
from surveys.models.accounts import Team

KEY_VALIDATOR = RegexValidator(
    rf"^{KEY.pattern}$", gettext_lazy("Use a-z, 0-9, - and _, beginning with a letter or a digit.")
)


DAYS_KEPT = 365
"""Days after closing that the responses of a new survey are kept, unless its owners decide otherwise."""


def mechanism_choices() -> list[tuple[str, str]]:
    """The mechanisms as an author's list has them. Their registry needs numpy, which few processes start with."""
    from estimator.base import mechanisms

    return mechanisms.choices()


class Survey(models.Model):
    """A survey, from draft to archive. Texts are objects by language code; the first language is the default."""

    class State(models.TextChoices):
        DRAFT = "draft", gettext_noop("Draft")
        OPEN = "open", gettext_noop("Open")
        CLOSED = "closed", gettext_noop("Closed")
        ARCHIVED = "archived", gettext_noop("Archived")

    class Invited(models.TextChoices):
        OPEN = "", gettext_noop("open link: whoever has it")
        SECRET = "secret", gettext_noop("by invitation: a code for each person")
        BLIND = "blind", gettext_noop("by blind invitation: a token that nobody can trace")

    class Repeats(models.TextChoices):
        FRESH = "fresh", gettext_noop("draws anew: each wave is a new spend")
        REMEMBER = "remember", gettext_noop("remembers its tickets: the same answer gives the same report")

    slug = models.SlugField(
        max_length=64, unique=True, validators=[KEY_VALIDATOR], help_text="The name in its address: /s/<slug>/"
    )
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="surveys")
    state = models.CharField(max_length=8, choices=State.choices, default=State.DRAFT, editable=False)
    rehearsal = models.BooleanField(
        default=False, help_text="The respondents are simulated; nobody can answer it on the web."
    )
    languages = models.JSONField(default=list)
    title = models.JSONField(default=dict)
    introduction = models.JSONField(default=dict)
    consent = models.JSONField(default=dict)
    consent_statements = models.JSONField(default=list, blank=True)
    screening = models.JSONField(default=dict, blank=True)
    sender = models.JSONField(default=dict)
    institution = models.JSONField(default=dict)
    contact = models.JSONField(default=dict)
    data_protection = models.JSONField(default=dict)
    help_line = models.JSONField(default=dict)
    accent = models.CharField(max_length=16, blank=True, default="")
    accent_dark = models.CharField(max_length=16, blank=True, default="")
    background = models.CharField(max_length=16, blank=True, default="")
    background_dark = models.CharField(max_length=16, blank=True, default="")
    font = models.CharField(max_length=16, blank=True, default="")
    logo = models.JSONField(default=dict, blank=True)
    ending_text = models.JSONField(default=dict)
    ending_label = models.JSONField(default=dict)
    ending_address = models.CharField(max_length=500, blank=True, default="")
    completion_code = models.CharField(max_length=64, blank=True, default="")
    completion_address = models.CharField(max_length=500, blank=True, default="")
    completion_carry = models.JSONField(default=dict, blank=True)
    strata_wording = models.JSONField(default=dict)
    background_questions = models.JSONField(default=dict, blank=True)
    invitations = models.CharField(
        max_length=6, choices=Invited.choices, default=Invited.OPEN, blank=True, help_text="Who can send a report."
    )
    repeats = models.CharField(
        max_length=8,
        choices=Repeats.choices,
        default=Repeats.FRESH,
        help_text="What a person's device does where the survey comes again.",
    )
    people = models.CharField(
        max_length=32,
        blank=True,
        default="",
        editable=False,
        db_index=True,
        help_text="random, and alike in surveys that are said to be for the same people; empty: in no other",
    )
    participation = models.CharField(
        max_length=16,
        blank=True,
        default="",
        help_text="Epsilon with which the number of people in each group is released; empty: the numbers as they are.",
    )
    privacy_budget = models.CharField(
        max_length=16, blank=True, default="", help_text="Epsilon that all questions together keep to; empty: 4."
    )
    embedded_in = models.JSONField(
        default=list, editable=False, help_text="https origins whose pages may hold the respondents' page in a frame"
    )
    results_shown = models.BooleanField(
        default=False, editable=False, help_text="whether its link shows the final estimates once it is closed"
    )
    purge_after = models.PositiveSmallIntegerField(
        null=True,
        default=DAYS_KEPT,
        editable=False,
        help_text="days after closing that its reports are kept; empty: for good",
    )
    work_bits = models.PositiveSmallIntegerField(
        default=0, editable=False, help_text="of the sum that a browser does for its report; 0: for none"
    )
    fetched_by_account = models.BooleanField(
        default=False, editable=False, help_text="whether whoever signs in to this site may fetch a blind invitation"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    written_in = ""
    """The language whose fields have the plain names in a form that is being read; not kept."""

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return str(self.title.get(self.language, "")) or self.slug

    @property
    def language(self) -> str:
        """The survey's default language: the first."""
        return str(self.languages[0]) if self.languages else "en"


class Group(models.Model):
    """A stratum: a group that respondents say openly they belong to."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="groups")
    position = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=64, validators=[KEY_VALIDATOR])
    label = models.JSONField(default=dict)
    share = models.CharField(
        max_length=64, blank=True, default="", help_text="Known share of the population, like 0.25; empty if unknown."
    )

    class Meta:
        ordering = ["position", "pk"]

    def __str__(self) -> str:
        return self.key


class Section(models.Model):
    """A part of a survey with a heading; items refer to it by its key."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="sections")
    position = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=64, validators=[KEY_VALIDATOR])
    title = models.JSONField(default=dict)
    introduction = models.JSONField(default=dict)
    help_after = models.BooleanField(default=False)

    class Meta:
        ordering = ["position", "pk"]

    def __str__(self) -> str:
        return self.key


class Item(models.Model):
    """A question and the mechanism for its answer; see docs/reference/survey-file.md for the fields."""

    class Kind(models.TextChoices):
        YES_NO = "yes_no", gettext_noop("yes / no")
        ONE_CHOICE = "one_choice", gettext_noop("one choice")
        SEVERAL_CHOICES = "several_choices", gettext_noop("several choices")
        SCALE = "scale", gettext_noop("scale")
        NUMBER = "number", gettext_noop("number")

    class Sensitivity(models.TextChoices):
        BY_HAND = "", gettext_noop("protection set by hand")
        VERY = "very", gettext_noop("very sensitive")
        SOMEWHAT = "somewhat", gettext_noop("somewhat sensitive")
        LITTLE = "little", gettext_noop("not specially sensitive")

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=64, validators=[KEY_VALIDATOR], help_text="Name of the variable in exports.")
    kind = models.CharField(max_length=16, choices=Kind.choices, default=Kind.YES_NO)
    before = models.JSONField(default=dict, blank=True)
    wording = models.JSONField(default=dict)
    choices = models.JSONField(default=list)
    choice_pictures = models.JSONField(default=list, blank=True)
    prefer_not = models.JSONField(default=dict, blank=True)
    minimum = models.CharField(max_length=32, blank=True, default="")
    maximum = models.CharField(max_length=32, blank=True, default="")
    step = models.CharField(max_length=32, blank=True, default="")
    required = models.BooleanField(default=True)
    shuffle = models.BooleanField(default=False)
    keep_last = models.BooleanField(default=False)
    dropdown = models.BooleanField(default=False)
    heading = models.JSONField(default=dict, blank=True)
    most = models.PositiveSmallIntegerField(null=True, blank=True)
    section = models.CharField(max_length=64, blank=True, default="")
    help_after = models.BooleanField(default=False)
    sensitivity = models.CharField(max_length=8, choices=Sensitivity.choices, blank=True, default="")
    known_share = models.CharField(max_length=32, blank=True, default="")
    asked_if = models.JSONField(null=True, blank=True, default=None)
    unasked = models.JSONField(null=True, blank=True, default=None)
    mechanism = models.CharField(max_length=32, choices=mechanism_choices, default="forced_response")
    truth = models.CharField(max_length=64, blank=True, default="1/2")
    yes = models.CharField(max_length=64, blank=True, default="")
    on = models.CharField(max_length=64, blank=True, default="")
    off = models.CharField(max_length=64, blank=True, default="")
    size = models.PositiveSmallIntegerField(null=True, blank=True)
    epsilon = models.CharField(max_length=32, blank=True, default="")
    weights = models.JSONField(null=True, blank=True, default=None)

    class Meta:
        ordering = ["position", "pk"]

    def __str__(self) -> str:
        return self.key


class Version(models.Model):
    """One opening of a survey: its frozen design and the pages sent to every respondent."""

    survey = models.ForeignKey(Survey, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    design = models.OneToOneField(FrozenDesign, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True)
    purged_at = models.DateTimeField(null=True, help_text="when the last of its reports was deleted")

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["survey", "number"], name="version_once")]

    def __str__(self) -> str:
        return f"{self.survey.slug} version {self.number}"


class Appointment(models.Model):
    """A scheduled transition of a survey: at a time or at a number of stored responses. Its outcome is retained."""

    class State(models.TextChoices):
        WAITING = "waiting", gettext_noop("Waiting")
        KEPT = "kept", gettext_noop("Kept")
        FAILED = "failed", gettext_noop("Failed")
        CALLED_OFF = "off", gettext_noop("called off")

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="appointments")
    move = models.CharField(
        max_length=8,
        choices=[
            ("open", gettext_noop("open")),
            ("close", gettext_noop("close")),
            ("wave", gettext_noop("open again")),
        ],
    )
    due_at = models.DateTimeField(null=True)
    at_reports = models.PositiveIntegerField(null=True)
    digest = models.CharField(max_length=64, default="", help_text="of the design that was confirmed for opening")
    reason = models.CharField(max_length=500, default="", help_text="why it opens above a ceiling of epsilon")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    made_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=500, default="", help_text="why it failed, in words")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(due_at__isnull=False, at_reports=None)
                | Q(due_at=None, at_reports__isnull=False, move="close"),
                name="appointment_of_one_kind",
            ),
            models.UniqueConstraint(
                fields=["survey", "move"],
                condition=Q(state="waiting", due_at__isnull=False),
                name="appointment_at_a_time_waits_once",
            ),
            models.UniqueConstraint(
                fields=["survey", "move"],
                condition=Q(state="waiting", at_reports__isnull=False),
                name="appointment_at_reports_waits_once",
            ),
        ]
        indexes = [models.Index(fields=["due_at"], condition=Q(state="waiting"), name="appointment_waiting")]

    def __str__(self) -> str:
        when = f"{self.at_reports} reports" if self.due_at is None else f"{self.due_at:%Y-%m-%d %H:%M}"
        return f"{self.move} {self.survey.slug} at {when} ({self.state})"


class Page(models.Model):
    """A page of a version in one language, rendered once and sent to every respondent byte for byte."""

    class Kind(models.TextChoices):
        ANSWER = "answer", gettext_noop("the respondent's page")
        COIN = "coin", gettext_noop("the own-coin page, where a device has every table")
        SHEET = "sheet", gettext_noop("the own-coin page on paper, as a PDF")
        TOKEN = "token", gettext_noop("the page on which a blind invitation is fetched")

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="pages")
    language = models.CharField(max_length=35, help_text="one of the design's languages")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    content = models.BinaryField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the content as it was published, 64 hex digits")

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["version", "language", "kind"], name="page_once")]

    def __str__(self) -> str:
        return f"{self.kind} page of {self.version} in {self.language}"

    @classmethod
    def of(cls, version: Version, language: str, kind: str, content: bytes) -> Self:
        """An unsaved page with its digest."""
        return cls(version=version, language=language, kind=kind, content=content, digest=sha256(content).hexdigest())

    @property
    def is_as_published(self) -> bool:
        return sha256(bytes(self.content)).hexdigest() == self.digest


class SurveyTag(models.Model):
    """A word by which a team finds its surveys."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="tags")
    name = models.CharField(max_length=40)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["survey", "name"], name="tag_once")]

    def __str__(self) -> str:
        return self.name
