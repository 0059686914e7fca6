"""Reports say how long a survey's reports are kept, and are made on the floor below: it is told whom to ask."""

from estimator.reporting import keeping
from surveys.models import Survey


def days_of(slug: str) -> int | None:
    """The days after closing; None for good."""
    return Survey.objects.filter(slug=slug).values_list("purge_after", flat=True).first()


keeping.told_by(days_of)
