"""Reports are made on the floor below: it is told a survey's designs, how long reports stay, and when it is gone."""

from typing import Any

from django.db.models.signals import post_delete, pre_save
from django.dispatch import receiver

from estimator.reports import disclosures, earlier_waves, retention
from surveys.models import Survey, Version


def days_of(slug: str) -> int | None:
    """The days after closing; None for good."""
    return Survey.objects.filter(slug=slug).values_list("purge_after", flat=True).first()


def designs_of(slug: str) -> list[str]:
    """The designs of a survey's versions; none of a rehearsal."""
    versions = Version.objects.filter(survey__slug=slug, design__rehearsal=False)
    return list(versions.order_by("number").values_list("design", flat=True))


@receiver(post_delete, sender=Survey)
def _gone(instance: Survey, **_more: Any) -> None:
    """The next survey of this name is another one."""
    disclosures.forget(instance.slug)


@receiver(pre_save, sender=Survey)
def _renamed(instance: Survey, **_more: Any) -> None:
    before = Survey.objects.filter(pk=instance.pk).values_list("slug", flat=True).first() if instance.pk else None
    if before and before != instance.slug:
        disclosures.rename(before, instance.slug)


retention.told_by(days_of)
earlier_waves.told_by(designs_of)
