"""Everything that a stranger can send: one shape is a report, the rest is refused by name."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.designs import check
from collector.endpoint.parsing import LARGEST_BODY, check_against, parse
from collector.errors import RequestRefused
from tests.factories import payloads
from tests.tools.refusals import refuses

DESIGN = check(payloads.document())


def test_parse_valid_body_returns_report() -> None:
    parsed = parse(payloads.body(DESIGN, report="0102"))
    assert parsed.report == b"\x01\x02"
    assert parsed.stratum == "y1"
    check_against(parsed, DESIGN)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"{",
        b"\xff\xfe",
        b'"text"',
        b"[" * 10_000,
        b'{"a":' * 2_000,
        b"NaN",
        b'{"design":NaN}',
        b"1e999",
        b'{"design":"\\ud800"}',
        b"\x00",
    ],
)
def test_parse_other_json_answers_422(body: bytes) -> None:
    with refuses(422) as caught:
        parse(body)
    assert caught.value.field == "body"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("design", "a" * 63),
        ("design", "A" * 64),
        ("design", 1),
        ("design", None),
        ("nonce", "0" * 31),
        ("nonce", "0" * 32 + "\n"),
        ("nonce", True),
        ("stratum", "Y 1"),
        ("stratum", None),
        ("stratum", 0),
        ("report", ""),
        ("report", "0"),
        ("report", "0g"),
        ("report", [0, 1]),
        ("report", 1e999),
        ("report", -0.0),
        ("report", {"a": 1}),
        ("report", "٠١"),
    ],
)
def test_parse_invalid_field_is_named(field: str, value: Any) -> None:
    with refuses(422) as caught:
        parse(json.dumps(payloads.report(DESIGN, **{field: value})).encode())
    assert caught.value.field == field


def test_parse_extra_or_missing_field_is_rejected() -> None:
    fields = payloads.report(DESIGN)
    for changed in ({**fields, "answer": "1"}, {name: fields[name] for name in ("design", "nonce", "report")}):
        with refuses(422, match="exactly the fields"):
            parse(json.dumps(changed).encode())


@pytest.mark.parametrize("sent", ["", "0" * 27, "O" * 28, "i" * 28, "=" * 598, None, 28, ["0" * 28]])
def test_parse_malformed_invitation_is_rejected(sent: Any) -> None:
    with refuses(422, match="invitation must be the 28 symbols of an invitation, or the 598 of a token"):
        parse(payloads.body(DESIGN, invitation=sent))


def test_parse_repeated_field_is_rejected() -> None:
    body = payloads.body(DESIGN)
    doubled = body[:-1] + b',"report":"0000"}'
    with refuses(422, match="one JSON object"):
        parse(doubled)


def test_parse_large_body_answers_413() -> None:
    with refuses(413, match=f"at most {LARGEST_BODY} bytes"):
        parse(b" " * (LARGEST_BODY + 1))


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"report": "01"}, "report must have 2 symbols; got 1"),
        ({"report": "010000"}, "report must have 2 symbols; got 3"),
        ({"report": "0200"}, "symbol 0 must be from 0 to 1; got 2"),
        ({"report": "0103"}, "symbol 1 must be from 0 to 2; got 3"),
        ({"report": "ff00"}, "symbol 0 must be from 0 to 1; got 255"),
        ({"stratum": ""}, r"stratum must be y1, y2\.$"),
        ({"stratum": "y3"}, r"stratum must be y1, y2\.$"),
    ],
)
def test_check_report_outside_design_is_rejected(changes: dict[str, str], fault: str) -> None:
    with refuses(422, match=fault):
        check_against(parse(payloads.body(DESIGN, **changes)), DESIGN)


@pytest.mark.parametrize(
    ("kind", "sent", "fault"),
    [
        ("", "0" * 28, "must be left out"),
        ("secret", None, "must have 28 symbols"),
        ("secret", "A" * 598, "must have 28 symbols"),
        ("blind", "0" * 28, "must have 598 symbols"),
        ("secret", "0" * 28, ""),
        ("blind", "A" * 598, ""),
    ],
)
def test_check_invitation_must_match_design(kind: str, sent: str | None, fault: str) -> None:
    asked = {"kind": kind} | ({"modulus": "f" * 768} if kind == "blind" else {})
    design = check(payloads.document(**({"invitations": asked} if kind else {})))
    report = parse(payloads.body(design, **({} if sent is None else {"invitation": sent})))
    if not fault:
        check_against(report, design)
        return
    with refuses(422, match=fault):
        check_against(report, design)


@given(st.binary(max_size=300) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_parse_random_bytes_are_rejected(body: bytes) -> None:
    with pytest.raises(RequestRefused):
        parse(body)


@given(
    st.fixed_dictionaries(
        {name: st.none() | st.booleans() | st.integers() | st.floats() | st.text() for name in payloads.report(DESIGN)}
    )
)
def test_parse_random_values_are_rejected(fields: dict[str, Any]) -> None:
    with pytest.raises(RequestRefused):
        check_against(parse(json.dumps(fields).encode()), DESIGN)
