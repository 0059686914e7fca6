"""Differences between two definitions, and how they are applied to a third: two authors write one draft.

A change names the path of the smallest part that differs, with its value before and after. Questions, sections and
groups are named by their keys, so that a path stays right when others are added or moved; their order is a part of its
own. `surveys/static/surveys/editor/changes.js` is the same in the browser; both read tests/vectors/changes.json.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.utils.translation import gettext

from collector.errors import Path, ValidationError
from estimator.base.languages import filled
from surveys.definition.parts import Definition


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"

    def __deepcopy__(self, memo: object) -> "_Absent":
        return self


ABSENT: Any = _Absent()
"""The value of a part that is not there. None is a value: the share of a group may be unknown."""

KEYED: tuple[Path, ...] = (("items",), ("sections",), ("strata", "groups"))
"""Lists whose entries are named by their keys."""

OPTIONAL = ("about", "look", "ending")
"""Parts that are there only where something is said: two authors may begin them at once."""

AS_A_WHOLE = {"channel", "asked_if", "languages", "ends", "completion"}
"""Parts whose values belong together: a half of each side would be neither's."""

MOST_CHANGES = 20_000


@dataclass(frozen=True)
class Change:
    """A part that differs. In the path of a list of keyed parts `was` and `now` are their keys in order."""

    path: Path
    was: Any = ABSENT
    now: Any = ABSENT

    def to_dict(self) -> dict[str, object]:
        values = {"was": self.was, "now": self.now}
        return {"path": list(self.path)} | {name: value for name, value in values.items() if value is not ABSENT}


@dataclass(frozen=True)
class Clash:
    """A part that both sides changed: before, by the other side, and by this one."""

    path: Path
    was: Any
    theirs: Any
    yours: Any

    def to_dict(self) -> dict[str, object]:
        values = {"was": self.was, "theirs": self.theirs, "yours": self.yours}
        return {"path": list(self.path)} | {name: value for name, value in values.items() if value is not ABSENT}


def read_changes(raw: object) -> list[Change]:
    """Parse the changes of a request. Raises ValidationError."""
    if not isinstance(raw, list) or len(raw) > MOST_CHANGES:
        raise ValidationError(
            ("changes",),
            filled(gettext("must be a list of at most {most_changes:,} changes"), most_changes=MOST_CHANGES),
        )
    found = []
    for number, one in enumerate(raw):
        path = one.get("path") if isinstance(one, dict) else None
        steps = isinstance(path, list) and path and all(type(step) in (str, int) for step in path)
        if not path or not steps or not set(one) <= {"path", "was", "now"} or not {"was", "now"} & set(one):
            raise ValidationError(
                ("changes", number), gettext("must have a path of keys and numbers, and was, now or both")
            )
        if path == ["strata"]:
            raise ValidationError(
                ("changes", number), gettext("must name a part of strata: wording, groups or a group")
            )
        found.append(Change(tuple(path), one.get("was", ABSENT), one.get("now", ABSENT)))
    return found


def differences(before: Definition, after: Definition) -> list[Change]:
    """What has to be changed in the first to get the second."""
    first, second = _Tree(before), _Tree(after)
    found = list(_differences(first.content, second.content, ()))
    orders = [Change(path, first.orders[path], second.orders[path]) for path in KEYED]
    return [*found, *(one for one in orders if one.was != one.now)]


def apply_changes(
    definition: Definition, changes: Iterable[Change], *, preferred: Definition | None = None
) -> tuple[Definition, list[Clash]]:
    """The definition with these changes, and the parts that were changed there meanwhile to something else.

    `preferred` is the definition that the changes were made in: with it they win wherever both sides changed a part.
    """
    tree, clashes = _Tree(definition), list[Clash]()
    chosen = _Tree(preferred) if preferred is not None else None
    for change in changes:
        clash = tree.reorder(change, chosen) if change.path in KEYED else tree.replace(change, chosen)
        clashes += [clash] if clash else []
    return tree.definition(), clashes


