"""What a server may change of a page, of what it loads and of the log, and for whom: the attacks of a seed."""

import random
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha384
from typing import Literal

from tests.attacks.site import PAGE, Site
from tests.tools.capture import Request, Response
from tests.tools.picture_files import png

Effect = Literal["script", "style", "words", "picture", "frame", "answerable", "none"]
"""What is seen in a browser where a change takes effect: a script ran, a style applied, words, a picture or a frame are
there, or the page can be answered. `none`: a respondent's browser does not look at what was changed."""
Served = Mapping[str, Response]

SEEN = "/seen"
SCRIPT = b'fetch("/seen")'
WORDS = "Say no to every question."
ADDED = {
    "/seen.js": Response(200, SCRIPT, (("Content-Type", "text/javascript"),)),
    "/other/": Response(200, f"<p>{WORDS}</p>".encode(), (("Content-Type", "text/html"),)),
}
"""What is at addresses that the site does not have."""


@dataclass(frozen=True)
class Change:
    """A change of what is served, and what it does in a browser that lets it."""

    what: str
    effect: Effect
    make: Callable[[Site], Served]


def _body(site: Site, path: str, *replaced: tuple[bytes, bytes]) -> Served:
    response = site.responses[path]
    body = response.body
    for old, new in replaced:
        assert old in body, f"{path} has no {old!r}"
        body = body.replace(old, new)
    return {path: replace(response, body=body)}


def _added(markup: bytes, place: bytes = b"</main>") -> Callable[[Site], Served]:
    return lambda site: _body(site, PAGE, (place, markup + place))


def _path(site: Site, part: str) -> str:
    return next(path for path in site.responses if part in path)


def _appended(part: str, added: bytes, *, named: bool = False) -> Callable[[Site], Served]:
    """The file has this at its end; `named`: and the page names the hash that it has then."""

    def make(site: Site) -> Served:
        path = _path(site, part)
        before = site.responses[path]
        changed = {path: replace(before, body=before.body + added)}
        return changed | (_body(site, PAGE, (_hash(before.body), _hash(before.body + added))) if named else {})

    return make


def _hash(body: bytes) -> bytes:
    return b64encode(sha384(body).digest())


def _without_hash(site: Site) -> Served:
    """The page names a module without its hash, and the module is another one."""
    changed = _appended("/client/random.", SCRIPT)(site)
    name = _path(site, "/client/random.").encode()
    markup = re.compile(rb'(src="' + re.escape(name) + rb'") integrity="[^"]*"')
    page = site.responses[PAGE]
    assert markup.search(page.body)
    return changed | {PAGE: replace(page, body=markup.sub(rb"\1", page.body))}


def _header(name: str, value: str, markup: bytes) -> Callable[[Site], Served]:
    """The page with this markup, and with another header, or without it."""

    def make(site: Site) -> Served:
        page = _added(markup)(site)[PAGE]
        kept = tuple(one for one in page.headers if one[0].lower() != name.lower())
        assert kept != page.headers
        return {PAGE: replace(page, headers=kept + (((name, value),) if value else ()))}

    return make


def _logged(name: str) -> Callable[[Site], Served]:
    return lambda site: site.logs[name]


INLINE = b"<script>" + SCRIPT + b"</script>"
EXTRA = b'<script src="/seen.js"></script>'
WITH_HASH = b'<script type="module" src="/seen.js" integrity="sha384-' + _hash(SCRIPT) + b'"></script>'
STYLE = b" main { opacity: 0.5 }"
LOOSE = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; script-src 'self' 'unsafe-inline'"
MOVED = Response(302, headers=(("Location", "/other/"),))

