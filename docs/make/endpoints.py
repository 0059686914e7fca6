"""Every endpoint of the HTTP API, from the OpenAPI document: the same rows as the page at /api/."""

import re

from config import api_page
from docs.make.markdown import code, page, table


def text() -> str:
    found = api_page._context()
    names = found["names"]
    topics = "\n\n".join(
        f"## {topic}\n\n" + "\n\n".join(_operation(one) for one in operations) for topic, operations in found["topics"]
    )
    shapes = "\n\n".join(_shape(*shape) for shape in found["shapes"])
    assert isinstance(names, set)
    return page(
        "API endpoints",
        "For programmers.",
        "Every path of the API with its parameters, its body and its responses. How to sign in, lists, repeated requests and "
        "limits stand in [the API](api.md); an installation has the same as an OpenAPI document at `/api/schema/` and as a "
        "page at `/api/`. What each status of an error means is in [errors](errors.md).",
        topics,
        "## Shapes\n\nObjects that bodies and responses consist of.",
        shapes,
    )


def _operation(one: api_page.Operation) -> str:
    about = one.about if one.about.strip(". ") != one.summary.strip(". ") else ""
    parts = [f"### {one.summary.rstrip('.')}", f"{code(f'{one.method} {one.path}')}", about]
    if one.parameters:
        rows = [(code(row.name), _kind(row), row.note + _needed(row)) for row in one.parameters]
        parts.append(table(("Parameter", "Type", "Meaning"), rows))
    if one.body:
        parts.append(f"Body: {_kind(one.body)}{'' if one.body.required else ', which may be left out'}.")
    rows = [(code(answer.status), answer.description, _shape_link(answer.shape)) for answer in one.answers]
    parts.append(table(("Status", "Meaning", "Content"), rows))
    if one.refusals:
        parts.append(f"Errors: {', '.join(map(code, one.refusals))}.")
    return "\n\n".join(part for part in parts if part)


def _shape(name: str, about: str, rows: tuple[api_page.PropertyRow, ...]) -> str:
    cells = [(code(row.name) if row.name else "", _kind(row), row.note + _needed(row)) for row in rows]
    return f"### {name}\n\n{about}\n\n" + (table(("Key", "Type", "Meaning"), cells) if cells else "")


def _needed(row: api_page.PropertyRow) -> str:
    """What is said behind a meaning of what cannot be left out."""
    return (
        f"{'. ' if row.note and not row.note.endswith('.') else ' ' if row.note else ''}Required."
        if row.required
        else ""
    )


def _kind(row: api_page.PropertyRow) -> str:
    return " ".join(part for part in (row.kind, _shape_link(row.shape)) if part)


def _shape_link(shape: str) -> str:
    return f"[{shape}](#{shape.lower()})" if re.fullmatch(r"[A-Z]\w+", shape) else shape
