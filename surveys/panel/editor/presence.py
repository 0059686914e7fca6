"""Who has a draft open in the editor, and at which question. Nothing of it outlasts half a minute."""

import time
from dataclasses import asdict, dataclass

from django.contrib.auth.models import User
from django.core.cache import cache

from surveys.models import Survey

SECONDS = 30
LONGEST = 100


@dataclass(frozen=True)
class Presence:
    """One open tab: whose it is, at which part of the draft, and when it was heard of last."""

    name: str
    at: str
    seen: float


def announce(survey: Survey, user: User, *, tab: str, at: str) -> list[dict[str, object]]:
    """Note an open tab, and return the others'."""
    key, now = f"editing:{survey.pk}", time.time()
    tabs: dict[str, Presence] = {name: one for name, one in (cache.get(key) or {}).items() if one.seen > now - SECONDS}
    tabs[tab[:LONGEST]] = Presence(user.get_full_name() or user.get_username(), at[:LONGEST], now)
    cache.set(key, tabs, SECONDS)
    return [{"tab": name, **asdict(one)} for name, one in tabs.items() if name != tab[:LONGEST]]
