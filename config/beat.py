"""The schedule of beat: intervals measured with the monotonic clock.

Celery asks the time of day. A clock that somebody sets back by three days would stop folding, estimating and closing
for three days, and so would the last times in the file that its own scheduler keeps. Nothing here runs at an hour of
the day, so the schedule needs neither.
"""

import time
from datetime import UTC, datetime, timedelta

from celery.schedules import schedule

SCHEDULER = "celery.beat:Scheduler"
"""It stores nothing in a file: after a start everything is due within its interval."""

_STARTED, _STARTED_AT = time.monotonic(), datetime.now(UTC)


def steady_now() -> datetime:
    """The time of day when this process began, plus the time elapsed since."""
    return _STARTED_AT + timedelta(seconds=time.monotonic() - _STARTED)


def every(seconds: float, task: str) -> dict[str, object]:
    """An entry of the schedule. A message not taken before the next one is due is redundant and expires."""
    return {"task": task, "schedule": schedule(seconds, nowfun=steady_now), "options": {"expires": seconds}}
