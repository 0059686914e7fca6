"""One report stored as the endpoint stores it, for tests of what becomes of reports."""

from collector.endpoint import receiving
from collector.reports import storing


def store_report(body: bytes, *, slug: str = "campus") -> bool:
    """Store the report that a body holds; True where this call stored it. Raises a Refusal where it is not stored."""
    (outcome,) = storing.store([receiving.read(body, slug=slug)])
    return receiving.created(outcome)
