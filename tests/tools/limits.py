"""Limits that a test can reach."""

from typing import Any

from collector.endpoint.rate_limits import Limit


def limit_to_two(settings: Any, name: str) -> None:
    settings.CANDOR_LIMITS = settings.CANDOR_LIMITS | {name: Limit(settings.CANDOR_LIMITS[name].things, 2, "hour")}
