"""From the recorder's bytes to submissions: what belongs to which answers."""

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.tools.capture import Request


@dataclass(frozen=True)
class Submission:
    """One person's answers, and everything that reached the server because of them."""

    answers: tuple[int, ...]
    posts: tuple[Request, ...]
    others: tuple[str, ...]
    """Method and target of every request that is not a report."""
    note: dict[str, Any]
    """What the page saw: see `answer` in page.js."""
    clock: float
    """Milliseconds from the recorder's clock to the page's, as measured in this document."""

    @cached_property
    def fields(self) -> dict[str, str]:
        return json.loads(self.posts[0].body)

    @property
    def symbols(self) -> tuple[int, ...]:
        return tuple(bytes.fromhex(self.fields["report"]))

    @property
    def delay(self) -> float:
        """Milliseconds from the click on Send to the arrival of the request."""
        return self.posts[0].at * 1000 + self.clock - self.note["clicked"]


ICON = re.compile(r"GET /static/\S+/icon\.\w+\.svg")
"""A browser fetches it once, at a time of its own; with a query it would be something else."""


def pair_up(
    rows: list[list[int]], notes: list[dict[str, Any]], requests: list[Request], clock: float
) -> list[Submission]:
    """Give each request to the submission in whose time it came: from the first answer to the next one's."""
    ends = [note["begun"] for note in notes[1:]] + [float("inf")]
    found, place = [], 0
    for answers, note, end in zip(rows, notes, ends, strict=True):
        mine = []
        while place < len(requests) and requests[place].at * 1000 + clock < end:
            mine.append(requests[place])
            place += 1
        posts = tuple(one for one in mine if one.body and one.target.partition("?")[0].endswith("/reports"))
        rest = (f"{one.method} {one.target}" for one in mine if one not in posts)
        others = tuple(name for name in rest if not ICON.fullmatch(name))
        found.append(Submission(tuple(answers), posts, others, note, clock))
    return found
