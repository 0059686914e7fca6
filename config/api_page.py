"""The API documentation page at /api/: the OpenAPI document as HTML, without scripts or external resources.

The ready-made viewers set styles from scripts, which the site's policy refuses, and say nothing without a script.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from config.openapi import Schema, document

TOPICS = (
    ("Surveys and teams", ("/surveys/", "/{slug}/", "/definition/", "/next-design/", "/versions/", "/{digest}/",
                           "/teams/")),
    ("Life cycle", ("/open/", "/close/", "/revise/", "/archive/", "/restore/", "/duplicate/")),
    ("Planning and watching", ("/plan/", "/watch/")),
    ("Rehearsals", ("/rehearsals/", "/{number}/", "/stop/", "/findings/")),
    ("Runs, estimates, analyses", ("/runs/", "/runs/{key}/", "/estimates/", "/publish/", "/analyses/{key}/")),
    ("Exports", ("/formats/", "/exports/", "/exports/{key}/", "/file/")),
)  # fmt: skip
"""Topics of operations on the page: an operation belongs to the topic with the longest matching path end."""
ELSEWHERE = "Besides"
OWN = "2", "3"
"""First digits of the statuses that each operation describes itself."""


@dataclass(frozen=True)
class PropertyRow:
    """A parameter, or a property of a body or response. `shape` names one of the schemas at the page's end."""

    name: str
    kind: str
    shape: str
    note: str
    required: bool = False


@dataclass(frozen=True)
class ResponseExample:
    status: str
    description: str
    shape: str


@dataclass(frozen=True)
class Operation:
    """An operation: a method of a path."""

    anchor: str
    method: str
    path: str
    summary: str
    about: str
    parameters: tuple[PropertyRow, ...]
    body: PropertyRow | None
    answers: tuple[ResponseExample, ...]
    refusals: tuple[str, ...]


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """The view of the page: every path with its parameters and responses."""
    return render(request, "api/page.html", _context())


@lru_cache(maxsize=1)
def _context() -> dict[str, object]:
    whole = document()
    topics: dict[str, list[Operation]] = {name: [] for name in (*(name for name, _ in TOPICS), ELSEWHERE)}
    for path, item in whole["paths"].items():
        for method, operation in item.items():
            topics[_topic(path)].append(_operation(method, path, operation))
    refusals = _refusals(whole["paths"])
    schemas = whole["components"]["schemas"]
    return {
        "names": set(schemas),
        "site": settings.CANDOR_URL,
        "version": whole["info"]["version"],
        "topics": [(name, found) for name, found in topics.items() if found],
        "refusals": sorted(refusals.items()),
        "shapes": [(name, one.get("description", ""), tuple(_keys(one))) for name, one in schemas.items()],
    }


def _refusals(paths: Schema) -> dict[str, str]:
    """The meaning of each refusal status, in the words of the first API path that has it."""
    refusals: dict[str, str] = {}
    for path in sorted(paths, key=lambda path: not path.startswith("/api/v1/")):
        for operation in paths[path].values():
            found = {str(status): str(one["description"]) for status, one in operation["responses"].items()}
            refusals = {status: words for status, words in found.items() if status[0] not in OWN} | refusals
    return refusals


def _topic(path: str) -> str:
    ends = [(len(end), name) for name, known in TOPICS for end in known if path.endswith(end)]
    return max(ends)[1] if ends and path.startswith("/api/v1/") else ELSEWHERE


def _operation(method: str, path: str, operation: Schema) -> Operation:
    own = [(status, one) for status, one in operation["responses"].items() if status[0] in OWN]
    return Operation(
        anchor=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        about=operation.get("description", ""),
        parameters=tuple(_parameter(one) for one in operation.get("parameters", [])),
        body=_body(operation.get("requestBody")),
        answers=tuple(ResponseExample(status, one["description"], _content(one)) for status, one in own),
        refusals=tuple(sorted(status for status in operation["responses"] if status[0] not in OWN)),
    )


def _parameter(parameter: Schema) -> PropertyRow:
    place = {"path": "in the address", "query": "in the query", "header": "a header"}[parameter["in"]]
    kind, shape = _kind(parameter["schema"])
    return PropertyRow(
        parameter["name"], f"{place}, {kind}", shape, parameter.get("description", ""), parameter.get("required", False)
    )


def _body(body: Schema | None) -> PropertyRow | None:
    if body is None:
        return None
    kind, shape = _kind(next(iter(body["content"].values()))["schema"])
    return PropertyRow("", kind, shape, "", body.get("required", False))


def _content(response: Schema) -> str:
    for one in response.get("content", {}).values():
        kind, shape = _kind(one.get("schema", {}))
        return shape or kind
    return ""


def _keys(schema: Schema) -> Iterator[PropertyRow]:
    required = schema.get("required", [])
    for name, one in schema.get("properties", {}).items():
        kind, shape = _kind(one)
        yield PropertyRow(name, kind, shape, one.get("description", ""), name in required)
    if "enum" in schema:
        yield PropertyRow("", _kind(schema)[0], "", "")


def _kind(schema: Schema) -> tuple[str, str]:
    """The type of a value in words, and the name of its schema."""
    if "$ref" in schema:
        return "", schema["$ref"].rsplit("/", 1)[1]
    for several in ("allOf", "oneOf", "anyOf"):
        if several in schema:
            parts = [_kind(one) for one in schema[several]]
            named = [kind for kind, shape in parts if kind]
            return " or ".join(named), next((shape for _, shape in parts if shape), "")
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}", ""
    if schema.get("type") == "array":
        kind, shape = _kind(schema.get("items", {}))
        return f"list of {kind}".rstrip() if kind else "list", shape
    types = schema.get("type", "anything")
    kind = " or ".join(types) if isinstance(types, list) else str(types)
    return kind + _bounds(schema), ""


def _bounds(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f" from {low:,} to {high:,}"
    return f" of at least {low:,}" if low is not None else f" of at most {high:,}" if high is not None else ""
