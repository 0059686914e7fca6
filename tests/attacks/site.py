"""An open survey as its site serves it, taken from the application, and what the site served before."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.test import Client, override_settings

from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle import page_log
from surveys.lifecycle.services import close_survey, revise_survey, write_survey
from surveys.models import LogEntry, Survey, Version
from surveys.opening.services import open_survey
from surveys.transparency import merkle
from tests.factories import payloads
from tests.tools.capture import Response
from tests.tools.pages import kept, responses_of
from tests.tools.picture_files import base64, png

PAGE = "/s/campus/"
LOGO = {"file": "seal", "alternative": "Seal"}
Responses = dict[str, Response]


@dataclass(frozen=True)
class Site:
    """What is at each address; `earlier` is the page of the version before, `logs` are other logs of its pages."""

    responses: Responses
    digest: str
    earlier: Response
    logs: dict[str, Responses]


def site() -> Site:
    """The site, on whose log three entries are: a version opened, closed, and its next one opened."""
    owner = User.objects.create_user("owner")
    survey = write_survey(definitions.complete(_definition("Campus")), team=home_team(owner))
    open_survey(survey)
    earlier = responses_of(PAGE)[PAGE]
    close_survey(Survey.objects.get(), by=owner)
    rolled_back = log_responses()
    revise_survey(Survey.objects.get(), by=owner)
    version = open_survey(Survey.objects.get())
    logs = {"rolled back": rolled_back, "rewritten": _rewritten(), "of another key": _of_another_key()}
    return Site(_responses(version), version.design_id, earlier, logs)


def _definition(title: str) -> dict[str, Any]:
    return payloads.definition(title={"en": title}, pictures={"seal": base64(png())}, look={"logo": LOGO})


def _responses(version: Version) -> Responses:
    entry = page_log.manifest(version)
    client = Client()
    named = [*(PAGE + below for below in entry["pages"]), *entry["fetched"]]
    return responses_of(PAGE) | {path: kept(client.get(path)) for path in named} | log_responses()


def log_responses() -> Responses:
    """The log as it is now: its key, its signed root, and the tile of its entries."""
    client = Client()
    size = LogEntry.objects.count()
    named = ["/log/key", "/log/checkpoint", f"/log/tile/entries/{merkle.tile_name(0, size)}"]
    return {path: kept(client.get(path)) for path in named}


@contextmanager
def _changed_entry() -> Iterator[None]:
    entry = LogEntry.objects.get(position=0)
    LogEntry.objects.filter(position=0).update(leaf=bytes(entry.leaf).replace(b'"version":1', b'"version":9'))
    yield
    LogEntry.objects.filter(position=0).update(leaf=entry.leaf)


def _rewritten() -> Responses:
    """With another first entry, signed anew by the installation's own key."""
    with _changed_entry():
        return log_responses()


def _of_another_key() -> Responses:
    with override_settings(CANDOR_BACKUP_KEY="another installation"):
        return log_responses()
