"""Disclosures by a survey's author for its reports, and removal of the exports that they outdate."""

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction

from estimator.exports import services
from estimator.reports import disclosures
from surveys.accounts.audit_log import record_event
from surveys.models import Survey


@transaction.atomic
def disclose(
    survey: Survey,
    texts: Mapping[str, Mapping[str, str]],
    *,
    probability_sample: bool,
    simple_random: bool = False,
    asked: int | None = None,
    by: User | None = None,
) -> None:
    """Store the author's disclosures; raises as `disclosures.disclose` does."""
    sample = {"probability_sample": probability_sample, "simple_random": simple_random}
    disclosures.disclose(survey.slug, texts, **sample, asked=asked)
    forget_files(survey)
    record_event(by, "changed the disclosure", survey=survey)


def forget_files(survey: Survey) -> None:
    """Delete the exported reports that are out of date."""
    for digest in survey.versions.values_list("design", flat=True):
        services.delete_reports(digest)
