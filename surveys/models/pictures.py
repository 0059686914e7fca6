"""Pictures of surveys: stored with their survey, so that they go with it."""

from django.db import models

from surveys.models.surveys import Survey


class Picture(models.Model):
    """A picture that a survey shows, or showed in a revision or a version, named by the SHA-256 of its content."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="pictures")
    digest = models.CharField(max_length=64)
    type = models.CharField(max_length=4, help_text="png, jpg or webp")
    width = models.PositiveSmallIntegerField()
    height = models.PositiveSmallIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["survey", "digest"], name="picture_once")]

    def __str__(self) -> str:
        return f"{self.digest[:12]}.{self.type} of {self.survey.slug}"
