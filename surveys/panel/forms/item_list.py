"""The questions of a draft in its form: a list of rows, of which some are open, each with one question's form.

A closed question sends its place and a mark, and comes back as it is saved: it costs little, and what a colleague
wrote in it meanwhile is not written over. Where the question that it is asked after has other answers now, it is opened
here, so that its condition follows them in words as if it had been open.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

from django.http import QueryDict
from django.utils.functional import cached_property
from django.utils.translation import gettext

from collector.errors import ValidationError
from surveys.definition.mechanisms import answers_of
from surveys.definition.parts import Text
from surveys.definition.questions import frozen_item, place_among
from surveys.lifecycle import selectors
from surveys.models import Item
from surveys.panel.forms.conditions import CONDITION_FIELDS, answer_words
from surveys.panel.forms.formsets import PartFormSet
from surveys.panel.forms.item import ItemForm
from surveys.panel.forms.multilingual import WordsField

OF_CONDITION = {"asked_if": "asked_if_item", "unasked": "sent_if_unasked"}


class ItemFormSet(PartFormSet):
    """The questions of a survey, of which some depend on earlier ones."""

    named_by = ("wording", "question")
    opened: frozenset[int] = frozenset()
    """Keys of the saved questions that are shown whole; the others are lines of the list."""

    def get_form_kwargs(self, index: int | None) -> dict[str, object]:
        return {**super().get_form_kwargs(index), "closed": self._is_closed(index)}

    def _is_closed(self, index: int | None) -> bool:
        if index is None or index >= self.initial_form_count():
            return False
        if not self.is_bound:
            return self.get_queryset()[index].pk not in self.opened
        prefix = self.add_prefix(index)
        key = self.data.get(f"{prefix}-id", "")
        return f"{prefix}-closed" in self.data and key.isdecimal() and self._existing_object(int(key)) is not None

    @cached_property
    def saved(self) -> dict[str, Item]:
        """The saved questions by their keys."""
        return {item.key: item for item in self.instance.items.all()} if self.instance.pk else {}

    @cached_property
    def fault(self) -> ValidationError | None:
        """The reason why the saved survey cannot be opened."""
        return selectors.error_of_draft(self.instance) if self.instance.pk and not self.is_bound else None

    def add_fields(self, form: Any, index: int | None) -> None:
        """Show beside its field the error of a question among the others; errors of it alone, its form shows."""
        super().add_fields(form, index)
        if self.fault is None:
            return
        match self.fault.path:
            case ("items", place, "section" | "asked_if" | "unasked" as name, *_) if place == index:
                form.say_missing(OF_CONDITION.get(name, name), self.fault.sentence(self.fault.path[2:]) + ".")
        if self.fault.code == "duplicate" and self.fault.path == ("items",) and form.instance.key in self.fault.keys:
            form.say_missing("key", gettext("a key of its own; another question has this one too."))

    def clean(self) -> None:
        super().clean()
        rows = [form for form in self.forms if getattr(form, "cleaned_data", None) and form not in self.deleted_forms]
        earlier: dict[str, Item] = {}
        for form in sorted(rows, key=_position):
            self._resolve(form, earlier)
            earlier[form.instance.key] = form.instance

    def _resolve(self, form: ItemForm, earlier: dict[str, Item]) -> None:
        """Convert the words of a condition to places among the current answers."""
        if form.errors or (form.closed and self._stands(form.instance, earlier)):
            return
        if form.closed:
            form = self._open(form)
        before = (form.instance.asked_if, form.instance.unasked)
        form.instance.asked_if = form.instance.unasked = None
        key, answers, unasked = (str(form.cleaned_data.get(name) or "").strip() for name in CONDITION_FIELDS)
        if key and key not in earlier:
            form.add_error("asked_if_item", gettext("There is no earlier question {key}.").format(key=key))
        elif key:
            form.instance.asked_if = {"item": key, "answers": self._places(form, earlier[key], answers.splitlines())}
            form.instance.unasked = self._unasked(form, unasked)
        elif answers or unasked:
            form.add_error(
                "asked_if_item",
                gettext("Enter the question that it depends on, or leave the other two fields empty, too."),
            )
        form.touched |= before != (form.instance.asked_if, form.instance.unasked)

    def _stands(self, item: Item, earlier: dict[str, Item]) -> bool:
        """True if a closed question depends on none, or on an earlier one whose answers are unchanged."""
        if not item.asked_if:
            return True
        now, before = (questions.get(item.asked_if["item"]) for questions in (earlier, self.saved))
        return (
            now is not None
            and before is not None
            and _same(*(answers_of(selectors.item_of(one)) for one in (now, before)))
        )

    def _open(self, closed: ItemForm) -> ItemForm:
        """Replace a closed question with its whole form, with the data of an unchanged one."""
        place = self.forms.index(closed)
        sent, prefix = self.data.copy(), self.add_prefix(place)
        sent.pop(f"{prefix}-closed", None)
        untouched = self.form(instance=closed.instance, prefix=prefix, survey=self.instance)
        sent.update(_sent(untouched))
        form: ItemForm = self.form(
            sent, instance=closed.instance, prefix=prefix, survey=self.instance, empty_permitted=False
        )
        self.add_fields(form, place)
        form.touched = closed.touched
        self.forms[place] = form
        found: list[Any] = self._errors  # type: ignore[has-type]
        self._errors = [form.errors if errors is closed.errors else errors for errors in found]
        return form

    def _places(self, form: ItemForm, item: Item, lines: list[str]) -> list[int]:
        places = {self._place(form, "asked_if_answers", item, line.strip()) for line in lines if line.strip()}
        if not places:
            form.add_error("asked_if_answers", gettext("Enter after which of its answers."))
        elif len(places) == len(answers_of(selectors.item_of(item))):
            form.add_error("asked_if_answers", gettext("These are all of its answers; leave at least one out."))
        return sorted(place for place in places if place is not None)

    def _unasked(self, form: ItemForm, written: str) -> Any:
        several = form.instance.kind == Item.Kind.SEVERAL_CHOICES
        if several != (not written):
            words = (
                gettext("Leave empty: none is ticked.")
                if several
                else gettext("Enter what is sent for everyone who is not asked.")
            )
            form.add_error("sent_if_unasked", words)
            return None
        if form.instance.kind != Item.Kind.NUMBER:
            return None if several else self._place(form, "sent_if_unasked", form.instance, written)
        try:
            frozen_item(selectors.item_of(form.instance) | {"unasked": written}, ())
        except ValidationError:
            form.add_error("sent_if_unasked", gettext("Enter one of the possible numbers."))
        return written

    def _place(self, form: ItemForm, field: str, item: Item, words: str) -> int | None:
        try:
            # The form was written in the language that was the survey's own before what is sent may have changed it.
            language = form.survey.written_in or form.survey.language
            place: int = place_among(answer_words(item, language), words, language, ())
        except ValidationError as error:
            form.add_error(field, gettext("Each {message}.").format(message=error.message))
            return None
        return place


def rows_open(sent: QueryDict) -> list[str]:
    """The keys of the saved questions that were sent in full."""
    rows = [name.removesuffix("-id") for name in sent if re.fullmatch(r"items-\d+-id", name)]
    return [str(sent[f"{row}-id"]) for row in rows if sent[f"{row}-id"] and f"{row}-closed" not in sent]


def _sent(form: ItemForm) -> dict[str, str]:
    """The data that a browser sends for an unchanged form."""
    sent: dict[str, str] = {}
    for bound in form:
        value, field = bound.value(), bound.field
        if isinstance(field, WordsField):
            sent |= {
                field.widget.name_of(bound.html_name, code): (value or {}).get(code, "") for code in field.languages
            }
        elif bound.name != "position" and value not in (None, False):
            sent[bound.html_name] = str(value)
    return sent


def _same(answers: Sequence[Text], others: Sequence[Text]) -> bool:
    """True if these are the same answers in the same order, in each language that both have."""
    return len(answers) == len(others) and all(
        one[code] == other[code] for one, other in zip(answers, others, strict=True) for code in {*one} & {*other}
    )


def _position(form: ItemForm) -> float:
    """Sort key: a row without a number is last."""
    position = form.cleaned_data.get("position")
    return math.inf if position is None else position
