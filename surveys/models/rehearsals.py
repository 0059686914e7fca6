"""Tables of rehearsals: the request, and the estimates of each repetition. No simulated response is stored."""

from typing import Any

from django.db import models

from collector.models import FrozenDesign
from estimator.base.jobs import Job
from estimator.models import Run


class Rehearsal(Job):
    """A simulation of respondents to the survey as written at the time of the request; a job.

    `assumptions` are what was asked for, as `population.Population` reads it, in the column `said`.
    """

    survey = models.ForeignKey("surveys.Survey", on_delete=models.CASCADE, related_name="rehearsals")
    number = models.PositiveIntegerField(help_text="of the survey's rehearsals, from 1")
    design = models.OneToOneField(FrozenDesign, on_delete=models.PROTECT, related_name="+")
    said = models.JSONField()
    repetitions = models.PositiveSmallIntegerField()
    seed = models.PositiveBigIntegerField()
    stopping = models.BooleanField(default=False, help_text="a stop was requested")
    run = models.OneToOneField(
        Run, null=True, on_delete=models.SET_NULL, related_name="+", help_text="the estimates of the first repetition"
    )
    foreseen = models.BinaryField(null=True, help_text="for each estimate its true value and its planned width")

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["survey", "number"], name="rehearsal_once")]

    def __str__(self) -> str:
        return f"rehearsal {self.number} of {self.survey.slug}"

    @property
    def respondents(self) -> int:
        return int(self.assumptions["respondents"])

    @property
    def assumptions(self) -> Any:
        return self.said


class Repetition(models.Model):
    """The estimates of one repetition: rows of numbers with the columns `measuring.COLUMNS`."""

    rehearsal = models.ForeignKey(Rehearsal, on_delete=models.CASCADE, related_name="done")
    number = models.PositiveSmallIntegerField(help_text="from 1")
    numbers = models.BinaryField()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["rehearsal", "number"], name="repetition_once")]

    def __str__(self) -> str:
        return f"repetition {self.number} of {self.rehearsal}"
