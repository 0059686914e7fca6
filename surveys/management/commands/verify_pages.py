import gzip
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from django.core.management.base import BaseCommand, CommandError

from surveys.transparency import page_check
from surveys.transparency.page_check import Answer, Visitor

SECONDS = 30
LARGEST = 20_000_000
DIRECT = "this machine"


class Command(BaseCommand):
    help = (
        "Check a survey's pages from outside: that the site's log of pages has only grown, and that every page is what "
        "the log says, for everybody. Needs no database. Exit code 1 where something is not as it must be."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--against", required=True, action="append", metavar="URL", help="a survey's link; may be repeated"
        )
        parser.add_argument("--log", metavar="URL", help="the site that has the log, if it is not the survey's")
        parser.add_argument("--state", type=Path, metavar="FILE", help="keeps what was seen, for the next check")
        parser.add_argument("--key", default="", help="the log's public key, as the site's people told it")
        parser.add_argument(
            "--proxy", action="append", default=[], metavar="URL", help="another way to the site; may be repeated"
        )
        parser.add_argument(
            "--headers", action="append", default=[], type=Path, metavar="FILE",
            help="ask as this browser too: the headers of its request, as developer tools copy them; may be repeated",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            named = [page_check.parts_of(one) for one in options["against"]]
            site, _ = page_check.parts_of(options["log"] or named[0][0])
            before = _seen(options["state"])
            browsers = [*page_check.BROWSERS, *(page_check.read_headers(one.read_text()) for one in options["headers"])]
        except (ValueError, OSError) as fault:
            raise CommandError(str(fault)) from None
        if len({theirs for theirs, _ in named}) > 1:
            raise CommandError("The surveys must be of one site: their log is one.")
        ways, theirs = [DIRECT, *options["proxy"]], named[0][0]

        def fetch(path: str, visitor: Visitor) -> Answer:
            return _fetched((site if path.startswith("/log/") else theirs) + path, visitor)

        surveys = [path for _, path in named if path]
        found = page_check.check(fetch, surveys, ways, browsers=browsers, before=before, key=options["key"])
        if found.faults:
            raise CommandError("\n".join(found.faults), returncode=1)
        if options["state"] and found.seen:
            options["state"].write_text(page_check.kept(found.seen))
        compared = f"{found.pages} files of {len(surveys)} survey{'' if len(surveys) == 1 else 's'} compared"
        self.stdout.write(f"{site}: {found.entries} entries in the log, {compared}; all as it must be.")


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *args: Any) -> None:
        """Follow nothing: a page that leads elsewhere is not the page."""


def _fetched(url: str, visitor: Visitor) -> Answer:
    proxies = {} if visitor.way == DIRECT else {"http": visitor.way, "https": visitor.way}
    opener = build_opener(ProxyHandler(proxies), _NoRedirect())
    request = Request(url, headers={**visitor.headers, "Accept-Encoding": "gzip"})  # noqa: S310 - http or https alone
    try:
        with opener.open(request, timeout=SECONDS) as answer:
            return _read(answer)
    except HTTPError as answer:
        return _read(answer)
    except (URLError, OSError) as fault:
        raise CommandError(f"{url} cannot be fetched from {visitor.way}: {fault}") from None


def _read(answer: Any) -> Answer:
    headers = {name.lower(): value for name, value in answer.headers.items()}
    body = answer.read(LARGEST)
    if headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    return Answer(int(answer.status), headers, body)


def _seen(path: Path | None) -> page_check.Seen | None:
    return page_check.read_kept(path.read_text()) if path and path.exists() else None
