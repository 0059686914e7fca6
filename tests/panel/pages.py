"""The pages of a survey in the panel: what they show, and their buttons."""

import re
from collections.abc import Iterator
from typing import Any

from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from tests.panel.access import ADMIN, ROWS, Cast
from tests.tools.html import words


def press(client: Client, name: str, *args: str, **fields: str) -> str:
    """Press a button and read the words of the page that comes."""
    return words(client.post(reverse(f"panel:{name}", args=args), fields, follow=True).content.decode())


def outcome(client: Client, button: str, *args: str | int, **fields: str | int) -> str:
    """Press a button: the level of the message that follows; without a message, the status of the page."""
    answer: Any = client.post(reverse(f"panel:{button}", args=args), fields, follow=True)
    return " ".join(message.level_tag for message in answer.context["messages"]) or str(answer.status_code)


def html_of(client: Client, name: str, *args: str) -> str:
    response = client.get(reverse(f"panel:{name}", args=args))
    assert response.status_code == 200
    return response.content.decode()


def marks(html: str, name: str) -> list[str]:
    """The values of an attribute `data-...`, in the order of the page; "" of one without a value."""
    return re.findall(rf'\sdata-{name}(?:="([^"]*)"|(?=[\s>]))', html)


def look(client: Client, slug: str = "campus") -> str:
    response = client.get(reverse("panel:survey", args=[slug]))
    assert response.status_code == 200
    return words(response.content.decode())


def digest_shown(client: Client, slug: str = "campus") -> str:
    """What the page of opening shows, and its form confirms."""
    html = client.get(reverse("panel:opening", args=[slug])).content.decode()
    return re.findall(r'name="digest" value="([0-9a-f]{64})"', html)[0]


def every_page(cast: Cast) -> Iterator[tuple[str, HttpResponseBase]]:
    """Every address that is read, by whom it is shown most, and the respondents' pages."""
    for name, row in {**ROWS, **ADMIN}.items():
        if "GET" in row.methods:
            (address, _), _ = cast.requests(name, row)
            for who in ("owner", "superuser"):
                yield f"{who} at {name}", cast.clients[who].get(address)
    for name in ("respond", "coin", "design"):
        yield name, Client().get(reverse(f"surveys:{name}", args=["campus"]))


def content(answer: HttpResponseBase) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
