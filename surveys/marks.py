"""Where things stand in a YAML text: reading it with its lines, and the line that a fault is about."""

import re
from typing import Any

import yaml

from surveys.reading import DefinitionError

DEEPEST = 20
MOST_PARTS = 100_000
"""Aliases counted each time they stand: a small file can name a thing of many gigabytes."""

PLACE = re.compile(r"[a-z_]+(?:\[\d+\])*(?:\.[A-Za-z_][\w-]*(?:\[\d+\])*)*")
STEP = re.compile(r"\[(\d+)\]|([A-Za-z_][\w-]*)")
NAMED = re.compile(r" has unknown keys: ([^,;]+)|(?:\.[a-z]+)?: ([a-z_]+) |\.(\w+) is refused")


def read(source: str, loader: type[yaml.SafeLoader]) -> tuple[Any, yaml.Node | None]:
    """What a YAML text says, and its nodes with their places.

    Raises
    ------
    DefinitionError
        With the line, where it is not YAML, says a key twice, or is nested too deeply or too large.
    """
    try:
        reader = loader(source)
        node = reader.get_single_node()
        if node is not None:
            _require_plain(node)
        return (None if node is None else reader.construct_document(node)), node
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        fault = DefinitionError(f"this is not YAML: {', '.join(filter(None, (error.context, error.problem)))}")
        raise _at(mark, fault) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, DefinitionError):
            raise
        words = "it is nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())
        raise DefinitionError(f"this is not YAML: {words}") from None


def located(fault: DefinitionError, root: yaml.Node | None) -> DefinitionError:
    """The fault with the line of what it is about, as far as that can be found."""
    if fault.line or root is None:
        return fault
    return _at(_mark(root, str(fault)), fault)


def _at(mark: Any, fault: DefinitionError) -> DefinitionError:
    if mark is None:
        return fault
    return DefinitionError(f"line {mark.line + 1}: {fault}", line=mark.line + 1, column=mark.column + 1)


def _mark(node: yaml.Node, fault: str) -> Any:
    """The place of the deepest part that the fault names."""
    mark = node.start_mark
    if fault.startswith("the questions"):
        return _found(node, "items", mark)[1]
    path = PLACE.match(fault)
    if path is None:
        return mark
    for index, name in STEP.findall(path[0]):
        before = node
        node, mark = _nth(node, int(index), mark) if index else _found(node, name, mark)
        if node is before and name not in ("grid", "survey"):
            return mark
    named = NAMED.match(fault, path.end())
    word = next(filter(None, named.groups()), "") if named else ""
    return _found(node, word.strip(), mark)[1]


def _nth(node: yaml.Node, index: int, mark: Any) -> tuple[yaml.Node, Any]:
    if isinstance(node, yaml.SequenceNode) and index < len(node.value):
        return node.value[index], node.value[index].start_mark
    return node, mark


def _found(node: yaml.Node, name: str, mark: Any) -> tuple[yaml.Node, Any]:
    """The value of a key and where the key stands; the node itself where there is no such key."""
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if key.value == name:
            return value, key.start_mark
    return node, mark


def _require_plain(root: yaml.Node) -> None:
    """Refuse what would be lost (a key that stands twice) and what would fill the memory."""
    waiting, seen = [(root, 0)], 0
    while waiting:
        node, depth = waiting.pop()
        seen += 1
        if depth > DEEPEST or seen > MOST_PARTS:
            raise _at(node.start_mark, DefinitionError("this is nested too deeply or too large for a survey"))
        if isinstance(node, yaml.MappingNode):
            _require_once(node)
            waiting += [(part, depth + 1) for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            waiting += [(part, depth + 1) for part in node.value]


def _require_once(node: yaml.MappingNode) -> None:
    known: set[str] = set()
    for key, _value in node.value:
        if isinstance(key, yaml.ScalarNode) and key.value in known:
            raise _at(key.start_mark, DefinitionError(f"the key {key.value} stands twice here; only one would count"))
        if isinstance(key, yaml.ScalarNode):
            known.add(key.value)
