"""The form's fields for what stands before a question, besides it: a heading and a text."""

from collections.abc import Sequence
from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminExpandableTextareaWidget, UnfoldAdminTextInputWidget

from surveys.models import Item
from surveys.panel.forms.multilingual import WordsField

BEFORE_FIELDS = ("before_heading", "before_text")
PARTS = ("heading", "text")


class BeforeFields(forms.Form):
    """Fields of a question's form; what they say becomes its `before`."""

    instance: Item

    before_heading = WordsField(
        label="Heading before it",
        part=UnfoldAdminTextInputWidget,
        most=300,
        required=False,
        help_text="Stands above the question, for what begins here. It is shown where the question is asked.",
    )
    before_text = WordsField(
        label="Text before it",
        part=UnfoldAdminExpandableTextareaWidget,
        required=False,
        help_text="An empty line begins a new paragraph.",
    )

    def fill_before(self) -> None:
        """Show what the question has."""
        self.initial.update({f"before_{name}": self.instance.before.get(name, {}) for name in PARTS})

    def clean_before(self) -> None:
        """Put what was written into the question."""
        written = {name: self.cleaned_data.get(f"before_{name}") or {} for name in PARTS}
        self.instance.before = {name: words for name, words in written.items() if any(words.values())}


def speak_before(item: Item, languages: Sequence[str]) -> None:
    """Give every text before a question these languages."""
    before: dict[str, Any] = item.before
    item.before = {name: {code: words.get(code, "") for code in languages} for name, words in before.items()}
