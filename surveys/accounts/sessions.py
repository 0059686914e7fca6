"""The sessions of a researcher, for her to see and to end.

They are told apart by a keyed hash of their secret, which no page shows. Of a browser nothing is kept.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.crypto import salted_hmac

from surveys.accounts.audit_log import record_event

BEGAN_AT, USED_AT = "began_at", "used_at"
"""Keys of the session's notes, in seconds: when it was signed in, and when it was used."""


@dataclass(frozen=True)
class OpenSession:
    """A session that has not ended. `used` is known to ten minutes; times of before they were noted are None."""

    name: str
    began: datetime | None
    used: datetime | None
    is_here: bool


def begin(session: SessionBase) -> None:
    """Note when somebody signed in."""
    session[BEGAN_AT] = session[USED_AT] = int(timezone.now().timestamp())


def sessions_of(user: User, here: SessionBase) -> list[OpenSession]:
    """Her sessions, that of this browser first, then those used last."""
    found = []
    for one, data in _stored(user):
        began, used = (_time(data.get(key)) for key in (BEGAN_AT, USED_AT))
        found.append(OpenSession(_name(one), began, used, one.session_key == here.session_key))
    return sorted(found, key=lambda one: (not one.is_here, -(one.used.timestamp() if one.used else 0)))


def end(user: User, name: str, here: SessionBase) -> int:
    """End the session of that name, or all but this one where it is empty; the number of those that ended."""
    keys = [
        one.session_key for one, _ in _stored(user) if one.session_key != here.session_key and name in ("", _name(one))
    ]
    Session.objects.filter(session_key__in=keys).delete()
    if keys:
        record_event(user, "ended sessions", detail=f"{len(keys)} elsewhere")
    return len(keys)


def _stored(user: User) -> Iterator[tuple[Session, Mapping[str, object]]]:
    """All unexpired sessions are read: who they are of stands in their data alone."""
    for one in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        data = one.get_decoded()
        if data.get(SESSION_KEY) == str(user.pk):
            yield one, data


def _name(session: Session) -> str:
    return salted_hmac("candor.sessions", session.session_key, algorithm="sha256").hexdigest()[:32]


def _time(seconds: object) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if isinstance(seconds, int) else None
