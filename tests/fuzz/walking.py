"""A stranger walks ids: random ones, and those that are a step away from what is there, or there and somebody else's.

To her every one of them must look like one that is nowhere: the same status, the same bytes.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from surveys.accounts.invitations import invite
from surveys.accounts.teams import home_team
from surveys.models import Role, Survey
from tests.fuzz.scene import Scene
from tests.panel.access import ADMIN, ROWS, Row

SECRETS = b"Campus", b"campus", b"cheated", b"alice"
NOWHERE = {
    "survey": ["no-such"], "run": ["0" * 32], "analysis": ["0" * 32], "rehearsal": ["no-such", 1],
    "team": [987_654_321], "member": [987_654_321, 987_654_321], "invitation": [987_654_321, 987_654_321],
    "draft": [987_654_321],
}  # fmt: skip
"""By what an address is about: an id that there is not."""


@dataclass
class Walked:
    asked: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def walk(scene: Scene, count: int, *, chance: int) -> Walked:
    """Ask for about so many ids, the same ones for the same `chance`, by every address that takes one."""
    stranger, drawn, walked = Client(), random.Random(chance), Walked()
    mallory = User.objects.create_user("mallory", is_staff=True)  # of no team
    stranger.force_login(mallory, backend="django.contrib.auth.backends.ModelBackend")
    there = _there(scene)
    rows = [(name, row) for name, row in (ROWS | ADMIN).items() if row.about in NOWHERE]
    rows += [(f"estimator:{name}", Row("run", {"GET": Role.OWNER})) for name in ("report", "report-csv", "report-json")]
    for name, row in rows:
        for method in row.methods:
            like = _ask(stranger, method, name, NOWHERE[row.about])
            if like[0] not in (404, 302) or any(secret in like[2] for secret in SECRETS):
                walked.faults.append(f"{method} {name}: {like[0]} for what is nowhere")
            for ids in _walk(
                row.about, there[row.about], drawn, max(1, count // sum(len(row.methods) for _, row in rows))
            ):
                walked.asked += 1
                walked.by_kind[row.about] = walked.by_kind.get(row.about, 0) + 1
                if _ask(stranger, method, name, ids) != like:
                    walked.faults.append(f"{method} {name} {ids}: not as what is nowhere")
    return walked


def _there(scene: Scene) -> dict[str, list[Any]]:
    """What there is, all of it alice's."""
    alice = User.objects.get(username="alice")
    team = home_team(alice)
    member, (invitation, _) = team.memberships.get(user=alice), invite(team, Role.VIEWER, by=alice)
    return {
        "survey": [scene.ids["slug"]], "run": [scene.ids["run"]], "analysis": [scene.ids["analysis"]],
        "rehearsal": [scene.ids["slug"], scene.ids["number"]], "team": [team.pk], "member": [team.pk, member.pk],
        "invitation": [team.pk, invitation.pk], "draft": [Survey.objects.get(slug=scene.ids["slug"]).pk],
    }  # fmt: skip


def _ask(client: Client, method: str, name: str, ids: list[Any]) -> tuple[int, str, bytes]:
    answer = client.generic(method, reverse(name, args=ids))
    return answer.status_code, answer.get("Location", ""), answer.content


def _walk(about: str, there: list[Any], drawn: random.Random, count: int) -> Iterator[list[Any]]:
    """First what is there, then its neighbours, then any."""
    yield there
    for step in range(1, count):
        near = step <= count // 2
        yield [_near(value, drawn) if near else _any(value, drawn) for value in there]


def _near(value: Any, drawn: random.Random) -> Any:
    """A step away: the next numbers, one digit, one letter; of several parts some stay as they are."""
    if drawn.random() < 0.3:
        return value
    if isinstance(value, int):
        return max(0, value + drawn.randint(-20, 20))
    place = drawn.randrange(len(value))
    letter = drawn.choice("0123456789abcdef")
    changed = value[:place] + letter + value[place + 1 :]
    return changed if len(value) == 32 or drawn.random() < 0.5 else changed + letter


def _any(value: Any, drawn: random.Random) -> Any:
    if isinstance(value, int):
        return drawn.choice([drawn.randrange(10**4), drawn.randrange(2**31), drawn.randrange(2**63), 2**64 + 1])
    length = 32 if len(value) == 32 else drawn.randint(1, 40)
    return "".join(drawn.choices("0123456789abcdef" if length == 32 else "abcdefghijklmnopqrstuvwxyz-_0", k=length))
