"""The page on which a token is fetched, as bytes: rendered once like the respondent's, the same for everybody."""

from django.urls import reverse

from surveys.definition.languages import address_of, language_links
from surveys.rendering import pages
from surveys.rendering.pages import Document


def render_page(document: Document, canonical: str, digest: str, language: str) -> bytes:
    """The page in one of the design's languages. It carries the canonical text, in which the key is."""
    context = {
        "title": pages.text_in(document["title"], document, language),
        "doors": language_links("token", document),
        "canonical": canonical,
        "digest": digest,
        "sign_address": reverse("surveys:token-sign", args=[document["slug"]]),
        "survey_address": address_of("respond", document, language),
        "file_name": document["slug"],
    }
    return pages.render("surveys/token.html", context, language)
