"""The respondent's addresses: the same bytes for everyone, and no cookie."""

import gzip
import random
import re
from collections import defaultdict
from hashlib import sha256
from http.cookies import SimpleCookie

import brotli
import pytest
from django.test import Client

from config.middleware import RESPONDENT_POLICY, STATIC_POLICY
from surveys.lifecycle import services
from surveys.models import Survey, Version
from surveys.opening.services import open_survey
from surveys.respondent.stored_pages import packed as compressed
from tests.tools.designs import stored_page

ADDRESS = re.compile(r'(?:href|src)="(/static/[^"]+)"')

pytestmark = pytest.mark.django_db


def addresses() -> list[str]:
    """The page, the design, the own-coin page, and every module and style sheet that the pages name."""
    pages = ["/s/campus/", "/s/campus/coin/", "/spent/", "/spent/ar/"]
    named = {found for page in pages for found in ADDRESS.findall(Client().get(page).content.decode())}
    assert {name.rpartition(".")[2] for name in named} == {"js", "css", "svg"}
    return [*pages, "/s/campus/design.json", *sorted(named)]


def fetched(
    client: Client, address: str, source: random.Random, encoding: str
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """SHA-256 and headers of what a visitor of these random features gets."""
    client.cookies = SimpleCookie({name: source.randbytes(8).hex() for name in ("sessionid", "csrftoken", "language")})
    headers = {
        "accept-language": source.choice(["en", "de-DE,de;q=0.9", "ar", "fr;q=0.1", "*"]),
        "user-agent": f"Browser/{source.random()}",
        "accept-encoding": encoding,
        "x-forwarded-for": f"192.0.2.{source.randrange(256)}",
        "referer": source.choice(["https://example.org/", ""]),
        "dnt": source.choice("01"),
    }
    query = {"utm": source.random()} if source.random() < 0.5 else {}
    response = client.get(address, query, headers=headers, REMOTE_ADDR=f"10.0.0.{source.randrange(256)}")
    assert response.status_code == 200
    assert not response.cookies
    body = response.getvalue()
    if response.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    else:
        assert encoding != "gzip" or address.endswith(".svg"), "but for a picture that is too small, all is compressed"
    kept = tuple(sorted((name, value) for name, value in response.headers.items() if name != "Date"))
    return sha256(body).hexdigest(), kept


def test_respondent_pages_same_bytes_for_everyone(version: Version) -> None:
    """1,000 fetches with different cookies, languages, browsers, addresses, queries: one hash, one set of headers."""
    source = random.Random(7)
    client = Client()
    everything = addresses()
    seen = defaultdict(set)
    for number in range(1000):
        encoding = "gzip" if number % 2 else "identity"
        address = everything[number // 2 % len(everything)]
        seen[address, encoding].add(fetched(client, address, source, encoding))
    assert len(seen) == 2 * len(everything)
    assert {key: len(found) for key, found in seen.items() if len(found) != 1} == {}
    digests = {
        address: {digest for encoding in ("gzip", "identity") for digest, _ in seen[address, encoding]}
        for address in everything
    }
    assert {address for address, found in digests.items() if len(found) != 1} == set()
    assert digests["/s/campus/"] == {sha256(stored_page(version)).hexdigest()}
    assert digests["/s/campus/design.json"] == {version.design_id}


def test_compression_twice_gives_same_bytes(version: Version) -> None:
    def raw() -> bytes:
        compressed.cache_clear()
        return Client().get("/s/campus/", headers={"accept-encoding": "gzip"}).content

    assert raw() == raw()


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("", False),
        ("identity", False),
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("deflate,gzip ; q=1.0,br", True),
        ("gzip;q=0", False),
        ("gzip;q=0.000, br", False),
        ("notgzip, gzipped", False),
    ],
)
@pytest.mark.parametrize("address", ["/s/campus/", "/s/campus/design.json"])
def test_compression_follows_accept_encoding(version: Version, address: str, accepted: str, packed: bool) -> None:
    response = Client().get(address, headers={"accept-encoding": accepted})
    assert response.get("Content-Encoding") == ("gzip" if packed else None)
    assert response["Vary"] == "Accept-Encoding"
    assert (response.content[:2] == b"\x1f\x8b") is packed


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [("gzip, deflate, br, zstd", "br"), ("gzip, deflate", "gzip"), ("br;q=0.5", "br"), ("identity", None), ("", None)],
)
def test_static_files_travel_by_brotli_or_gzip(version: Version, accepted: str, encoding: str | None) -> None:
    read = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}[encoding]
    for address in (address for address in addresses() if address.endswith((".js", ".css"))):
        response = Client().get(address, headers={"accept-encoding": accepted})
        assert (response.get("Content-Encoding"), response["Vary"]) == (encoding, "Accept-Encoding")
        plain = Client().get(address, headers={"accept-encoding": "identity"})
        assert read(response.getvalue()) == plain.getvalue(), "the bytes whose hash the page names"


