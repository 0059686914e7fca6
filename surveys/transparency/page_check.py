"""Checking respondents' pages from outside, against the log of pages: what an ethics board or a newspaper runs.

It trusts neither the site nor the way to it. The log must be signed by the key that was seen first and hold every entry
that was seen before; each page of a survey that it says is open must be there byte for byte, with all that it runs, to
everybody alike: over every way, in every language and for every browser.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import new, sha256
from urllib.parse import urlsplit

from surveys.transparency import merkle
from surveys.transparency.entries import PageEntry
from surveys.transparency.signed_notes import Checkpoint, Verifier, opened, read_checkpoint, read_verifier


@dataclass(frozen=True)
class Answer:
    """What was answered to a request: the body as it is after decompression, the headers in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Visitor:
    """Who asks: `way` is a name for the address that the request comes from, `headers` are what a browser sends."""

    way: str
    headers: Mapping[str, str] = field(default_factory=dict)


Fetch = Callable[[str, Visitor], Answer]
"""Fetch the path, or the URL, as this visitor."""

AGENTS = {
    "en": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "de": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1",
    "ar,fr;q=0.5": "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0",
}
BROWSERS = tuple({"User-Agent": agent, "Accept-Language": language} for language, agent in AGENTS.items())
"""Different browsers with different languages: everybody is to get the same."""

HEADER = re.compile(r"^([A-Za-z][A-Za-z0-9-]*):[ \t]*(\S.*)$", re.MULTILINE)
OF_THE_CONNECTION = {"host", "connection", "accept-encoding", "content-length", "transfer-encoding", "te", "upgrade"}

POLICY = ("default-src 'none'", "base-uri 'none'", "frame-ancestors")
"""What the content policy of every page must say."""
UNSAFE = re.compile(r"'unsafe-|\bhttps?:|\*|\bdata:|\bblob:")


@dataclass(frozen=True)
class Seen:
    """What a check has seen, for the next one: the key and the newest checkpoint of the log."""

    key: str
    size: int
    root: str


@dataclass(frozen=True)
class Check:
    """The result of a check: how much was compared, what is not as it must be, and what to keep for the next one."""

    pages: int
    entries: int
    faults: tuple[str, ...]
    seen: Seen | None


def check(
    fetch: Fetch,
    surveys: Sequence[str],
    ways: Sequence[str],
    *,
    browsers: Sequence[Mapping[str, str]] = BROWSERS,
    before: Seen | None = None,
    key: str = "",
) -> Check:
    """Check the log and the pages of some surveys over each of these ways.

    - `surveys`: their paths, like /s/campus/.
    - `browsers`: the headers of each browser to ask as.
    - `before`: what the last check has seen.
    - `key`: the log's public key as somebody told it; else that of `before`, else the one that the log names.
    """
    visitors = [Visitor(way, headers) for way in ways for headers in browsers]
    try:
        verifier = _verifier(fetch, visitors[0], key or (before.key if before else ""))
        newest = _newest(fetch, visitors, verifier)
        entries, *_ = [_entries(fetch, visitor, newest) for visitor in visitors]
        _require_grown(entries, before)
    except ValueError as fault:
        return Check(0, 0, (str(fault),), before)
    faults, pages = list[str](), 0
    for survey in surveys:
        entry = _newest_of(survey, entries)
        if entry is None:
            faults.append(f"The log has no entry on {survey}.")
            continue
        for visitor in visitors if entry["state"] == "open" else ():
            found, compared = _compared(fetch, visitor, survey, entry)
            faults += found
            pages += compared
    seen = Seen(str(verifier), newest.size, b64encode(newest.root).decode())
    return Check(pages, newest.size, tuple(dict.fromkeys(faults)), seen)


def _verifier(fetch: Fetch, visitor: Visitor, known: str) -> Verifier:
    try:
        return read_verifier(known or fetch("/log/key", visitor).body.decode())
    except ValueError as fault:
        raise ValueError(f"The log has no key: {fault}.") from None


def _newest(fetch: Fetch, visitors: list[Visitor], verifier: Verifier) -> Checkpoint:
    """The newest checkpoint; all visitors must be shown the same log."""
    found = []
    for visitor in visitors:
        try:
            answer = fetch("/log/checkpoint", visitor)
            found.append(read_checkpoint(opened(answer.body.decode(), verifier)))
        except ValueError as fault:
            raise ValueError(f"The log is not signed as it was, for {visitor.way}: {fault}.") from None
    if len({(one.size, one.root) for one in found}) > 1:
        raise ValueError("The log is forked: it shows different trees to different visitors.")
    return found[0]


