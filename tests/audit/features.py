"""What a server can see of a submission, feature by feature."""

import json
import re
from collections.abc import Callable, Hashable, Iterable

from tests.audit.recording import Submission
from tests.tools.capture import Request

MASKED = ("nonce", "report", "stratum")
"""The fields that are random by design, and what is told openly; they have tests of their own."""

NONCE_BITS = 128


def _head(part: Callable[[Request], Hashable]) -> Callable[[Submission], Hashable]:
    """A feature of every request that carried the report."""
    return lambda one: tuple(part(post) for post in one.posts)


def _names(post: Request) -> Hashable:
    return tuple(name for name, _ in post.headers)


def _keys(post: Request) -> Hashable:
    return tuple(json.loads(post.body, object_pairs_hook=lambda pairs: [key for key, _ in pairs]))


def _fixed_values(post: Request) -> Hashable:
    return tuple((key, str(value)) for key, value in json.loads(post.body).items() if key not in MASKED)


def _masked(post: Request) -> Hashable:
    """The bytes of the body with the values of those fields blotted out, at their length."""
    fields, body = json.loads(post.body), post.body.decode("latin-1")
    for name in MASKED:
        body = body.replace(f'"{fields[name]}"', f'"{"*" * len(fields[name])}"')
    return body


def _masked_head(post: Request) -> Hashable:
    """The bytes of the head, with what is sent for work blotted out at its length: it is the nonce's, and tested so."""
    return re.sub(rb"(?im)^(Candor-Work: )([^\r\n]*)", lambda found: found[1] + b"*" * len(found[2]), post.head)


INVARIANTS: dict[str, Callable[[Submission], Hashable]] = {
    "requests for a report": lambda one: len(one.posts),
    "other requests": lambda one: one.others,
    "method": _head(lambda post: post.method),
    "address": _head(lambda post: post.target),
    "header names and their order": _head(_names),
    "header values": _head(_masked_head),
    "body length": _head(lambda post: len(post.body)),
    "body keys and their order": _head(_keys),
    "body but for nonce, report and stratum": _head(_masked),
    "other values of the body": _head(_fixed_values),
    "cookies, storage, address and title after it": lambda one: one.note["stored"],
    "end of the page": lambda one: one.note["end"],
    "random words after the first answer": lambda one: one.note["after"],
    "random words before the first answer": lambda one: one.note["before"],
    "tickets derived after the first answer": lambda one: one.note["signed"],
}
"""Each has one value only over all submissions, whatever is answered and drawn."""

DEMANDED: dict[str, Hashable] = {
    "requests for a report": 1,
    "other requests": (),
    "end of the page": "sent",
    "random words after the first answer": 0,
    "tickets derived after the first answer": 0,
}
"""Where the one value is known beforehand."""


def values(feature: str, submissions: Iterable[Submission]) -> list[Hashable]:
    return [INVARIANTS[feature](one) for one in submissions]


def nonce_bits(one: Submission) -> list[int]:
    number = int(one.fields["nonce"], 16)
    return [number >> place & 1 for place in range(NONCE_BITS)]
