"""One invitation, one report: used up in the report's own transaction, and by nothing that is refused."""

import json
import secrets
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from django.db import connection

from collector.designs import Design
from collector.designs.selectors import get_design
from collector.designs.services import close_design, freeze_design
from collector.endpoint.writer import Writer
from collector.errors import Conflict, RequestRefused
from collector.invitations import batches
from collector.invitations.codes import check_symbol, hash_of, new_code
from collector.models import Invitation, UsedToken, WaitingReport
from collector.reports import rewriting, selectors, storing
from collector.reports.storing import NewReport, Outcome
from tests.factories import payloads
from tests.factories.reports import fold_waiting, store_report
from tests.tools.refusals import refuses

STORED, KNOWN, TAKEN, CLOSED, UNINVITED = Outcome
MODULUS = "8" + "0" * 766 + "1"
"""Of no key: tokens come here by their hashes, as the door gives them on."""


@pytest.fixture
def codes() -> list[str]:
    return [new_code() for _ in range(10)]


@pytest.fixture
def invited(db: None, codes: list[str]) -> Design:
    """An open survey by code, with one batch for every group."""
    design = freeze_design(payloads.document(invitations={"kind": "secret"}))
    batches.add(design.digest, [hash_of(code) for code in codes], stratum=None, kind="file")
    return design


@pytest.fixture
def blind(db: None) -> Design:
    return freeze_design(payloads.document(invitations={"kind": "blind", "modulus": MODULUS}))


def new(design: Design, invitation: bytes, **changes: object) -> NewReport:
    sound = {"nonce": secrets.token_bytes(16), "digest": design.digest, "stratum": 0, "report": b"\1\2", "mode": 0}
    return NewReport(**sound | changes, invitation=invitation)  # type: ignore[arg-type]


def send(design: Design, code: str, **changes: Any) -> bool:
    return store_report(payloads.body(design, **{"invitation": code} | changes))


@pytest.mark.django_db
def test_invitation_is_used_by_its_report(invited: Design, codes: list[str]) -> None:
    body = payloads.body(invited, invitation=codes[0])
    assert store_report(body)
    assert not store_report(body), "a retry is known, though its code is gone"
    fold_waiting(invited)
    assert not store_report(body)
    with refuses(403, match="was used before"):
        send(invited, codes[0])
    assert (selectors.received_count(invited.digest), Invitation.objects.count()) == (1, 9)
    assert not Invitation.objects.filter(hash=hash_of(codes[0])).exists()


@pytest.mark.django_db
def test_invitation_every_fault_gives_one_message(invited: Design, codes: list[str]) -> None:
    other = freeze_design(payloads.document(version=2, invitations={"kind": "secret"}))
    grouped, foreign, gone = ([new_code() for _ in range(10)] for _ in range(3))
    for design, made, stratum in ((invited, grouped, "y2"), (other, foreign, None), (invited, gone, None)):
        batches.add(design.digest, [hash_of(code) for code in made], stratum=stratum, kind="file")
    batches.withdraw(invited.digest, 3)
    send(invited, codes[0])
    mistyped = codes[1][:-1] + next(symbol for symbol in "0123" if symbol != check_symbol(codes[1][:-1]))
    said = set()
    for code in (codes[0], mistyped, new_code(), foreign[0], gone[0], grouped[0]):
        with refuses(403) as refused:
            send(invited, code, stratum="y1")
        said.add((refused.value.status, json.dumps(refused.value.to_dict())))
        assert code not in str(refused.value.to_dict())
    assert len(said) == 1
    assert send(invited, grouped[0], stratum="y2"), "it was not used up in the wrong group"
    assert selectors.received_count(invited.digest) == 2


@pytest.mark.django_db
def test_invitation_rejected_report_leaves_it_unused(invited: Design, codes: list[str]) -> None:
    sent = payloads.report(invited, invitation=codes[0])
    send(invited, codes[0], nonce=sent["nonce"])
    for changes, status in (
        ({"report": "0909"}, 422),
        ({"stratum": "y3"}, 422),
        ({"nonce": sent["nonce"], "report": "0101"}, 409),
    ):
        with refuses(status):
            send(invited, codes[1], **changes)
    assert send(invited, codes[1])
    close_design(invited.digest)
    with refuses(410):
        send(invited, codes[2])
    assert Invitation.objects.count() == 8


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["invited", "blind"])
def test_store_batch_shared_invitation_goes_to_first(
    kind: str, request: pytest.FixtureRequest, codes: list[str]
) -> None:
    design = request.getfixturevalue(kind)
    one, two, three = (hash_of(code) for code in codes[:3])
    first, again, other = new(design, one, nonce=b"\xff" * 16), new(design, one, nonce=b"\0" * 16), new(design, two)
    assert storing.store([first, again, other, first, again]) == [STORED, UNINVITED, STORED, KNOWN, UNINVITED]
    assert storing.store([again, again._replace(invitation=three), again]) == [UNINVITED, STORED, KNOWN]
    assert storing.store([first._replace(invitation=two), other._replace(report=b"\0\0")]) == [KNOWN, TAKEN]
    assert {bytes(one.nonce) for one in WaitingReport.objects.all()} == {first.nonce, again.nonce, other.nonce}
    assert UsedToken.objects.count() == (3 if kind == "blind" else 0)
    assert Invitation.objects.count() == (0 if kind == "blind" else 7)


