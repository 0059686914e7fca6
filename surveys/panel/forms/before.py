"""The form's fields for what stands before a question, besides it: a heading, a text, a picture."""

from collections.abc import Sequence
from typing import Any

from django import forms
from unfold.widgets import (
    UnfoldAdminExpandableTextareaWidget,
    UnfoldAdminFileFieldWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from collector.errors import ValidationError
from surveys.definition.pictures import MOST_BYTES, CleanPicture, clean_picture
from surveys.lifecycle.pictures import store_picture
from surveys.models import Item, Survey
from surveys.panel.forms.multilingual import WordsField

BEFORE_FIELDS = (
    "before_heading", "before_text", ("before_picture", "before_picture_removed"), "before_alternative",
)  # fmt: skip
PARTS = ("heading", "text")


class BeforeFields(forms.Form):
    """Fields of a question's form; what they say becomes its `before`."""

    instance: Item
    survey: Survey

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
    before_picture = forms.FileField(
        label="Picture before it",
        required=False,
        widget=UnfoldAdminFileFieldWidget,
        help_text=f"PNG, JPEG or WebP of at most {MOST_BYTES // 1024} kB; it replaces the one that is there.",
    )
    before_picture_removed = forms.BooleanField(
        label="Take the picture away", required=False, widget=UnfoldBooleanSwitchWidget
    )
    before_alternative = WordsField(
        label="Alternative text of the picture",
        part=UnfoldAdminTextInputWidget,
        most=300,
        required=False,
        help_text="What it shows, for people who do not see it.",
    )

    new_picture: CleanPicture | None = None

    def fill_before(self) -> None:
        """Show what the question has."""
        before = self.instance.before
        self.initial.update({f"before_{name}": before.get(name, {}) for name in PARTS})
        self.initial["before_alternative"] = before.get("picture", {}).get("alternative", {})

    def clean_before_picture(self) -> None:
        """Read the picture that was sent. It is stored with the question."""
        file = self.cleaned_data.get("before_picture")
        if not file:
            return
        try:
            self.new_picture = clean_picture(file.read(MOST_BYTES + 1))
        except ValidationError as error:
            raise forms.ValidationError(f"The picture {error.message}.") from None

    def clean_before(self) -> None:
        """Put what was written into the question."""
        cleaned = self.cleaned_data
        written = {name: cleaned.get(f"before_{name}") or {} for name in PARTS}
        before: dict[str, Any] = {name: words for name, words in written.items() if any(words.values())}
        alternative = cleaned.get("before_alternative") or {}
        if self.new_picture is not None:
            before["picture"] = {**self.new_picture.to_dict(), "alternative": alternative}
            if self.survey.pk:
                store_picture(self.survey, self.new_picture)
        elif (picture := self.instance.before.get("picture")) and not cleaned.get("before_picture_removed"):
            before["picture"] = {**picture, "alternative": alternative}
        self.instance.before = before


def speak_before(item: Item, languages: Sequence[str]) -> None:
    """Give every text before a question these languages."""

    def spoken(words: dict[str, str]) -> dict[str, str]:
        return {code: words.get(code, "") for code in languages}

    before: dict[str, Any] = item.before
    item.before = {
        name: {**part, "alternative": spoken(part["alternative"])} if name == "picture" else spoken(part)
        for name, part in before.items()
    }
