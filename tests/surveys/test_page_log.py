"""The log of pages and the check from outside: what is logged when, and 48 attacks of a server, each of them found."""

import gzip
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle import closing, page_log
from surveys.lifecycle.services import close_survey, write_survey
from surveys.models import LogEntry, Page, Survey, Version
from surveys.opening.services import open_survey
from surveys.transparency import merkle, page_check
from surveys.transparency.page_check import Answer, Check, Fetch, Visitor
from tests.factories import payloads
from tests.tools.capture import Response, capturing
from tests.tools.gate import few
from tests.tools.picture_files import base64, png

pytestmark = pytest.mark.django_db
LOGO = {"file": "seal", "alternative": "Seal"}
SITE = "https://survey.example.org"
SURVEYS = ["/s/campus/"]
WAYS = ["this machine", "http://proxy.example:3128"]
Tamper = Callable[[str, Visitor, Answer], Answer]


@pytest.fixture
def version(alice: User) -> Version:
    """An open survey with a logo."""
    definition = payloads.definition(pictures={"seal": base64(png())}, look={"logo": LOGO})
    return open_survey(write_survey(definitions.complete(definition), team=home_team(alice)))


@pytest.fixture
def fetch() -> Fetch:
    """The site itself, asked without a network."""
    client = Client()

    def fetched(path: str, visitor: Visitor) -> Answer:
        named = {name.lower().replace("-", "_"): value for name, value in visitor.headers.items()}
        answer = client.get(path, headers=named)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
        return Answer(answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, body)

    return fetched


def tampered(fetch: Fetch, tamper: Tamper) -> Fetch:
    return lambda path, visitor: tamper(path, visitor, fetch(path, visitor))


def logged() -> list[dict[str, Any]]:
    return [json.loads(leaf) for leaf in page_log.leaves()]


def test_opening_and_closing_are_logged(version: Version, alice: User) -> None:
    closing.begin_closing(version.survey, by=alice)
    closing.undo_closing(Survey.objects.get(), by=alice)
    close_survey(Survey.objects.get(), by=alice)
    assert [(one["survey"], one["version"], one["state"]) for one in logged()] == [
        (page_log.hidden("campus"), 1, state) for state in ("open", "closed", "open", "closed")
    ]
    assert list(LogEntry.objects.values_list("position", flat=True)) == [0, 1, 2, 3]


def test_entry_names_every_byte_before_send(version: Version) -> None:
    (entry,) = logged()
    page = version.pages.get(kind=Page.Kind.ANSWER)
    assert entry["pages"][""] == page.digest
    assert entry["pages"]["design.json"] == version.design_id
    assert any(path.startswith("pictures/") for path in entry["pages"])
    content = bytes(page.content).decode()
    assert content.count("integrity=") == len([path for path in entry["fetched"] if path in content])
    assert any("/client/page" in path for path in entry["fetched"])
    assert any(path.endswith(".css") for path in entry["fetched"])


def test_entry_does_not_name_the_survey(version: Version) -> None:
    assert b"campus" not in page_log.leaves()[0]


def test_survey_that_is_not_logged_is_a_fault(version: Version, fetch: Fetch) -> None:
    found = page_check.check(fetch, ["/s/other/"], WAYS)
    assert found.faults == ("The log has no entry on /s/other/.",)


def test_rehearsal_is_not_logged(alice: User) -> None:
    open_survey(write_survey(payloads.definition(rehearsal=True), team=home_team(alice)))
    assert logged() == []


def test_open_surveys_from_before_are_logged_once(version: Version) -> None:
    LogEntry.objects.all().delete()
    assert (page_log.record_missing(), page_log.record_missing()) == (1, 0)
    assert logged()[0]["state"] == "open"


