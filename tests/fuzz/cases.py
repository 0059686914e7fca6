"""Requests that schemathesis makes of the document, sent through the application; what was answered is checked.

Half of what it makes fits the document and half does not. Of itself it would hardly ever name what is there, so ids,
the digest and the fields of a report are put right in some of the cases, each time a different part.
"""

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import schemathesis
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from collector.endpoint import openapi
from config.openapi import document
from tests.fuzz.scene import Scene
from tests.tools.door import APPLICATION, connection_kept

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
SITE = "http://localhost"
ONE_ADDRESS = 1_300
"""Cases from one address: a little more than its limit, so that the last of them are told so."""
ECHO = 8
"""Letters from which on a value is known again in an answer."""


@dataclass
class Tally:
    """What was answered: by operation, who asked, and status. `faults` are the first of each kind."""

    answers: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    faults: dict[tuple[str, int], str] = field(default_factory=dict)
    addresses: Iterator[int] = field(default_factory=itertools.count)

    @property
    def cases(self) -> int:
        return self.answers.total()


ENDPOINT = f"POST {openapi.ADDRESS}"
"""Where anybody can send anything."""


def shares(schema: Any) -> list[tuple[Any, str, float]]:
    """Every operation, who asks, and which share of the cases: most go to the endpoint."""
    operations = [one.ok() for one in schema.get_all_operations()]
    asked: dict[str, Mapping[str, float]] = {
        one.label: {"owner": 0.6, "stranger": 0.2, "nobody": 0.2} for one in operations
    }
    asked[ENDPOINT] = {"nobody": 0.9, "owner": 0.1}
    weight = {ENDPOINT: 0.7, "GET /api/schema/": 0.01}
    weight |= {one.label: 0.03 for one in operations if one.label.endswith("/plan/")}  # which computes for long
    left = (1 - sum(weight.values())) / (len(operations) - len(weight))
    return [
        (one, who, weight.get(one.label, left) * part) for one in operations for who, part in asked[one.label].items()
    ]


def fuzz(
    scene: Scene,
    cases: int,
    *,
    chance: int,
    only: str | None = None,
    told: Callable[[str], None] = lambda words: None,
) -> Tally:
    """Send about so many cases, or the part of them that is for one operation; the same ones for the same `chance`."""
    schema = schemathesis.openapi.from_wsgi("/api/schema/", APPLICATION)
    tally = Tally()
    for operation, who, share in shares(schema):
        if only not in (None, operation.label):
            continue
        for mode in GenerationMode:
            wanted = tally.cases + max(1, round(cases * share / 2))
            for again in itertools.count():
                before = tally.cases
                _send_all(scene, operation, who, mode, wanted - tally.cases, chance + again, tally)
                # An operation without parameters has a single case.
                if tally.cases >= wanted or tally.cases == before:
                    break
        told(f"{operation.label} as {who}: {tally.cases:,} cases, {len(tally.faults)} faults")
    return tally


def _send_all(
    scene: Scene, operation: Any, who: str, mode: GenerationMode, count: int, chance: int, tally: Tally
) -> None:
    one_by_one = settings(
        max_examples=count, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    left = itertools.count(count, -1)

    @seed(chance)
    @one_by_one
    @given(operation.as_strategy(generation_mode=mode), st.data())
    def send(case: Case, data: st.DataObject) -> None:
        put_right(case, scene, data)
        if next(left) > 0:
            _send(case, scene, who, tally)

    try:
        send()
    except Unsatisfiable:
        return  # nothing about it can be wrong


def put_right(case: Case, scene: Scene, data: st.DataObject) -> None:
    """Let a part of the case name what is there."""
    kinds = {"/runs/": "run", "/analyses/": "analysis", "/exports/": "export"}
    there = dict(scene.ids) | {"key": next((scene.ids[one] for part, one in kinds.items() if part in case.path), "")}
    for name in case.path_parameters:
        if data.draw(st.integers(0, 3)):
            case.path_parameters[name] = there[name]
    if case.path == openapi.ADDRESS:
        if data.draw(st.integers(0, 7)):
            case.headers["Origin"] = SITE
        if isinstance(case.body, dict) and (right := min(data.draw(st.integers(0, 8)), 5)):
            _put_report_right(case, scene, data, right)


def _put_report_right(case: Case, scene: Scene, data: st.DataObject, right: int) -> None:
    """One field more with each step; the last one is a report, of an open or a closed survey, new or known."""
    design = data.draw(st.sampled_from([scene.opened, scene.opened, scene.closed]))
    symbols = data.draw(st.tuples(*(st.integers(0, size - 1) for size in design.alphabets)))
    nonce = data.draw(st.binary(min_size=16, max_size=16)).hex()
    fields = [
        ("design", design.digest),
        ("nonce", data.draw(st.sampled_from([nonce, nonce, scene.stored["nonce"]]))),
        ("stratum", data.draw(st.sampled_from(design.strata))),
        ("report", bytes(symbols).hex()),
    ]
    case.path_parameters["slug"] = design.slug
    case.body = dict(fields) if right == 5 else {**case.body, **dict(fields[:right])}
    if right == 5 and design is scene.opened and data.draw(st.integers(0, 7)) == 0:
        case.body = dict(scene.stored)


def _send(case: Case, scene: Scene, who: str, tally: Tally) -> None:
    address = f"10.0.0.{next(tally.addresses) // ONE_ADDRESS + 1}"
    asked = {"cookies": scene.cookies[who], "headers": scene.headers[who]}
    if case.path.startswith("/api/"):
        with connection_kept(), transaction.atomic():  # what it changed is as it was before the next
            response = case.call(**asked, environ_base={"REMOTE_ADDR": address})
            transaction.set_rollback(True)
    else:
        response = case.call(**asked, environ_base={"REMOTE_ADDR": address})
    tally.answers[case.operation.label, who, response.status_code] += 1
    try:
        case.validate_response(response, checks=CHECKS)
        _nothing_echoed(case, response.status_code, response.content)
    except (Failure, FailureGroup, AssertionError) as fault:
        said = getattr(fault, "exceptions", [fault])
        tally.faults.setdefault((case.operation.label, response.status_code), f"{case!r}\n{said}")


def _nothing_echoed(case: Case, status: int, content: bytes) -> None:
    """A refusal quotes nothing that was sent; but where a researcher is told what is wrong with what she wrote."""
    if status < 400 or (status in (400, 409, 422) and case.path != openapi.ADDRESS):
        return
    known = _written()
    for value in _values([case.body, case.path_parameters, case.query]):
        if len(value) >= ECHO and value not in known:
            assert value.encode("utf-8", "surrogatepass") not in content, f"{value!r} is echoed"


@lru_cache(maxsize=1)
def _written() -> str:
    """The document: a word of its own in a refusal is no echo."""
    return json.dumps(document())


def _values(sent: Any) -> Iterator[str]:
    """Every text and every name in what was sent."""
    if isinstance(sent, Mapping):
        for name, value in sent.items():
            yield from _values([name, value])
    elif isinstance(sent, list | tuple):
        for value in sent:
            yield from _values(value)
    elif isinstance(sent, str):
        yield sent