def test_design_json_hashes_to_the_digest(version: Version) -> None:
    response = Client().get("/s/campus/design.json")
    assert sha256(response.content).hexdigest() == version.design_id
    assert response["Content-Type"] == "application/json"


@pytest.mark.parametrize("address", ["/s/campus/", "/s/campus/design.json", "/s/campus/reports", "/s/nothing/"])
def test_headers_on_every_respondent_address(version: Version, address: str) -> None:
    response = Client().get(address)
    assert response["Content-Security-Policy"] == RESPONDENT_POLICY
    assert response["Integrity-Policy"] == "blocked-destinations=(script)"
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"
    assert response["Permissions-Policy"].startswith("accelerometer=(), camera=()")
    assert response["Cache-Control"] == "no-store"
    assert not response.cookies


def test_static_files_have_only_needed_headers(version: Version) -> None:
    """A page loads forty of them, and every header is as heavy as a line of code."""
    for ending, policy in (("js", None), ("css", None), ("svg", STATIC_POLICY)):
        address = next(found for found in addresses() if found.endswith(f".{ending}"))
        response = Client().get(address)
        assert response.get("Content-Security-Policy") == policy
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Cross-Origin-Resource-Policy"] == "same-origin"
        assert response["Cache-Control"] == "max-age=315360000, public, immutable"
        for silent in ("ETag", "Last-Modified", "Referrer-Policy", "Access-Control-Allow-Origin"):
            assert silent not in response


def test_budget_page_policy_forbids_sending() -> None:
    response = Client().get("/spent/de/")
    assert response["Content-Security-Policy"] == RESPONDENT_POLICY.replace("connect-src 'self'", "connect-src 'none'")
    assert "connect-src 'none'" in response["Content-Security-Policy"]
    assert response["Integrity-Policy"] == "blocked-destinations=(script)"
    assert 'lang="de"' in response.content.decode()
    assert Client().get("/spent/en/").content == Client().get("/spent/").content
    assert Client().get("/spent/it/").status_code == 404


def test_draft_rehearsal_and_missing_look_the_same(survey: Survey) -> None:
    rehearsal = services.duplicate_survey(survey, slug="campus-rehearsal", rehearsal=True)
    open_survey(rehearsal)
    answers = {
        (response.status_code, response.content)
        for slug in ("campus", "campus-rehearsal", "missing")
        for response in (Client().get(f"/s/{slug}/"),)
    }
    assert len(answers) == 1
    assert next(iter(answers))[0] == 404


def test_answer_page_closed_survey_has_no_script(version: Version) -> None:
    services.close_survey(version.survey)
    response = Client().get("/s/campus/")
    assert response.status_code == 200
    assert b"closed" in response.content.lower()
    assert b"<script" not in response.content


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_answer_page_other_methods_answer_405(version: Version, method: str) -> None:
    assert getattr(Client(), method)("/s/campus/").status_code == 405


def test_unknown_address_answers_404_in_words() -> None:
    answer = Client().get("/s/nowhere/")
    assert answer.status_code == 404
    assert "Page not found" in answer.content.decode()
    assert answer.content == Client().get("/panel-that-is-none/").content
    assert answer["Content-Security-Policy"] == RESPONDENT_POLICY
