"""Put on the path of every process of an installation: its clock is off by the seconds in the file CANDOR_TEST_CLOCK.

What asks for the time of day asks one of these four; the monotonic clock runs on, as where somebody sets a real clock.
"""

import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from celery.app.base import Celery
from celery.worker import request
from django.utils import timezone

real_time = time.time
clock = Path(os.environ["CANDOR_TEST_CLOCK"])


def shifted_time() -> float:
    return real_time() + float(clock.read_text() or 0)


def shifted_now(app: Any = None) -> datetime:
    return datetime.fromtimestamp(shifted_time(), UTC)


class ShiftedDatetime(datetime):
    """By which a worker says whether a message has expired."""

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return datetime.fromtimestamp(shifted_time(), tz)


time.time, timezone.now, Celery.now = shifted_time, shifted_now, shifted_now
request.datetime = ShiftedDatetime
