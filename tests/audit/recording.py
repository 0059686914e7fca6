"""From the recorder's bytes to submissions: what belongs to which answers."""

import json
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.tools.capture import Request

WALL_CLOCK = time.time() - time.monotonic()
"""The recorder's clock starts anywhere; a page counts from 1970. The difference only has to stay the same."""


@dataclass(frozen=True)
class Submission:
    """One person's answers, and everything that reached the server because of them."""

    answers: tuple[int, ...]
    posts: tuple[Request, ...]
    others: tuple[str, ...]
    """Method and target of every request that is not a report."""
    note: dict[str, Any]
    """What the page saw: see `answer` in page.js."""

    @cached_property
    def fields(self) -> dict[str, str]:
        return json.loads(self.posts[0].body)

    @property
    def symbols(self) -> tuple[int, ...]:
        return tuple(bytes.fromhex(self.fields["report"]))

    @property
    def delay(self) -> float:
        """Milliseconds from the click on Send to the arrival of the request, up to a constant."""
        return (self.posts[0].at + WALL_CLOCK) * 1000 - self.note["clicked"]


def pair_up(rows: list[list[int]], notes: list[dict[str, Any]], requests: list[Request]) -> list[Submission]:
    """Give each request to the submission in whose time it came: from the first answer to the next one's."""
    ends = [_wall(note) for note in notes[1:]] + [float("inf")]
    found, place = [], 0
    for answers, note, end in zip(rows, notes, ends, strict=True):
        mine = []
        while place < len(requests) and (requests[place].at + WALL_CLOCK) * 1000 < end:
            mine.append(requests[place])
            place += 1
        posts = tuple(one for one in mine if one.body and one.target.partition("?")[0].endswith("/reports"))
        others = tuple(f"{one.method} {one.target}" for one in mine if one not in posts)
        found.append(Submission(tuple(answers), posts, others, note))
    return found


def _wall(note: dict[str, Any]) -> float:
    return float(note["begun"])
