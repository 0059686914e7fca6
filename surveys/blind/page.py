"""The page on which a token is fetched, as bytes: rendered once like the respondent's, the same for everybody."""

from urllib.parse import urlsplit

from django.urls import reverse

from surveys import links, pages
from surveys.languages import address_of, switch
from surveys.models import Version
from surveys.pages import Document


def render_page(document: Document, canonical: str, digest: str, language: str) -> bytes:
    """The page in one of the design's languages. It carries the canonical text, in which the key is."""
    context = {
        "title": pages.text_in(document["title"], document, language),
        "doors": switch("token", document),
        "canonical": canonical,
        "digest": digest,
        "sign_address": reverse("surveys:token-sign", args=[document["slug"]]),
        "survey_address": address_of("respond", document, language),
        "file_name": document["slug"],
    }
    return pages.render("surveys/token.html", context, language)


def link_without_code(version: Version, group: str = "") -> str:
    """What stands before the code in a link to the page: its address, the digest and, where there is one, the group."""
    return link_to_page(version) + (f"&group={group}" if group else "") + "&code="


def link_to_page(version: Version) -> str:
    """The page, with the digest that it must have; whoever opens it types her code."""
    return links.link_to("surveys:token", version.survey.slug, digest=version.design_id)


def typed_address(version: Version) -> str:
    """The page's address as somebody types it from a card."""
    parts = urlsplit(link_to_page(version))
    return parts.netloc + parts.path
