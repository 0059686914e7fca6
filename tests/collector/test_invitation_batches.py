"""Batches of invitations: made, listed and withdrawn; the store keeps hashes, in no order of any doing."""

import secrets
from typing import Any

import pytest
from django.db import connection

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from collector.invitations import batches
from collector.invitations.codes import hash_of, new_code
from collector.models import Invitation
from tests.factories import payloads

pytestmark = pytest.mark.django_db


def hashes(count: int = 10) -> list[bytes]:
    return [hash_of(new_code()) for _ in range(count)]


def design(**changes: Any) -> Design:
    return freeze_design(payloads.document(invitations={"kind": "secret"}, **changes))


def test_invitation_batch_stores_hashes_only() -> None:
    invited, made = design(), hashes(1_234)
    assert batches.add(invited.digest, made, stratum=None, kind="file") == 1
    assert batches.add(invited.digest, hashes(), stratum="y2", kind="cards") == 2
    rows = Invitation.objects.filter(batch=1)
    assert sorted(bytes(one) for one in rows.values_list("hash", flat=True)) == sorted(made)
    first, second = batches.batches(invited.digest)
    assert (first.number, first.stratum, first.kind, first.count) == (1, None, "file", 1_234)
    assert (second.number, second.stratum, second.kind, second.count) == (2, "y2", "cards", 10)
    assert first.withdrawn_on is second.withdrawn_on is None


def test_invitation_rows_lie_in_order_of_hashes() -> None:
    invited, made = design(), hashes(300)
    batches.add(invited.digest, made, stratum=None, kind="file")
    with connection.cursor() as cursor:
        cursor.execute("SELECT hash FROM collector_invitation")
        assert [bytes(row[0]) for row in cursor.fetchall()] == sorted(made)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"hashes": hashes(9)}, "at least 10 codes; got 9"),
        ({"hashes": hashes(5) * 2}, "differ from each other"),
        ({"hashes": [secrets.token_bytes(31) for _ in range(10)]}, "of 32 bytes"),
        ({"stratum": "y3"}, "one of the survey's groups; got 'y3'"),
        ({"kind": "By mail"}, "1 to 16 small letters; got 'By mail'"),
    ],
)
def test_invitation_batch_invalid_input_is_rejected(given: dict[str, Any], words: str) -> None:
    invited = design()
    sound = {"hashes": hashes(), "stratum": None, "kind": "file"}
    asked = sound | given
    with pytest.raises(ValueError, match=words):
        batches.add(invited.digest, asked.pop("hashes"), **asked)
    assert not Invitation.objects.exists()


def test_invitation_batch_needs_open_survey_with_codes() -> None:
    invited, link = design(), freeze_design(payloads.document(version=2))
    ungrouped = design(version=3, strata={"wording": {"en": ""}, "groups": []})
    with pytest.raises(ValueError, match="must use single-use links"):
        batches.add(link.digest, hashes(), stratum=None, kind="file")
    with pytest.raises(ValueError, match="one of the survey's groups; got ''"):
        batches.add(ungrouped.digest, hashes(), stratum="", kind="file")
    close_design(invited.digest)
    with pytest.raises(ValueError, match="must be open"):
        batches.add(invited.digest, hashes(), stratum=None, kind="file")


def test_invitation_batch_withdrawn_is_deleted() -> None:
    invited = design()
    for _ in range(2):
        batches.add(invited.digest, hashes(), stratum=None, kind="file")
    assert batches.withdraw(invited.digest, 1) == 10
    assert batches.withdraw(invited.digest, 1) == 0
    assert Invitation.objects.count() == 10
    withdrawn, left = batches.batches(invited.digest)
    assert withdrawn.withdrawn_on is not None
    assert left.withdrawn_on is None
    with pytest.raises(ValueError, match="one of the survey's; got 3"):
        batches.withdraw(invited.digest, 3)
    assert batches.add(invited.digest, hashes(), stratum=None, kind="file") == 3, "no number is given twice"
