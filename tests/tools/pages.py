"""A shipped page with all its files and headers, taken once from the application, to be served from memory."""

import re

from django.http import HttpResponseBase
from django.test import Client

from tests.tools.capture import Response

ADDRESS = re.compile(r'(?:href|src)="([^"#]+)"')


def responses_of(page: str, **headers: str) -> dict[str, Response]:
    """Responses by address: the page at that address, and each file that it names. `headers` are the browser's."""
    client = Client(SERVER_NAME="127.0.0.1", headers=headers)
    text = kept(Client(SERVER_NAME="127.0.0.1").get(page)).body.decode()
    return {address: kept(client.get(address)) for address in [page, *ADDRESS.findall(text)]}


def kept(response: HttpResponseBase) -> Response:
    assert response.status_code == 200, response
    body = b"".join(response.streaming_content) if response.streaming else response.content
    headers = [(name, value) for name, value in response.items() if name != "Content-Length"]
    return Response(200, body, tuple(headers))
