"""The shipped page with all its files and headers, taken once from the application and then served from memory."""

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256, sha384
from json import dumps, loads
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from collector.designs import Design
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.opening.services import open_survey
from tests.audit.items import Audited, audited
from tests.tools.capture import Request, Response
from tests.tools.pages import responses_of


@dataclass(frozen=True)
class Shelf:
    """Responses by address, and the design of the page among them."""

    page: str
    design: dict[str, Any]
    responses: dict[str, Response]

    @property
    def survey(self) -> str:
        return self.page.split("/")[2]

    @property
    def entry(self) -> str:
        """The address of the page's first module."""
        return next(address for address in self.responses if re.search(r"/client/page\.\w+\.js$", address))

    @cached_property
    def items(self) -> list[Audited]:
        return audited(self.design)

    @cached_property
    def versions(self) -> tuple[tuple[int, ...], ...]:
        """The places of the items that each version of the page asks; one version in most surveys."""
        return Design.of(self.design).versions

    def version(self, told: Sequence[int | None]) -> tuple[int, ...]:
        """Those of the version that was drawn, which is told first of what is told openly."""
        return self.versions[0] if len(self.versions) == 1 else self.versions[told[0] or 0]

    def sent(self, places: Sequence[int], told: Sequence[int | None]) -> list[int]:
        """The answers whose rows are drawn from: what the version does not ask is sent as not asked."""
        asked = self.version(told)
        pairs = enumerate(zip(self.items, places, strict=True))
        return [given if place in asked else one.answers.index(one.unasked) for place, (one, given) in pairs]

    @property
    def first(self) -> str:
        """The stage that the page begins with."""
        return "consent" if "consent_statements" in self.design else "questions"

    def respond(self, request: Request) -> Response:
        """The stored file; for a report, the receipt that the collector would give.

        By whatever method a client sends it: one that is refused would be kept and sent again, and nothing else.
        """
        if request.method == "POST" or request.body:
            return receipt_of(request)
        return self.responses.get(request.target.partition("?")[0], Response(404))

    def with_script(self, script: str) -> "Shelf":
        """The page with a script of ours before its own, and without the policies that would keep it from running."""
        page = self.responses[self.page]
        headers = tuple((name, value) for name, value in page.headers if not name.lower().endswith("policy"))
        body = page.body.replace(b"<head>", f"<head><script>{script}</script>".encode(), 1)
        return replace(self, responses=self.responses | {self.page: replace(page, body=body, headers=headers)})

    def altered(self, name: str, old: str, new: str) -> "Shelf":
        """One file changed, and the page told to expect the change; KeyError where the text to change is not there.

        The name is that of the source, or an ending: then it is the first such file. No old text: the new is appended.
        """
        address = next(one for one in self.responses if source(one) == name or source(one).endswith(name))
        before = self.responses[address]
        if old.encode() not in before.body:
            raise KeyError(f"{name} has no {old!r}")
        body = before.body.replace(old.encode(), new.encode()) if old else before.body + new.encode()
        after = replace(before, body=body)
        page = self.responses[self.page]
        named = replace(page, body=page.body.replace(integrity(before), integrity(after)))
        return replace(self, responses=self.responses | {address: after, self.page: named})


Shelves = dict[str, Shelf]
"""By the names of their surveys."""


def source(address: str) -> str:
    """`page.js` for `/static/x/page.4f2a.js`: the file's name without the hash of its content."""
    return re.sub(r"\.\w+(\.\w+)$", r"\1", address.rpartition("/")[2])


def integrity(response: Response) -> bytes:
    return b"sha384-" + b64encode(sha384(response.body).digest())


def receipt_of(request: Request) -> Response:
    receipt = dumps({"receipt": sha256(request.body).hexdigest()}).encode()
    return Response(201, receipt, (("Content-Type", "application/json"), ("Cache-Control", "no-store")))


def fill_shelf(definition: dict[str, Any], *, work_bits: int = 0) -> Shelf:
    """Open the survey in a transaction that is rolled back, and keep what a browser would be given.

    `work_bits` are those of the sum that its page does for each report.
    """
    with transaction.atomic():
        owner = User.objects.create_user(f"owner-of-{definition['slug']}")
        survey = write_survey(definition, team=home_team(owner))
        survey.work_bits = work_bits
        survey.save(update_fields=["work_bits"])
        version = open_survey(survey, reason="It is a test.")
        page, document = f"/s/{definition['slug']}/", version.design.document
        responses = responses_of(page)
        transaction.set_rollback(True)
    return Shelf(page, loads(document), responses)
