"""Embedding the respondents' page in other sites: disabled until a survey names the allowed sites.

The page's bytes stay the same; one header says who may frame it. docs/adr/0011-embedding.md says what it costs.
"""

import re
from collections.abc import Iterable

from django.http import HttpResponse
from django.utils.translation import gettext

from collector.errors import InputError

ORIGIN = re.compile(
    r"https://(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9](?::[1-9][0-9]{0,4})?"
)
MOST_ORIGINS = 10


def origins_of(text: str) -> list[str]:
    """The origins in a text, one a line, each once. Raises InputError.

    An origin is https, a whole host and perhaps a port: no path, no wildcard, no other scheme.
    """
    origins = list(dict.fromkeys(line.strip().lower().removesuffix("/") for line in text.splitlines() if line.strip()))
    for origin in origins:
        if not ORIGIN.fullmatch(origin):
            raise InputError(
                "origins",
                gettext("{origin!r} is not the origin of a site, such as https://www.example.org").format(
                    origin=origin
                ),
            )
    if len(origins) > MOST_ORIGINS:
        raise InputError(
            "origins",
            gettext("At most {most_origins} sites may embed it; got {count}.").format(
                most_origins=MOST_ORIGINS, count=len(origins)
            ),
        )
    return origins


def framed_by(response: HttpResponse, origins: Iterable[str]) -> HttpResponse:
    """Allow pages of these origins to embed this response; `config.middleware` writes the header."""
    if allowed := tuple(origins):
        response.frame_ancestors = allowed  # type: ignore[attr-defined]
        response.xframe_options_exempt = True
    return response