def test_log_is_served_in_tiles(version: Version) -> None:
    client = Client()
    leaf = page_log.leaves()[0]
    assert client.get("/log/tile/entries/000.p/1").content == len(leaf).to_bytes(2) + leaf
    assert client.get("/log/tile/0/000.p/1").content == merkle.leaf_hash(leaf)
    for missing in (
        "/log/tile/entries/000",
        "/log/tile/0/000.p/2",
        "/log/tile/1/000.p/1",
        "/log/tile/0/x",
        "/log/tile/0/0.p/0",
    ):
        assert client.get(missing).status_code == 404
    assert client.post("/log/checkpoint").status_code == 405


def test_honest_site_passes_again_and_again(version: Version, fetch: Fetch, alice: User) -> None:
    first = page_check.check(fetch, SURVEYS, WAYS)
    assert first.faults == ()
    assert first.pages >= 6 * 20
    assert page_check.check(fetch, SURVEYS, WAYS, before=first.seen).faults == ()
    close_survey(version.survey, by=alice)
    second = page_check.check(fetch, SURVEYS, WAYS, before=first.seen)
    assert (second.faults, second.pages, second.entries) == ((), 0, 2)


def _changed(part: str, old: bytes, new: bytes) -> Tamper:
    """Whatever has this part in its address has something else in its body."""

    def tamper(path: str, visitor: Visitor, answer: Answer) -> Answer:
        return replace(answer, body=answer.body.replace(old, new)) if part in path else answer

    return tamper


def _header(name: str, value: str) -> Tamper:
    def tamper(path: str, visitor: Visitor, answer: Answer) -> Answer:
        kept = {key: said for key, said in answer.headers.items() if key != name}
        return replace(answer, headers=kept | ({name: value} if value else {})) if path == "/s/campus/" else answer

    return tamper


CHANGES = {
    "the page": _changed("/s/campus/", b"</body>", b"<p>Say no.</p></body>"),
    "an extra script": _changed("/s/campus/", b"</head>", b"<script src=/static/x.js></script></head>"),
    "a script's hash": _changed("/s/campus/", b"sha384-", b"sha384-A"),
    "the entry script": _changed("/client/page", b"#freeze()", b"#freeze ()"),
    "an imported module": _changed("/client/random", b"next()", b"next ()"),
    "the encoding": _changed("/client/encoding", b"read", b"reed"),
    "a style sheet": _changed("/style/questions", b"{", b"{ "),
    "the design": _changed("design.json", b"1", b"2"),
    "a picture": _changed("/pictures/", b"P", b"Q"),
}
"""What a server may change, and how."""
WHOM: dict[str, Callable[[Visitor, int], bool]] = {
    "everybody": lambda visitor, asked: True,
    "one address": lambda visitor, asked: visitor.way == WAYS[1],
    "one language": lambda visitor, asked: visitor.headers["Accept-Language"].startswith("ar"),
    "one browser": lambda visitor, asked: "iPhone" in visitor.headers["User-Agent"],
    "each tenth request": lambda visitor, asked: asked % 10 == 0,
}
"""For whom it may change it. 45 attacks on the pages in all; on the log and the headers there are more below."""


@pytest.mark.parametrize("whom", few(WHOM))
@pytest.mark.parametrize("change", few(CHANGES, slice(0, None, 3)))
def test_changed_page_is_found(version: Version, fetch: Fetch, change: str, whom: str) -> None:
    asked: Iterator[int] = iter(range(10**9))
    changed = set[str]()

    def tamper(path: str, visitor: Visitor, answer: Answer) -> Answer:
        if not WHOM[whom](visitor, next(asked)):
            return answer
        found = CHANGES[change](path, visitor, answer)
        if found.body != answer.body:
            changed.add(path)
        return found

    found = page_check.check(tampered(fetch, tamper), SURVEYS, WAYS)
    named = {
        path for path in changed if any(fault.startswith(f"{path} is not what the log says") for fault in found.faults)
    }
    assert named == changed
    assert changed or whom == "each tenth request"


POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; script-src "
HEADERS = {
    "no policy": ("content-security-policy", ""),
    "a policy for another site": ("content-security-policy", f"{POLICY}https://x.example"),
    "inline scripts": ("content-security-policy", f"{POLICY}'self' 'unsafe-inline'"),
    "no Integrity-Policy": ("integrity-policy", ""),
}


