"""The model of authors' disclosures on their surveys, for reports."""

from django.db import models


class Disclosure(models.Model):
    """The methods of a survey in its author's words, for the reports of all its versions.

    Surveys are above this floor, so it is found by the survey's name in its address.
    """

    slug = models.CharField(max_length=64, unique=True, help_text="of the survey")
    texts = models.JSONField(default=dict, help_text="by field, and there by language of the report")
    probability_sample = models.BooleanField(
        default=False, help_text="whether the author declares that its respondents are one"
    )
    simple_random = models.BooleanField(
        default=False, help_text="whether it is declared that all had the same chance and each was drawn alone"
    )

    asked = models.PositiveIntegerField(null=True, help_text="how many people were asked, in each wave; null: not said")

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return f"what is disclosed of {self.slug}"

    @property
    def has_margin(self) -> bool:
        """True if a margin of sampling error can be stated, for which a simple random sample is sufficient."""
        return self.probability_sample and self.simple_random