CHANGES = (
    Change("a script in the page", "script", _added(INLINE)),
    Change("a script in an attribute of the page", "script", _added(b'<img src="/x" onerror=\'fetch("/seen")\'>')),
    Change("an extra script without a hash", "script", _added(EXTRA)),
    Change("an extra script with its hash", "script", _added(WITH_HASH)),
    Change("an extra script before all others", "script", _added(EXTRA, b'<script type="module"')),
    Change("the first module", "script", _appended("/client/page.", b"\n" + SCRIPT)),
    Change("an imported module", "script", _appended("/client/random.", b"\n" + SCRIPT)),
    Change("an imported module and its hash", "script", _appended("/client/random.", b"\n" + SCRIPT, named=True)),
    Change("a module whose hash the page no longer names", "script", _without_hash),
    Change("a style sheet", "style", _appended("/style/questions.", STYLE)),
    Change("a style sheet and its hash", "style", _appended("/style/questions.", STYLE, named=True)),
    Change("a style in the page", "style", _added(b"<style>" + STYLE + b"</style>")),
    Change("words in the page", "words", _added(f"<p>{WORDS}</p>".encode())),
    Change(
        "the words of a question",
        "answerable",
        lambda site: _body(site, PAGE, (b"Have you cheated?", b"Have you never cheated?")),
    ),
    Change("the tickets in the page", "answerable", lambda site: _body(site, PAGE, (b"[3,1]", b"[4,0]"))),
    Change("the design beside the page", "none", lambda site: _body(site, f"{PAGE}design.json", (b"[3,1]", b"[4,0]"))),
    Change(
        "a picture under its name",
        "picture",
        lambda site: {path: replace(site.responses[path], body=png(2, 1)) for path in [_path(site, "/pictures/")]},
    ),
    Change(
        "the name of a picture in the page",
        "answerable",
        lambda site: _body(site, PAGE, (_path(site, "/pictures/").encode(), b"/s/campus/pictures/other.png")),
    ),
    Change("the page of the version before", "answerable", lambda site: {PAGE: site.earlier}),
    Change("another page, by a redirect", "words", lambda site: {PAGE: MOVED}),
    Change(
        "another page, by an order in the page", "words", _added(b'<meta http-equiv="refresh" content="0;/other/">')
    ),
    Change("another page in a frame", "frame", _added(b'<iframe src="/other/"></iframe>')),
    Change("no content policy, and a script", "script", _header("Content-Security-Policy", "", INLINE)),
    Change("a loose content policy, and a script", "script", _header("Content-Security-Policy", LOOSE, INLINE)),
    Change("no Integrity-Policy, and a script", "script", _header("Integrity-Policy", "", EXTRA)),
    Change("the log: without its newest entry", "none", _logged("rolled back")),
    Change("the log: another first entry, signed anew", "none", _logged("rewritten")),
    Change("the log: another key", "none", _logged("of another key")),
    Change(
        "the log: an entry that is not under its root",
        "none",
        lambda site: _body(site, _path(site, "/entries/"), (b'"version":1', b'"version":9')),
    ),
    Change("the log: another size", "none", lambda site: _body(site, "/log/checkpoint", (b"\n3\n", b"\n4\n"))),
)

Whom = Callable[[Request, str], bool]
"""Whether a request gets the change; the text is what she sends who is attacked: her browser's name for itself."""

HERS = "127.0.0.1"
WHOM: dict[str, Whom] = {
    "everybody": lambda request, hers: True,
    "one address": lambda request, hers: request.address == HERS,
    "all but one address": lambda request, hers: request.address != "127.0.0.2",
    "one language": lambda request, hers: (request.header("Accept-Language") or "").startswith("ar"),
    "one person": lambda request, hers: request.address == HERS and request.header("User-Agent") == hers,
}
"""For whom. One person is known by her address and by what her browser says of itself."""


@dataclass(frozen=True)
class Attack:
    """A change for some people."""

    change: Change
    whom: str

    @property
    def locale(self) -> str:
        return "ar" if self.whom == "one language" else "en"


def attacks(seed: int) -> list[Attack]:
    """Each change for two of WHOM, drawn by the seed."""
    drawn = random.Random(seed)
    return [Attack(change, whom) for change in CHANGES for whom in drawn.sample(sorted(WHOM), 2)]
