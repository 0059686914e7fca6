"""The links that people are given. Their host comes from the settings, never from a request."""

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from sesame.utils import get_query_string

from estimator.models import Run
from surveys import selectors
from surveys.languages import address_of
from surveys.models import Version


def respondent_link(version: Version) -> str:
    """The survey's address; the digest in its fragment lets the browser check the design that it is given."""
    return link_to("surveys:respond", version.survey.slug, digest=version.design_id)


def coin_link(version: Version) -> str:
    """The address of the own-coin page; empty where the version has none. Without a script no digest is checked."""
    return link_to("surveys:coin", version.survey.slug) if selectors.has_coin_page(version) else ""


def sheet_links(version: Version) -> dict[str, str]:
    """The address of the sheet of paper in each language that has one."""
    document = selectors.document_of(version)
    found = selectors.sheet_languages(version)
    return {code: settings.CANDOR_URL + address_of("coin-sheet", document, code) for code in found}


def sign_in_link(user: User) -> str:
    """A link that signs its bearer in once."""
    return f"{link_to('sign-in')}{get_query_string(user)}"


def report_link(run: Run) -> str:
    """The address of a published report; whoever has it may read it."""
    return link_to("estimator:report", run.key)


def link_to(name: str, *args: str, digest: str = "") -> str:
    return f"{settings.CANDOR_URL}{reverse(name, args=args)}" + (f"#{digest}" if digest else "")
