"""The page on which a token is fetched, as bytes: rendered once and the same for everybody."""

from django.urls import reverse

from collector.designs import Design
from surveys.definition.languages import address_of, language_links
from surveys.rendering import pages


def render_page(design: Design, language: str) -> bytes:
    """The page in one of the design's languages. It contains the canonical text, with the key."""
    context = {
        "title": design.title[language],
        "doors": language_links("token", design),
        "canonical": design.canonical.decode(),
        "digest": design.digest,
        "sign_address": reverse("surveys:token-sign", args=[design.slug]),
        "survey_address": address_of("respond", design, language),
        "file_name": design.slug,
    }
    return pages.render("surveys/token.html", context, language)
