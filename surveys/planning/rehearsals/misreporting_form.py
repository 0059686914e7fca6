"""The fields of a rehearsal's form for people who do not say what is true, of everybody and by group."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext

from collector.designs import Design
from surveys.definition.numerals import plain_percent
from surveys.planning.rehearsals.misreporting import groups_of
from surveys.planning.rehearsals.population import BEHAVIOURS, Assumptions, Behaviour

MOST_ROWS = 60
"""Groups and answers that get fields of their own; the API and the command take any."""


class PercentField(forms.FloatField):
    """A share in per cent, as people write it: 30, 30 %, 12,5 or 3/10."""

    widget = forms.TextInput

    def to_python(self, value: Any) -> Any:
        return super().to_python(plain_percent(value) if isinstance(value, str) else value)


@dataclass(frozen=True)
class MisreportingRow:
    """Of everybody, where the key is empty, or of a group: the field of each behaviour by name.

    `question` is the wording of the background question that the group is an answer to; empty for a group.
    """

    key: str
    label: str
    question: str
    names: Mapping[str, str]


@dataclass(frozen=True)
class MisreportingRowFields:
    """A row for display."""

    label: str
    question: str
    fields: list[forms.BoundField]
    fault: str


def columns() -> list[str]:
    """The headings of the fields, in their order."""
    return [gettext("At random"), gettext("The opposite, by misunderstanding"), gettext("No, although Yes is true")]


def rows(design: Design) -> list[MisreportingRow]:
    """A row for everybody, and one for each group or answer while they are few."""
    everybody = MisreportingRow("", gettext("Everybody"), "", {name: name for name in BEHAVIOURS})
    groups = [
        MisreportingRow(key, label, question, {name: f"{name}-{number}" for name in BEHAVIOURS})
        for number, (key, label, question) in enumerate(_groups(design))
    ]
    return [everybody, *(groups if len(groups) <= MOST_ROWS else [])]


def fields_of(rows: list[MisreportingRow], like: Assumptions) -> Iterator[tuple[str, PercentField]]:
    """The fields by name, with the shares of an earlier rehearsal to begin with."""
    for place, row in enumerate(rows):
        known: Mapping[str, Any] = like.get("misreporting_groups", {}).get(row.key, {}) if row.key else like
        for heading, (behaviour, name) in zip(columns(), row.names.items(), strict=True):
            share = known.get(behaviour)
            initial = None if share is None else f"{100 * share:.6g}"
            label = " ".join(filter(None, (row.question, row.label)))
            field = PercentField(min_value=0, max_value=100, required=False, initial=initial)
            field.widget.attrs = {"class": "candor-field", "autocomplete": "off", "aria-label": f"{label}: {heading}"}
            field.widget.attrs["aria-describedby"] = f"misreporting-{place}-fault"
            yield name, field


def shown(form: forms.Form, rows: list[MisreportingRow]) -> list[MisreportingRowFields]:
    """The rows with their fields, and what is wrong there."""
    found = []
    for row in rows:
        fields = [form[name] for name in row.names.values()]
        faults = dict.fromkeys(str(fault) for field in fields for fault in field.errors)
        found.append(MisreportingRowFields(row.label, row.question, fields, " ".join(faults)))
    return found


def given(form: forms.Form, rows: list[MisreportingRow]) -> Assumptions:
    """What is entered, as parts of the assumptions; an empty field of a group is as for everybody."""
    found: Any = {}
    for row in rows:
        entered = {name: form.cleaned_data.get(field) for name, field in row.names.items()}
        shares: Behaviour = {name: share / 100 for name, share in entered.items() if share is not None}  # type: ignore[assignment]
        if not row.key:
            found |= {name: share for name, share in shares.items() if share}
        elif shares:
            found.setdefault("misreporting_groups", {})[row.key] = shares
    return found  # type: ignore[no-any-return]


def of_several_questions(form: forms.Form, rows: list[MisreportingRow]) -> bool:
    """Whether shares are entered for answers to more than one background question."""
    values = ((row.question, [form.cleaned_data.get(name) for name in row.names.values()]) for row in rows if row.key)
    return len({question for question, shares in values if any(share is not None for share in shares)}) > 1


def _groups(design: Design) -> Iterator[tuple[str, str, str]]:
    """The key, the label and the question of each group or answer."""
    language = design.language
    if not design.background:
        yield from ((group.key, group.label[language], "") for group in design.groups)
    for question, keys in zip(design.background.questions, groups_of(design), strict=False):
        for key, choice in zip(keys, question.choices, strict=True):
            yield key, choice[language], question.wording[language]
