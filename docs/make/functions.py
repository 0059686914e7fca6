"""Every public name of the library, from its docstrings, which have numpy's sections."""

import inspect
import re
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import randomized_response
from docs.make.markdown import code, page, table

SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
TABLES = ("Parameters", "Attributes", "Returns", "Raises", "Other Parameters")


def public() -> dict[str, Any]:
    """Every public name with its object; those of a module within the library by its name and theirs."""
    found = {name: getattr(randomized_response, name) for name in randomized_response.__all__}
    modules = {name: one for name, one in found.items() if isinstance(one, ModuleType)}
    for module, one in modules.items():
        found |= {f"{module}.{name}": getattr(one, name) for name in one.__all__}
    return found


def text() -> str:
    return page(
        "Library functions",
        "For analysts and programmers who use `randomized_response` in Python.",
        "Every public name, from its docstring: `help(randomized_response.estimate_proportions)` shows the same. Where to begin "
        "is in the [tutorial](../../tutorials/analysis-in-python.md).",
        *(_entry(name, one) for name, one in sorted(public().items(), key=lambda pair: pair[0].lower())),
    )


def _entry(name: str, one: Any) -> str:
    docstring = inspect.getdoc(one) or ""
    parts = [f"## {name}", f"```text\n{signature(name, one)}\n```" if callable(one) else ""]
    return "\n\n".join(part for part in (*parts, *_sections(docstring)) if part)


def signature(name: str, one: Any) -> str:
    """The call as it is written; a line for each parameter where it would be long."""
    found = str(inspect.signature(one)).replace("randomized_response.", "")
    found = re.sub(r"\b[a-z_]+\.(?=[A-Z])", "", found)
    if len(name) + len(found) <= 100:
        return name + found
    parameters = [str(parameter) for parameter in inspect.signature(one).parameters.values()]
    plain = [re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", parameter) for parameter in parameters]
    return f"{name}(\n" + "".join(f"    {parameter},\n" for parameter in plain) + ")"


def _sections(docstring: str) -> Iterator[str]:
    parts = SECTION.split(docstring)
    yield _prose(parts[0])
    for title, content in zip(parts[1::2], parts[2::2], strict=True):
        heading = f"**{title}**\n\n"
        if title in TABLES:
            yield heading + table(("Name", "Meaning"), _rows(content))
        elif title == "Examples":
            yield heading + f"```pycon\n{content.strip()}\n```"
        else:
            yield heading + _prose(content)


def _rows(content: str) -> Iterator[tuple[str, str]]:
    """Name and type on one line, what it means indented below."""
    for entry in re.split(r"\n(?=\S)", content.strip()):
        head, _, meaning = entry.partition("\n")
        name, _, kind = head.partition(" : ")
        yield (
            code(name.rstrip(" :")),
            f"{kind}: {_inline(meaning)}" if kind and meaning.strip() else _inline(meaning) or kind,
        )


def _inline(text: str) -> str:
    return escaped(" ".join(textwrap.dedent(text).split()))


def _prose(text: str) -> str:
    """Paragraphs as they are; what is indented, such as a formula, as a block."""
    parts = []
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        indented = all(line.startswith("    ") for line in part.splitlines())
        parts.append(f"```text\n{textwrap.dedent(part)}\n```" if indented and part else escaped(part))
    return "\n\n".join(parts)


def escaped(text: str) -> str:
    """Names between double backticks as code; characters that Markdown would read as marks, outside of it, as they are."""
    pieces = re.split(r"(``?[^`]+``?)", text)
    return "".join(
        f"`{piece.strip('`')}`" if piece.startswith("`") else re.sub(r"([*_<\[])", r"\\\1", piece) for piece in pieces
    )
