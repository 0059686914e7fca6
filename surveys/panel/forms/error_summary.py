"""The errors of the draft's form, gathered above it, each a link to its field."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.utils.translation import gettext


class FieldError(NamedTuple):
    """An error with the field that it stands at; without one, of a whole form, `anchor` is empty."""

    anchor: str
    place: str
    words: str


def field_errors(form: Any, inlines: Iterable[Any]) -> list[FieldError]:
    """Every error of the survey's form and of its rows, in the order of the page."""
    found = [*_errors(form, "")]
    for inline in inlines:
        formset, name = inline.formset, str(inline.opts.verbose_name).capitalize()
        found += [FieldError("", f"{name}s", words) for words in formset.non_form_errors()]
        for number, row in enumerate(formset.forms, start=1):
            found += _errors(row, f"{name} {number}")
    return found


def _errors(form: Any, place: str) -> Iterator[FieldError]:
    for name, errors in form.errors.items():
        bound = form[name] if name in form.fields else None
        label = str(bound.label) if bound is not None else ""
        where = ", ".join(filter(None, (place, label))) or gettext("Survey")
        yield from (FieldError(str(bound.auto_id) if bound is not None else "", where, str(words)) for words in errors)