@pytest.mark.parametrize("name", few(HEADERS))
def test_dropped_or_weakened_header_is_found(version: Version, fetch: Fetch, name: str) -> None:
    found = page_check.check(tampered(fetch, _header(*HEADERS[name])), SURVEYS, WAYS)
    assert any(fault.startswith("/s/campus/ has ") for fault in found.faults)


def test_page_that_is_away_is_found(version: Version, fetch: Fetch) -> None:
    gone: Tamper = lambda path, visitor, answer: replace(answer, status=404) if path == "/s/campus/" else answer  # noqa: E731
    assert "/s/campus/ is answered 404" in page_check.check(tampered(fetch, gone), SURVEYS, WAYS).faults[0]


def test_page_that_was_changed_with_the_database_is_found(version: Version, fetch: Fetch) -> None:
    """The log says what was published: a page of the operators' own making is none of its."""
    page = version.pages.get(kind=Page.Kind.ANSWER)
    Page.objects.filter(pk=page.pk).update(content=bytes(page.content).replace(b"</main>", b"<p>!</p></main>"))
    found = page_check.check(fetch, SURVEYS, WAYS)
    assert any("/s/campus/ is not what the log says" in fault for fault in found.faults)


def _seen(fetch: Fetch) -> Check:
    found = page_check.check(fetch, SURVEYS, WAYS)
    assert found.faults == ()
    return found


def test_log_that_was_rolled_back_is_found(version: Version, fetch: Fetch, alice: User) -> None:
    close_survey(version.survey, by=alice)
    before = _seen(fetch).seen
    LogEntry.objects.filter(position=1).delete()
    (fault,) = page_check.check(fetch, SURVEYS, WAYS, before=before).faults
    assert fault == "The log was rolled back: it had 2 entries, and has 1."


def test_log_whose_past_was_changed_is_found(version: Version, fetch: Fetch, alice: User) -> None:
    before = _seen(fetch).seen
    close_survey(version.survey, by=alice)
    entry = LogEntry.objects.get(position=0)
    LogEntry.objects.filter(position=0).update(leaf=bytes(entry.leaf).replace(b'"open"', b'"held"'))
    (fault,) = page_check.check(fetch, SURVEYS, WAYS, before=before).faults
    assert fault == "The log was changed: its first 1 entries are not those that it had."


def test_log_of_another_key_is_found(version: Version, fetch: Fetch, settings: Any) -> None:
    before = _seen(fetch).seen
    settings.CANDOR_BACKUP_KEY = "another installation"
    (fault,) = page_check.check(fetch, SURVEYS, WAYS, before=before).faults
    assert fault.startswith("The log is not signed as it was")
    told = page_check.check(fetch, SURVEYS, WAYS, key=before.key if before else "")
    assert told.faults[0].startswith("The log is not signed as it was")


def test_log_shown_differently_to_one_address_is_found(version: Version, fetch: Fetch, alice: User) -> None:
    old = fetch("/log/checkpoint", Visitor("this machine"))
    close_survey(version.survey, by=alice)

    def forked(path: str, visitor: Visitor, answer: Answer) -> Answer:
        return old if path == "/log/checkpoint" and visitor.way == WAYS[1] else answer

    (fault,) = page_check.check(tampered(fetch, forked), SURVEYS, WAYS).faults
    assert fault.startswith("The log is forked")


@pytest.mark.parametrize(
    ("tamper", "fault"),
    [
        (_changed("/log/tile/entries/", b'"open"', b'"held"'), "The log's entries are not those whose root is signed"),
        (_changed("/log/tile/entries/", b"{", b""), "The log lacks entries, for this machine: 0 of 1 are there."),
        (_changed("/log/checkpoint", b"\n1\n", b"\n2\n"), "The log is not signed as it was"),
        (_changed("/log/key", b"+", b"-"), "The log has no key"),
    ],
)
def test_log_that_does_not_fit_together_is_found(version: Version, fetch: Fetch, tamper: Tamper, fault: str) -> None:
    assert page_check.check(tampered(fetch, tamper), SURVEYS, WAYS).faults[0].startswith(fault)