def _entries(fetch: Fetch, visitor: Visitor, newest: Checkpoint) -> list[bytes]:
    """Every entry of the log, which must have the root that is signed."""
    found: list[bytes] = []
    while len(found) < newest.size:
        number, width = len(found) // merkle.WIDTH, min(newest.size - len(found), merkle.WIDTH)
        name = merkle.tile_name(number, width)
        part = list(_unpacked(fetch(f"/log/tile/entries/{name}", visitor).body))
        if len(part) != width:
            there = f"{len(found) + len(part)} of {newest.size}"
            raise ValueError(f"The log lacks entries, for {visitor.way}: {there} are there.")
        found += part
    if merkle.root_of([merkle.leaf_hash(leaf) for leaf in found]) != newest.root:
        raise ValueError(f"The log's entries are not those whose root is signed, for {visitor.way}.")
    return found


def _unpacked(tile: bytes) -> Iterator[bytes]:
    at = 0
    while at + 2 <= len(tile):
        end = at + 2 + int.from_bytes(tile[at : at + 2])
        if end > len(tile):
            return
        yield tile[at + 2 : end]
        at = end


def _require_grown(entries: list[bytes], before: Seen | None) -> None:
    """Require that the log has everything that it had before, unchanged."""
    if before is None:
        return
    if len(entries) < before.size:
        raise ValueError(f"The log was rolled back: it had {before.size} entries, and has {len(entries)}.")
    earlier = merkle.root_of([merkle.leaf_hash(leaf) for leaf in entries[: before.size]])
    if earlier != b64decode(before.root):
        raise ValueError(f"The log was changed: its first {before.size} entries are not those that it had.")


def _newest_of(survey: str, entries: list[bytes]) -> PageEntry | None:
    """What the log says last of a survey; it names one by the hash of its name."""
    named = sha256(survey.strip("/").rpartition("/")[2].encode()).hexdigest()
    found: list[PageEntry] = [entry for entry in map(json.loads, entries) if entry["survey"] == named]
    return found[-1] if found else None


def _compared(fetch: Fetch, visitor: Visitor, survey: str, entry: PageEntry) -> tuple[list[str], int]:
    """The faults of one survey's pages for one visitor, and how many files were compared."""
    faults = []
    language = visitor.headers.get("Accept-Language", "")
    whom = f"{visitor.way}, {language}" if language else visitor.way
    pages = {survey + below: f"sha256-{_base64(digest)}" for below, digest in entry["pages"].items()}
    expected = pages | entry["fetched"]
    for path, wanted in expected.items():
        answer = fetch(path, visitor)
        if answer.status != 200:
            faults.append(f"{path} is answered {answer.status} for {whom}.")
        elif integrity_of(answer.body, wanted) != wanted:
            faults.append(f"{path} is not what the log says, for {whom}.")
        elif path in pages and answer.headers.get("content-type", "").startswith("text/html"):
            faults += (f"{path} {fault}, for {whom}." for fault in _unprotected(answer.headers))
    return faults, len(expected)


def integrity_of(body: bytes, wanted: str) -> str:
    """The hash of a body in the form, and by the algorithm, of another one."""
    name = wanted.partition("-")[0]
    return f"{name}-{b64encode(new(name, body).digest()).decode()}" if name in ("sha256", "sha384") else ""


def _base64(digest: str) -> str:
    return b64encode(bytes.fromhex(digest)).decode()


def _unprotected(headers: Mapping[str, str]) -> Iterator[str]:
    """What the headers of a page should say and do not."""
    policy = headers.get("content-security-policy", "")
    missing = [part for part in POLICY if part not in policy]
    if missing:
        yield f"has a content policy without {missing[0]}"
    directives = [part for part in policy.split(";") if not part.strip().startswith("frame-ancestors")]
    if UNSAFE.search(";".join(directives)):
        yield "has a content policy that admits what is not the site's"
    if "script-src 'none'" not in policy and "script" not in headers.get("integrity-policy", ""):
        yield "has no Integrity-Policy for scripts"


def parts_of(url: str) -> tuple[str, str]:
    """The site and the path of a survey's link; the path is empty where it is no survey's. ValueError for no URL."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(f"an address must be like https://survey.example.org/s/campus/; got {url!r}")
    found = re.match(r"/s/[^/]+/", parts.path)
    return f"{parts.scheme}://{parts.netloc}", found[0] if found else ""


def read_headers(text: str) -> dict[str, str]:
    """The headers of a browser's request, a line each, as its developer tools copy them.

    Left out are those on the connection, which is another one. Raises ValueError where there is none.
    """
    found = dict(HEADER.findall(text))
    sent = {name: value.strip() for name, value in found.items() if name.lower() not in OF_THE_CONNECTION}
    if not sent:
        raise ValueError("a browser's headers must be lines like 'Accept-Language: ar'; there is none")
    return sent


def kept(seen: Seen) -> str:
    """What a check has seen, as a file keeps it."""
    return json.dumps(asdict(seen), indent=1) + "\n"


def read_kept(text: str) -> Seen:
    """What such a file says. Raises ValueError where it is none."""
    try:
        found = json.loads(text)
        return Seen(str(found["key"]), int(found["size"]), str(found["root"]))
    except (ValueError, KeyError, TypeError) as fault:
        raise ValueError(f"the file of the last check cannot be read: {fault}") from None
