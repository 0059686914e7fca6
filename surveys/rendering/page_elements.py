"""A rendered page as a tree of elements, from which pictures of it are drawn."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

EMPTY = frozenset({"br", "img", "input", "link", "meta", "path", "circle"})
"""Elements without an end."""


@dataclass
class Element:
    """An element with its attributes, and in order its texts and the elements in it."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    parts: list["Element | str"] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    @property
    def name(self) -> str:
        """What scripts find it by."""
        return self.attributes.get("data-part", "")

    @property
    def stages(self) -> list[str]:
        """The stages of the page in which it is shown; empty: in all."""
        return self.attributes.get("data-stage", "").split()

    @property
    def text(self) -> str:
        """All words in it, on one line."""
        return " ".join("".join(part if isinstance(part, str) else part.text for part in self.parts).split())

    def walk(self) -> Iterator["Element"]:
        """The element and all in it, in the order of the page."""
        yield self
        for part in self.parts:
            if isinstance(part, Element):
                yield from part.walk()

    def named(self, name: str) -> list["Element"]:
        """The elements that scripts find by this name."""
        return [one for one in self.walk() if one.name == name]


def read_page(page: bytes) -> Element:
    """The tree of a page whose elements are all closed."""
    reader = _Reader()
    reader.feed(page.decode())
    reader.close()
    return reader.root


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].parts.append(element)
        if tag not in EMPTY:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].parts.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY:
            closed = self._open.pop()
            if closed.tag != tag:
                raise ValueError(f"<{closed.tag}> must be closed before </{tag}>")

    def handle_data(self, data: str) -> None:
        self._open[-1].parts.append(data)
