"""The form's fields for choices that are classes of dates or times of day.

Only the choices are stored: the fields show the classes that are found again in them, and make choices where they are
changed. Each carries what it showed, so that a form which is sent late does not undo what others have saved meanwhile.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from collector.errors import Path, ValidationError
from surveys.definition.class_recognition import classes_from
from surveys.definition.classes import HOURS, KEYS
from surveys.models import Item

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

BY = "classes_by"
WAYS = (
    ("", gettext_lazy("As written above")),
    ("month", gettext_lazy("Months")),
    ("quarter", gettext_lazy("Quarters")),
    ("year", gettext_lazy("Years")),
    ("date", gettext_lazy("Dates that you enter")),
    ("time", gettext_lazy("Times of day")),
)
USED = {by: [f"classes_{key}" for key in sorted(keys - {"by"})] for by, keys in KEYS.items()}
"""The fields that each way has."""


def _line(label: "StrOrPromise", help_text: "StrOrPromise") -> forms.CharField:
    return forms.CharField(label=label, help_text=help_text, widget=UnfoldAdminTextInputWidget, required=False)


def _switch(label: "StrOrPromise", help_text: "StrOrPromise") -> forms.BooleanField:
    return forms.BooleanField(label=label, help_text=help_text, widget=UnfoldBooleanSwitchWidget, required=False)


CLASSES_FIELDS: dict[str, forms.Field] = {
    BY: forms.ChoiceField(
        label=gettext_lazy("Options from dates or times"),
        choices=WAYS,
        required=False,
        widget=UnfoldAdminSelectWidget(attrs={"data-fields": json.dumps(USED)}),
        help_text=(
            gettext_lazy(
                "Dates and times are asked in classes. A change replaces the options above, in every language."
            )
        ),
    ),
    "classes_from": _line(
        gettext_lazy("From"),
        gettext_lazy("A month like 2024-01 or a year like 2024; for times of day a time like 06:00."),
    ),
    "classes_to": _line(gettext_lazy("To"), gettext_lazy("The last month or year.")),
    "classes_hours": _line(
        gettext_lazy("Hours"),
        format_lazy(gettext_lazy("Hours in each class: {hours}."), hours=", ".join(map(str, HOURS))),
    ),
    "classes_at": forms.CharField(
        label=gettext_lazy("Dates"),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        required=False,
        help_text=gettext_lazy("Years, months or days like 2024-03-15, one per line. Each begins a class."),
    ),
    "classes_earlier": _switch(
        gettext_lazy("Option for earlier"), gettext_lazy("For what lies before the first class.")
    ),
    "classes_later": _switch(gettext_lazy("Option for later"), gettext_lazy("For what lies after the last class.")),
}


for _field in CLASSES_FIELDS.values():
    _field.show_hidden_initial = True


def found_classes(item: Item, languages: Sequence[str]) -> dict[str, object]:
    """The fields' values for the classes that a question's choices were made of; empty where they are no classes."""
    found = classes_from(item.choices, languages) or {}
    at = found.get("at")
    lines = {"at": "\n".join(map(str, at))} if isinstance(at, list) else {}
    return {f"classes_{name}": value if value is True else str(value) for name, value in (found | lines).items()}


def written_classes(cleaned: Mapping[str, Any]) -> dict[str, object]:
    """The classes that a form asks for, as a definition has them; empty where it asks for none."""
    by = cleaned.get(BY)
    if not by:
        return {}
    found: dict[str, Any] = {name.removeprefix("classes_"): cleaned.get(name) for name in USED[by]}
    if by == "date":
        found["at"] = found["at"].replace(",", " ").split()
    if found.get("hours", "").isdecimal():
        found["hours"] = int(found["hours"])
    return {"by": by} | {name: value for name, value in found.items() if value not in ("", False)}


def classes_fault(error: ValidationError, path: Path) -> tuple[str, str]:
    """The form field that an error of the classes concerns, and its text; `path`: its place in the classes."""
    field = f"classes_{path[0]}" if path else BY
    return (field, error.sentence(path)) if field in CLASSES_FIELDS else (BY, error.sentence(path))