def test_entries_of_one_language_are_compared(version: Version, fetch: Fetch) -> None:
    def tamper(path: str, visitor: Visitor, answer: Answer) -> Answer:
        shown = "/entries/" in path and visitor.headers.get("Accept-Language", "").startswith("ar")
        return replace(answer, body=answer.body.replace(b'"open"', b'"held"')) if shown else answer

    (fault,) = page_check.check(tampered(fetch, tamper), SURVEYS, WAYS).faults
    assert fault == "The log's entries are not those whose root is signed, for this machine."


HERS = (
    "GET /s/campus/ HTTP/1.1\nHost: survey.example.org\nUser-Agent: Hers/1.0\nAccept-Language: fr\nConnection: close\n"
)
"""A request's headers as developer tools copy them."""


def test_change_for_one_browser_is_found_where_the_check_asks_as_it(version: Version, fetch: Fetch) -> None:
    def tamper(path: str, visitor: Visitor, answer: Answer) -> Answer:
        hers = visitor.headers.get("User-Agent") == "Hers/1.0" and path == "/s/campus/"
        return replace(answer, body=answer.body + b"<!-- -->") if hers else answer

    changed = tampered(fetch, tamper)
    assert page_check.check(changed, SURVEYS, WAYS).faults == ()
    browsers = [*page_check.BROWSERS, page_check.read_headers(HERS)]
    faults = page_check.check(changed, SURVEYS, WAYS, browsers=browsers).faults
    assert faults == tuple(f"/s/campus/ is not what the log says, for {way}, fr." for way in WAYS)


def test_headers_of_the_connection_are_not_copied() -> None:
    assert page_check.read_headers(HERS) == {"User-Agent": "Hers/1.0", "Accept-Language": "fr"}
    with pytest.raises(ValueError, match="must be lines like 'Accept-Language: ar'; there is none"):
        page_check.read_headers("GET /s/campus/ HTTP/1.1\nHost: survey.example.org\n")


def test_command_keeps_what_it_saw(version: Version, fetch: Fetch, tmp_path: Path) -> None:
    """Over a network, compressed as a server does it; a page that leads elsewhere is not followed."""
    state, said = tmp_path / "seen.json", io.StringIO()
    (entry,) = logged()
    paths = [
        "/log/key",
        "/log/checkpoint",
        "/log/tile/entries/000.p/1",
        *(f"/s/campus/{below}" for below in entry["pages"]),
        *entry["fetched"],
    ]
    served = {path: _packed(fetch(path, Visitor("the test"))) for path in paths}
    with capturing(lambda request: served.get(request.target, Response(404))) as site:
        asked = ("verify_pages", "--against", f"{site.url}/s/campus/#fingerprint", "--state", str(state))
        call_command(*asked, stdout=said)
        assert "1 entries in the log" in said.getvalue()
        assert json.loads(state.read_text())["size"] == 1
        served["/s/campus/"] = Response(302, headers=(("Location", "/s/campus/design.json"),))
        with pytest.raises(CommandError, match="/s/campus/ is answered 302") as refused:
            call_command(*asked)
        assert refused.value.returncode == 1


def _packed(answer: Answer) -> Response:
    headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
    return Response(answer.status, gzip.compress(answer.body), (*headers.items(), ("Content-Encoding", "gzip")))


def test_command_refuses_what_it_cannot_use(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"an address must be like https://.*/s/campus/; got 'survey'"):
        call_command("verify_pages", "--against", "survey")
    with pytest.raises(CommandError, match=r"No such file or directory: .*headers"):
        call_command("verify_pages", "--against", SITE, "--headers", str(tmp_path / "headers"))
    (tmp_path / "seen").write_text("{}")
    with pytest.raises(CommandError, match="the file of the last check cannot be read"):
        call_command("verify_pages", "--against", SITE, "--state", str(tmp_path / "seen"))
