"""Cursor pagination. A cursor names the row after which the next page begins, so that a change between
two pages neither repeats a row nor leaves one out."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import Model, QuerySet
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.api.openapi import parameter
from surveys.api.problems import Problem, error

USUAL, MOST = 50, 100
LARGEST = 2**63 - 1
LONGEST_CURSOR = 400

LIMIT = parameter("limit", "Rows on a page.", type="integer", minimum=1, maximum=MOST, default=USUAL)
CURSOR = parameter("cursor", "`next` of the previous page; default: the first page.", maxLength=LONGEST_CURSOR)
PARAMETERS = [LIMIT, CURSOR]
NAMES = frozenset({"limit", "cursor"})


def page_shape(shape: type[serializers.Serializer[Any]]) -> Any:
    """The shape of a page of these, for the API document."""
    following = serializers.CharField(allow_null=True, help_text="`cursor` of the next page; null after the last")
    name = shape.__name__.removesuffix("Serializer") + "Page"
    return inline_serializer(name, {"results": shape(many=True), "next": following})


def page_of(
    request: Request,
    rows: QuerySet[Any],
    kind: type[serializers.BaseSerializer[Any]],
    *,
    facts: Callable[[Sequence[Any]], Sequence[Any]] = list,
    ordering: str = "-pk",
) -> Response:
    """A page of `rows`, ordered by one unique column; `facts` reads what `kind` tells of all its rows together.

    Raises
    ------
    Problem
        400 where `limit` or `cursor` cannot be used.
    """
    column, limit = ordering.removeprefix("-"), limit_of(request)
    behind = _read(request.query_params["cursor"], ordering) if "cursor" in request.query_params else None
    if behind is not None:
        rows = rows.filter(**{f"{column}__{'lt' if ordering.startswith('-') else 'gt'}": behind})
    found: list[Model] = list(rows.order_by(ordering)[: limit + 1])
    following = cursor_of(ordering, getattr(found[limit - 1], column)) if len(found) > limit else None
    return Response({"results": kind(facts(found[:limit]), many=True).data, "next": following})


def limit_of(request: Request) -> int:
    """The requested number of rows."""
    written = request.query_params.get("limit", str(USUAL))
    if not (written.isascii() and written.isdecimal() and len(written) < 9 and 1 <= int(written) <= MOST):
        words = f"limit must be a whole number from 1 to {MOST}; got {written[:20]}"
        raise Problem(400, words, [error("limit", words, value=written)])
    return int(written)


def one_of(request: Request, name: str, choices: Sequence[str], usual: str = "") -> str:
    """A query parameter limited to these values; raises Problem for another."""
    written = request.query_params.get(name, usual)
    if name in request.query_params and written not in choices:
        words = f"{name} must be one of {', '.join(choices)}; got {written[:40]}"
        raise Problem(400, words, [error(name, words, value=written)])
    return written


def cursor_of(ordering: str, value: str | int) -> str:
    """A row's position in a list of this ordering, as an opaque string."""
    return base64.urlsafe_b64encode(json.dumps([ordering, value]).encode()).decode().rstrip("=")


def _read(written: str, ordering: str) -> str | int:
    try:
        padded = written[:LONGEST_CURSOR] + "=" * (-len(written[:LONGEST_CURSOR]) % 4)
        of, value = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, TypeError, binascii.Error, RecursionError):
        of, value = None, None
    whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST
    proper = whole if ordering.endswith("pk") else isinstance(value, str) and "\0" not in value and value.isascii()
    if of != ordering or not proper:
        words = "cursor must be the `next` of a page of this list in this order"
        raise Problem(400, words, [error("cursor", words)])
    return value  # type: ignore[no-any-return]
