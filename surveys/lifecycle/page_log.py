"""The log of pages: an entry for each version that opens or closes, in a tree whose root this installation signs.

An entry names every byte that a respondent's browser may run or read before Send: the pages by their SHA-256, and what
they fetch by the hash that they demand. It does not name the survey, as this site lists none: who has its link finds
its entries by the hash of its name. Who keeps an old root notices an entry that was changed or taken away; who compares
the pages with the entries notices a page that is another one (`manage.py verify_pages`).
"""

import json
import re
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse

from collector.database.locks import EVERY, PAGE_LOG, exclusive_lock
from collector.designs import canonical
from collector.designs.selectors import get_design
from surveys.definition.languages import address_of
from surveys.models import LogEntry, Page, Survey, Version
from surveys.transparency import merkle
from surveys.transparency.entries import PageEntry

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from surveys.transparency.signed_notes import Verifier

FORMAT = 1
PURPOSE = b"candor page log 1\n"
FETCHED = re.compile(r'<(?:script|link)\b[^>]*?(?:src|href)="(/[^"]*)"\s+integrity="([^"]*)"')
PAGES = {Page.Kind.ANSWER: "respond", Page.Kind.COIN: "coin", Page.Kind.SHEET: "coin-sheet", Page.Kind.TOKEN: "token"}
"""The names of the addresses of stored pages."""


def record(version: Version) -> None:
    """Append an entry on a version as it is now, open or closed; part of a transaction that changes that."""
    if not version.pages.exists():
        return  # a rehearsal's: nobody answers it
    exclusive_lock(EVERY, PAGE_LOG)
    leaf = canonical(manifest(version))
    LogEntry.objects.create(position=LogEntry.objects.count(), leaf=leaf)


def record_missing() -> int:
    """Append entries on the versions that were open before there was a log; return their number."""
    logged = {(one["survey"], one["version"]) for one in map(json.loads, leaves())}
    versions = Version.objects.filter(closed_at=None, survey__state=Survey.State.OPEN).select_related("survey")
    missing = [one for one in versions if (hidden(one.survey.slug), one.number) not in logged]
    for version in missing:
        record(version)
    return len(missing)


def manifest(version: Version) -> PageEntry:
    """What an entry says of a version: the hashes of what must be there while it is open.

    `pages` are addresses below the survey's own, which is the empty one; `fetched` are paths of the site.
    """
    design, slug = get_design(version.design_id), version.survey.slug
    entry: PageEntry = {
        "format": FORMAT,
        "survey": hidden(slug),
        "version": version.number,
        "design": version.design_id,
        "state": "open" if version.closed_at is None else "closed",
    }
    if version.closed_at is not None:
        return entry
    fetched: dict[str, str] = {}
    pages: dict[str, str] = {}
    for page in version.pages.all():
        pages[address_of(PAGES[Page.Kind(page.kind)], design, page.language)] = page.digest
        if page.kind != Page.Kind.SHEET:
            fetched |= dict(FETCHED.findall(bytes(page.content).decode()))
    pages[reverse("surveys:design", args=[slug])] = version.design_id
    pages |= {reverse("surveys:picture", args=[slug, one.name]): one.digest for one in design.pictures}
    below = {path.removeprefix(f"/s/{slug}/"): digest for path, digest in pages.items()}
    return {**entry, "pages": below, "fetched": fetched}


def hidden(slug: str) -> str:
    """How an entry names a survey: by the SHA-256 of its name, for those who know that."""
    return sha256(slug.encode()).hexdigest()


def leaves() -> list[bytes]:
    """Every entry, the oldest first."""
    return [bytes(leaf) for leaf in LogEntry.objects.order_by("position").values_list("leaf", flat=True)]


def checkpoint() -> str:
    """The log's size and root, signed."""
    from surveys.transparency.signed_notes import Checkpoint, sign

    hashes = [merkle.leaf_hash(leaf) for leaf in leaves()]
    return sign(str(Checkpoint(origin(), len(hashes), merkle.root_of(hashes))), verifier(), _key())


def origin() -> str:
    """The log's name: the site's host and the path of the log."""
    return f"{urlsplit(settings.CANDOR_URL).netloc}/log"


def verifier() -> "Verifier":
    """The public key that the log's roots are signed with."""
    from surveys.transparency.signed_notes import Verifier

    return Verifier(origin(), _key().public_key().public_bytes_raw())


@cache
def _key_of(secret: str) -> "Ed25519PrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(sha256(PURPOSE + secret.encode()).digest())


def _key() -> "Ed25519PrivateKey":
    return _key_of(settings.CANDOR_BACKUP_KEY)
