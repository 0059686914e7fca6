"""The check from outside, as the command that anybody runs, against a site that attacks."""

import io
from collections.abc import Mapping
from pathlib import Path

from django.core.management import CommandError, call_command

from tests.attacks.changes import Attack
from tests.attacks.driving import attacking
from tests.attacks.site import PAGE, Site


def found(
    site: Site, attack: Attack | None, proxy: str, seen: Path, *, hers: Mapping[str, str], headers: Path | None = None
) -> str:
    """What the check says first of a site with this attack; empty where it finds nothing.

    It has seen the honest log before (`seen`) and asks from this machine and through a proxy; with `headers`, a file,
    also as the browser that sends these.
    """
    with attacking(site, attack, hers.get("User-Agent", "")) as (capture, _):
        asked = ["--against", f"{capture.url}{PAGE}", "--state", str(seen), "--proxy", proxy]
        if headers:
            asked += ["--headers", str(headers)]
        try:
            call_command("verify_pages", *asked, stdout=io.StringIO())
        except CommandError as fault:
            return str(fault).splitlines()[0]
        return ""


def written(headers: Mapping[str, str], path: Path) -> Path:
    """The headers as developer tools copy them."""
    path.write_text("".join(f"{name}: {value}\n" for name, value in headers.items()))
    return path
