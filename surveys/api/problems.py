"""Error replies of the API: a problem document of RFC 9457 for every error, wherever it occurs.

`errors` names each field that cannot be used, with a sentence that has its bound, and the value where it is short.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views import defaults
from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.permissions import SAFE_METHODS
from rest_framework.response import Response
from rest_framework.views import exception_handler

from collector.errors import Conflict, InputError, ValidationError, written

CONTENT_TYPE = "application/problem+json"
PREFIX = "/api/"
LONGEST_VALUE = 200
WORDS = {413: "Content Too Large", 422: "Unprocessable Content"}
"""Status phrases that RFC 9110 changed after the oldest supported Python."""

Error = dict[str, object]


class Problem(APIException):
    """An API error with its status, a sentence, and the fields concerned."""

    def __init__(
        self, status: int, detail: str, errors: Iterable[Error] = (), headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status_code, self.words, self.errors, self.more = status, detail, list(errors), dict(headers or {})


def problem(status: int, detail: str, errors: Iterable[Error] = ()) -> dict[str, object]:
    """A problem document; its `type` adds nothing to the status, so `title` is the status phrase."""
    found = list(errors)
    title = WORDS.get(status) or HTTPStatus(status).phrase
    content = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return content | ({"errors": found} if found else {})


def error(field: str, message: str, **more: Any) -> Error:
    """One entry of `errors`: the field, a sentence with the bound, and `value` if it is short."""
    content = {"field": field, "message": message}
    return content | {name: value for name, value in more.items() if not _is_long(value)}


def response(status: int, detail: str, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """A problem response outside of the framework's views."""
    body = json.dumps(problem(status, detail))
    return HttpResponse(body, status=status, content_type=CONTENT_TYPE, headers=dict(headers or {}))


def answer(refusal: Exception, context: Any) -> Response | None:
    """REST_FRAMEWORK's EXCEPTION_HANDLER. An exception that is no API error is a bug, and is raised on."""
    made = _made(refusal, context.get("request"))
    if made is None:
        return None
    status, detail, errors, headers = made
    return Response(problem(status, detail, errors), status=status, headers=headers, content_type=CONTENT_TYPE)


def missing(request: HttpRequest, exception: Exception) -> HttpResponse:
    """handler404: a page for people, a problem document for programs."""
    if request.path.startswith(PREFIX):
        return response(404, "This address is not part of the API.")
    return defaults.page_not_found(request, exception)


def bad(request: HttpRequest, exception: Exception) -> HttpResponse:
    """handler400."""
    if request.path.startswith(PREFIX):
        return response(400, "The request cannot be read.")
    return defaults.bad_request(request, exception)


def broken(request: HttpRequest) -> HttpResponse:
    """handler500."""
    if request.path.startswith(PREFIX):
        return response(500, "Internal error; nothing was changed.")
    return defaults.server_error(request)


def _made(refusal: Exception, request: Any) -> tuple[int, str, list[Error], dict[str, str]] | None:
    match refusal:
        case Problem():
            return refusal.status_code, refusal.words, refusal.errors, refusal.more
        case Conflict():
            return 409, str(refusal), [], {}
        case InputError():  # a parameter of a query, or a field of a body
            status = 400 if request.method in SAFE_METHODS else 422
            return status, str(refusal), [error(refusal.field, str(refusal))], {}
        case ValidationError():
            return 422, str(refusal), [_of_definition(refusal)], {}
        case serializers.ValidationError():
            errors = list(_of_fields(refusal.detail, "", getattr(request, "data", None)))
            return 422, "; ".join(f"{one['field']}: {one['message']}" for one in errors), errors, {}
    known = exception_handler(refusal, {})  # Django's own, and the framework's
    if known is None:
        return None
    headers = {name: value for name, value in known.items() if name in ("WWW-Authenticate", "Retry-After")}
    return known.status_code, str(known.data["detail"]), [], headers


def _of_definition(fault: ValidationError) -> Error:
    """An error of a definition; `line` is its line in the text that was read."""
    found = error(written(("definition", *fault.path)), str(fault))
    return found | ({"line": fault.line} if fault.line else {})


def _of_fields(detail: Any, before: str, sent: Any) -> Iterator[Error]:
    if isinstance(detail, Mapping):
        for name, part in detail.items():
            own = name == "non_field_errors"
            place = before or "body" if own else f"{before}.{name}" if before else str(name)
            known = isinstance(sent, Mapping) and not own
            yield from _of_fields(part, place, sent.get(name, ...) if known else ...)
    elif isinstance(detail, list):
        for number, part in enumerate(detail):
            if isinstance(part, Mapping | list):
                one = sent[number] if isinstance(sent, list) and number < len(sent) else ...
                yield from _of_fields(part, f"{before}[{number}]", one)
            else:
                yield error(before, str(part), value=sent)


def _is_long(value: Any) -> bool:
    """True if a value is left out: a collection, a long text, or no value at all."""
    return value is ... or isinstance(value, Mapping | list) or len(str(value)) > LONGEST_VALUE
