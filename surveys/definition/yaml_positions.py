"""Positions in a YAML text: parsing with line numbers, and finding the line of an error."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import yaml
from django.utils.translation import gettext

from collector.errors import ValidationError
from estimator.base.languages import filled
from surveys.definition import bounds

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's parser: ten times faster, and part of PyYAML's wheels."""

NUMBER = re.compile(rf"[-+]?(?:0|[1-9][0-9]{{0,{bounds.MOST_DIGITS - 1}}})")
CONSTANTS = {"": None, "~": None, "null": None, "Null": None, "NULL": None, "true": True, "false": False}
"""Unquoted texts read as constants; besides them, only whole numbers. A decimal like 0.25 remains as written."""

NOT_WRITTEN = ("survey", "grid")
"""Steps of a path without a key in a definition: the definition as a whole, and the range of a number."""


def read(source: str) -> tuple[Any, yaml.Node | None]:
    """The parsed value of a YAML text, and its nodes with their positions.

    Values are texts, whole numbers of at most 20 digits, true, false and null; keys are texts.

    Raises
    ------
    ValidationError
        With the line, where it is not YAML, says a key twice, is too large or nested too deeply, or has what a
        questionnaire does not need: anchors, aliases and tags.
    """
    bounds.require_size(source)
    try:
        root = _compose(yaml.parse(source, Loader=LOADER))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        fault = ValidationError(
            (),
            gettext("this is not YAML: {problem}").format(
                problem=", ".join(filter(None, (error.context, error.problem)))
            ),
        )
        raise _at(mark, fault) from None
    except yaml.YAMLError as error:
        raise ValidationError(
            (), gettext("this is not YAML: {problem}").format(problem=" ".join(str(error).split()))
        ) from None
    return (None if root is None else _value(root)), root


@dataclass
class _Open:
    """A list or a mapping that is still being parsed."""

    node: yaml.SequenceNode | yaml.MappingNode
    key: yaml.ScalarNode | None = None
    known: set[str] = field(default_factory=set)

    def add(self, node: yaml.Node) -> None:
        if len(self.node.value) >= bounds.MOST_ENTRIES and self.key is None:
            words = gettext("a list or mapping must have at most {most_entries} entries; this is one more").format(
                most_entries=bounds.MOST_ENTRIES
            )
            raise _at(node.start_mark, ValidationError((), words))
        if isinstance(self.node, yaml.SequenceNode):
            self.node.value.append(node)
        elif self.key is None:
            self.key = self._key(node)
        else:
            self.node.value.append((self.key, node))
            self.key = None

    def _key(self, node: yaml.Node) -> yaml.ScalarNode:
        """The key of an entry; a repeated one is rejected, as a value would be lost."""
        if not isinstance(node, yaml.ScalarNode):
            raise _at(
                node.start_mark, ValidationError((), gettext("a key must be a text; this is a list or a mapping"))
            )
        if node.value in self.known:
            words = gettext("the key {value} is used twice here; only one would count").format(value=node.value)
            raise _at(node.start_mark, ValidationError((), words))
        self.known.add(node.value)
        return node


def _compose(events: Iterable[yaml.Event]) -> yaml.Node | None:
    """The nodes of the only document. It stops at the first event out of bounds, and never recurses."""
    root: yaml.Node | None = None
    opened: list[_Open] = []
    for number, event in enumerate(events):
        if isinstance(event, yaml.CollectionEndEvent):
            opened.pop()
        if not isinstance(event, yaml.NodeEvent):
            continue
        _require_usual(event, number, len(opened), alone=bool(opened) or root is None)
        node = _node(event)
        if opened:
            opened[-1].add(node)
        else:
            root = node
        if isinstance(node, yaml.SequenceNode | yaml.MappingNode):
            opened.append(_Open(node))
    return root


def _require_usual(event: Any, number: int, depth: int, *, alone: bool) -> None:
    words = ""
    if not alone:
        words = gettext("a file holds one definition; a second document begins here")
    elif event.anchor is not None:
        words = gettext("anchors (&) and aliases (*) are not allowed; write the part out where it belongs")
    elif getattr(event, "tag", None) is not None:
        words = gettext("tags are not allowed; got {tag}").format(tag=event.tag)
    elif number > bounds.MOST_PARTS:
        words = filled(
            gettext("a definition must have at most {most_parts:,} parts; this is one more"),
            most_parts=bounds.MOST_PARTS,
        )
    elif isinstance(event, yaml.CollectionStartEvent) and depth >= bounds.DEEPEST:
        words = gettext("this is nested too deeply: at most {deepest} levels are allowed").format(
            deepest=bounds.DEEPEST
        )
    if words:
        raise _at(event.start_mark, ValidationError((), words))


def _node(event: Any) -> yaml.Node:
    places: tuple[Any, Any] = (event.start_mark, event.end_mark)
    if isinstance(event, yaml.SequenceStartEvent):
        return yaml.SequenceNode("list", [], *places)
    if isinstance(event, yaml.MappingStartEvent):
        return yaml.MappingNode("mapping", [], *places)
    return yaml.ScalarNode("plain" if event.implicit[0] else "text", event.value, *places)


def _value(node: yaml.Node) -> Any:
    """The value of a node, which is nested no deeper than DEEPEST."""
    if isinstance(node, yaml.MappingNode):
        return {key.value: _value(part) for key, part in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_value(part) for part in node.value]
    if node.tag == "plain" and node.value in CONSTANTS:
        return CONSTANTS[node.value]
    return int(node.value) if node.tag == "plain" and NUMBER.fullmatch(node.value) else node.value


def located(error: ValidationError, root: yaml.Node | None) -> ValidationError:
    """The error with the line of its cause, as far as that can be found."""
    return error if error.line or root is None else _at(_mark(root, error), error)


def _at(mark: Any, error: ValidationError) -> ValidationError:
    if mark is not None:
        error.line, error.column = mark.line + 1, mark.column + 1
    return error


def _mark(node: yaml.Node, error: ValidationError) -> Any:
    """The position of the deepest part of the error's path that exists in the text."""
    mark = node.start_mark
    for step in error.path:
        before = node
        node, mark = _nth(node, step, mark) if isinstance(step, int) else _found(node, step, mark)
        if node is before and step not in NOT_WRITTEN:
            return mark
    return _found(node, error.keys[0], mark)[1] if error.keys else mark


def _nth(node: yaml.Node, index: int, mark: Any) -> tuple[yaml.Node, Any]:
    if isinstance(node, yaml.SequenceNode) and index < len(node.value):
        return node.value[index], node.value[index].start_mark
    return node, mark


def _found(node: yaml.Node, name: str, mark: Any) -> tuple[yaml.Node, Any]:
    """The value of a key and the key's position; the node itself if there is no such key."""
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if key.value == name:
            return value, key.start_mark
    return node, mark