@pytest.mark.django_db
def test_store_batch_invitation_goes_to_right_stratum(invited: Design) -> None:
    made = [hash_of(new_code()) for _ in range(10)]
    batches.add(invited.digest, made, stratum="y2", kind="file")
    wrong, right, late = (new(invited, made[0], stratum=stratum) for stratum in (0, 1, 1))
    assert storing.store([wrong, right, late]) == [UNINVITED, STORED, UNINVITED]


@pytest.mark.django_db
def test_store_batch_mixes_kinds_of_surveys(invited: Design, blind: Design, codes: list[str], design: Design) -> None:
    invitation = hash_of(codes[0])
    batch = [
        new(design, b"")._replace(invitation=None),
        new(blind, invitation),
        new(invited, hash_of("none")),
        new(invited, invitation),
        new(blind, invitation),
    ]
    assert storing.store(batch) == [STORED, STORED, UNINVITED, STORED, UNINVITED]
    fold_waiting(invited)
    assert storing.store(batch) == [KNOWN, KNOWN, UNINVITED, KNOWN, UNINVITED]


@pytest.mark.django_db
def test_store_folded_nonce_leaves_invitation_unused(invited: Design, codes: list[str]) -> None:
    """It is written once more, found there and taken back, all in one transaction."""
    first = new(invited, hash_of(codes[0]))
    storing.store([first])
    fold_waiting(invited)
    assert storing.store([first._replace(invitation=hash_of(codes[1]))]) == [KNOWN]
    assert Invitation.objects.count() == 9
    assert not WaitingReport.objects.exists()


@pytest.mark.django_db
def test_store_open_link_survey_runs_no_extra_statement(design: Design) -> None:
    said: list[str] = []

    def listen(execute: Any, statement: str, *rest: Any) -> Any:
        said.append(statement)
        return execute(statement, *rest)

    get_design(design.digest)  # as the endpoint has, once in its process, before it stores
    with connection.execute_wrapper(listen):
        storing.store([new(design, b"")._replace(invitation=None) for _ in range(3)])
    touched = [statement for statement in said if "invitation" in statement or "usedtoken" in statement]
    assert touched == []
    assert len([one for one in said if "SAVEPOINT" not in one]) == (1 if connection.vendor == "postgresql" else 3)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["secret", "blind"])
def test_invitation_parallel_senders_store_one_report_each(kind: str) -> None:
    """Each invitation is sent by five threads, with another nonce by each, and by one of them twice.

    Half of them hand their reports to the process's one writer, half store them by themselves, as other processes do.
    """
    more = {"modulus": MODULUS} if kind == "blind" else {}
    design = freeze_design(payloads.document(invitations={"kind": kind} | more))
    hashes = [hash_of(new_code()) for _ in range(200)]
    if kind == "secret":
        batches.add(design.digest, hashes, stratum=None, kind="file")
    sent = [new(design, one) for one in hashes for _ in range(5)]
    Random(7).shuffle(sent)
    parts = [sent[number::50] for number in range(50)]
    writer = Writer(storing.store, waiting=1_000, patience=60)

    def go(number: int) -> list[tuple[bytes, Outcome]]:
        mine = [*parts[number], parts[number][0]]
        try:
            outcomes = [writer.put(one) for one in mine] if number % 2 else storing.store(mine)
        finally:
            connection.close()
        return [(one.invitation or b"", outcome) for one, outcome in zip(mine, outcomes, strict=True)]

    with ThreadPoolExecutor(50) as pool:
        outcomes = [pair for pairs in pool.map(go, range(50)) for pair in pairs]
    stored = Counter(invitation for invitation, outcome in outcomes if outcome is STORED)
    assert stored == Counter(hashes)
    assert {outcome for _, outcome in outcomes} <= {STORED, KNOWN, UNINVITED}
    assert selectors.received_count(design.digest) == 200
    assert Invitation.objects.count() == 0
    assert UsedToken.objects.count() == (200 if kind == "blind" else 0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["secret", "blind"])
def test_store_during_rewrite_uses_each_invitation_once(kind: str) -> None:
    """Their tables are emptied and filled, or packed, under those who use them."""
    more = {"modulus": MODULUS} if kind == "blind" else {}
    design = freeze_design(payloads.document(invitations={"kind": kind} | more))
    hashes = [hash_of(new_code()) for _ in range(60)]
    if kind == "secret":
        batches.add(design.digest, hashes, stratum=None, kind="file")

    def go(part: int) -> list[Outcome]:
        try:
            return [storing.store([new(design, one)])[0] for one in hashes[part::4] for _ in range(2)]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        going = [pool.submit(go, part) for part in range(4)]
        while not all(one.done() for one in going):
            with suppress(Conflict):
                rewriting.rewrite()
    for one in going:
        assert one.result() == [STORED, UNINVITED] * 15
    assert selectors.received_count(design.digest) == 60


@pytest.mark.django_db
def test_invited_survey_report_without_code_is_rejected(invited: Design) -> None:
    for body in (payloads.body(invited), payloads.body(invited, invitation="0" * 598)):
        with pytest.raises(RequestRefused, match="must have 28 symbols"):
            store_report(body)
