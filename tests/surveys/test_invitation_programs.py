"""Invitations by programs: the command and the API give the codes once, and nothing keeps them."""

import csv
import io
import stat
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from collector.invitations.codes import hash_of, is_code
from collector.models import Invitation
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.management.base import REFUSED, USAGE
from surveys.models import AuditEntry, KeptAnswer, Survey, Version
from surveys.opening.services import open_survey
from surveys.outreach import invitations
from tests.factories import payloads
from tests.tools.api import Program

pytestmark = pytest.mark.django_db

ADDRESS = "surveys/campus/invitations/"


@pytest.fixture
def hers(alice: User) -> Program:
    return Program(alice)


def hashes() -> set[bytes]:
    return {bytes(one.hash) for one in Invitation.objects.all()}


def ended(*words: Any) -> int:
    with pytest.raises(CommandError) as ending:
        call_command("invite", *words)
    return ending.value.returncode


def test_invite_command_writes_private_file(invited: Survey, tmp_path: Path) -> None:
    output, out = tmp_path / "codes.csv", io.StringIO()
    call_command("invite", "campus", "--count", 12, "--group", "y1", "--output", output, stdout=out)
    assert out.getvalue() == f"12 invitations of campus, batch 1, are written to {output}.\n"
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    rows = list(csv.DictReader(io.StringIO(output.read_text("utf-8-sig"))))
    assert {hash_of(row["code"].replace(" ", "")) for row in rows} == hashes()
    assert {row["group"] for row in rows} == {"y1"}
    call_command("invite", "campus", "--count", 10, "--output", tmp_path / "cards.pdf", "--cards", stdout=out)
    assert (tmp_path / "cards.pdf").read_bytes().startswith(b"%PDF")


def test_invite_command_impossible_is_refused(invited: Survey, version: Version, tmp_path: Path) -> None:
    output = tmp_path / "codes.csv"
    assert ended("campus", "--count", 9, "--output", output) == USAGE
    assert ended("campus", "--count", 10, "--group", "y9", "--output", output) == USAGE
    assert ended("none", "--count", 10, "--output", output) == REFUSED
    assert list(tmp_path.iterdir()) == []


def test_invite_command_disk_full_stores_no_codes(
    invited: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("surveys.management.base.os.fsync", full)
    assert ended("campus", "--count", 10, "--output", tmp_path / "codes.csv") == REFUSED
    assert list(tmp_path.iterdir()) == []
    assert not hashes()


def test_api_invitations_give_codes_once(invited: Survey, hers: Program) -> None:
    made = hers.post(ADDRESS, {"count": 10, "group": "y2"})
    codes = [one["code"] for one in made["invitations"]]
    assert all(map(is_code, codes))
    assert {hash_of(code) for code in codes} == hashes()
    assert all(one["link"].endswith(f"&group=y2&invitation={one['code']}") for one in made["invitations"])
    (batch,) = hers.get(ADDRESS)
    assert batch | {"made_on": ""} == {
        "number": 1, "kind": "api", "group": "y2", "count": 10, "made_on": "", "withdrawn_on": None,
    }  # fmt: skip
    as_csv = hers("POST", ADDRESS, {"count": 11, "format": "csv"})
    assert (as_csv.status_code, as_csv["Content-Type"], as_csv["Cache-Control"]) == (
        201, "text/csv; charset=utf-8", "no-store",
    )  # fmt: skip
    assert len(as_csv.content.splitlines()) == 12
    assert AuditEntry.objects.latest("pk").detail == "batch 2: 11, api"


def test_api_invitations_refuse_idempotency_key(invited: Survey, hers: Program) -> None:
    said = hers.refused(400, "POST", ADDRESS, {"count": 10}, Idempotency_Key="k1")
    assert "not stored" in said["detail"]
    assert not KeptAnswer.objects.exists()
    assert not hashes()


def test_api_invitations_revoke_and_errors(invited: Survey, hers: Program, version: Version) -> None:
    hers.post(ADDRESS, {"count": 10})
    hers.done("DELETE", f"{ADDRESS}1/")
    assert not hashes()
    assert hers.get(ADDRESS)[0]["withdrawn_on"]
    hers.refused(404, "DELETE", f"{ADDRESS}2/")
    assert hers.refused(422, "POST", ADDRESS, {"count": 9})["errors"][0]["field"] == "count"
    assert hers.refused(422, "POST", ADDRESS, {"count": 10, "group": "y9"})["errors"][0]["field"] == "group"
    assert (
        "does not use single-use links"
        in hers.refused(409, "POST", "surveys/link/invitations/", {"count": 10})["detail"]
    )


@pytest.fixture
def version(alice: User) -> Version:
    """A survey with an open link."""
    return open_survey(write_survey(payloads.definition(slug="link"), team=home_team(alice)))


def test_invitations_repr_hides_codes(invited: Survey) -> None:
    """A line of a log, or a page for a fault, would write an object as it is written here."""
    made = invitations.make(invited, 10, kind="csv", by=None)
    assert not any(code in repr(made) for code in made.codes)