class _Tree:
    """A definition whose lists of keyed parts are mappings, with the order of each apart."""

    def __init__(self, definition: Definition) -> None:
        self.content: Any = copy.deepcopy(dict(definition))
        self.orders: dict[Path, list[str]] = {}
        for path in KEYED:
            holder, last = self._holder(path), str(path[-1])
            named = dict(_named(holder.get(last) or []))
            holder[last], self.orders[path] = named, list(named)
        for name in OPTIONAL:
            self.content.setdefault(name, {})

    def replace(self, change: Change, preferred: "_Tree | None") -> Clash | None:
        """Set a part to its new value; a clash if it is neither what it was nor that."""
        *way, last = change.path
        holder = _at(self.content, way)
        there = _at(self.content, change.path)
        if _same(there, change.now):
            return None
        fits = isinstance(holder, dict) or (isinstance(holder, list) and there is not ABSENT)
        if not fits or not _same(there, change.was):
            if preferred is None:
                return Clash(change.path, change.was, there, change.now)
            if not fits:
                self._restore(change.path, preferred)
                return None
        if change.now is not ABSENT:
            holder[last] = copy.deepcopy(change.now)
        elif isinstance(holder, dict):
            holder.pop(last)
        return None

    def reorder(self, change: Change, preferred: "_Tree | None") -> Clash | None:
        """Bring keyed parts into a new order; a clash if both sides moved those that were there before."""
        was, mine, theirs = _keys(change.was), _keys(change.now), self.orders[change.path]
        shared = set(was) & set(mine) & set(theirs)
        before, ours, others = ([key for key in keys if key in shared] for keys in (was, mine, theirs))
        if ours == before:
            self.orders[change.path] = _inserted(theirs, mine)
        elif others in (before, ours) or preferred is not None:
            self.orders[change.path] = _inserted(mine, theirs)
        else:
            return Clash(change.path, was, theirs, mine)
        return None

    def definition(self) -> Definition:
        made = copy.deepcopy(self.content)
        for path in KEYED:
            holder = _at(made, path[:-1])
            parts = holder.get(path[-1]) or {}
            order = [key for key in self.orders[path] if key in parts]
            holder[path[-1]] = [parts[key] for key in (*order, *(key for key in parts if key not in order))]
        for name in (*OPTIONAL, "sections"):
            if not made.get(name):
                made.pop(name, None)
        return cast("Definition", made)

    def _holder(self, path: Path) -> Any:
        holder = self.content
        for step in path[:-1]:
            holder = holder.setdefault(str(step), {})
        return holder

    def _restore(self, path: Path, preferred: "_Tree") -> None:
        """Put back the outermost part on the way to a change that is not here any more."""
        for length in range(1, len(path)):
            part, chosen = _at(self.content, path[:length]), _at(preferred.content, path[:length])
            if part is ABSENT and chosen is not ABSENT:
                if isinstance(path[length - 1], int):  # an entry of a list that has become shorter: all of the list
                    length -= 1
                    chosen = _at(preferred.content, path[:length])
                _at(self.content, path[: length - 1])[path[length - 1]] = copy.deepcopy(chosen)
                return


def _differences(before: Any, after: Any, path: Path) -> Iterator[Change]:
    if _same(before, after):
        return
    whole = bool(path) and path[-1] in AS_A_WHOLE
    if isinstance(before, dict) and isinstance(after, dict) and not whole:
        for name in dict.fromkeys((*before, *after)):
            yield from _differences(before.get(name, ABSENT), after.get(name, ABSENT), (*path, name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after) and not whole:
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _differences(one, other, (*path, number))
    else:
        yield Change(path, before, after)


def _named(parts: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The parts by their keys; the second of a key that stands there twice, which is a fault, by another one."""
    met = dict[str, int]()
    for part in parts:
        key = str(part.get("key", ""))
        met[key] = met.get(key, 0) + 1
        yield (key if met[key] == 1 else f"{key}~{met[key]}"), part


def _at(content: Any, path: Sequence[str | int]) -> Any:
    """The part at a path; ABSENT if there is none."""
    for step in path:
        listed = isinstance(content, list) and type(step) is int and 0 <= step < len(content)
        if not listed and not (isinstance(content, dict) and step in content):
            return ABSENT
        content = content[step]
    return content


def _keys(order: object) -> list[str]:
    return [str(key) for key in order] if isinstance(order, list) else []


def _inserted(order: list[str], others: list[str]) -> list[str]:
    """An order with the keys that only the other one has, each behind its predecessor there."""
    found = list(order)
    for place, key in enumerate(others):
        if key not in found:
            found.insert(found.index(others[place - 1]) + 1 if place else 0, key)
    return found


def _same(one: Any, other: Any) -> bool:
    """Equality as JSON has it: True is not 1."""
    return type(one) is type(other) and bool(one == other)
