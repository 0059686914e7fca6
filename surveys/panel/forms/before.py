"""The form's fields for what a question shows besides its words: what stands before it, and pictures of its options."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminExpandableTextareaWidget, UnfoldAdminTextInputWidget

from collector.designs.blocks import LONGEST_CHOICE_SIDE, LONGEST_SIDE
from surveys.definition.parts import Text
from surveys.definition.pictures import MOST_BYTES, CleanPicture
from surveys.lifecycle.pictures import store_picture
from surveys.models import Item, Survey
from surveys.panel.forms.multilingual import WordsField
from surveys.panel.forms.picture_fields import (
    alternative_field,
    picture_after,
    picture_field,
    picture_sent,
    removal_field,
)

BEFORE_FIELDS = (
    "before_heading", "before_text", ("before_picture", "before_picture_removed"), "before_alternative",
)  # fmt: skip
CHOICE_PICTURE_FIELDS = (("choice_place", "choice_picture", "choice_picture_removed"), "choice_alternative")
PARTS = ("heading", "text")


class BeforeFields(forms.Form):
    """Fields of a question's form; what they say becomes its `before`."""

    instance: Item
    survey: Survey

    before_heading = WordsField(
        label=gettext_lazy("Heading before the question"),
        part=UnfoldAdminTextInputWidget,
        most=300,
        required=False,
        help_text=gettext_lazy("Shown above the question, whenever the question is asked."),
    )
    before_text = WordsField(
        label=gettext_lazy("Text before the question"),
        part=UnfoldAdminExpandableTextareaWidget,
        required=False,
        help_text=gettext_lazy("An empty line begins a new paragraph."),
    )
    before_picture = picture_field(
        gettext_lazy("Picture before the question"),
        format_lazy(
            gettext_lazy("PNG, JPEG or WebP of at most {kilobytes} kB; replaces the present one."),
            kilobytes=MOST_BYTES // 1024,
        ),
    )
    before_picture_removed = removal_field(gettext_lazy("Remove the picture"))
    before_alternative = alternative_field(gettext_lazy("Alternative text of the picture"))

    choice_place = forms.IntegerField(
        label=gettext_lazy("Picture of option"),
        required=False,
        min_value=1,
        max_value=256,
        widget=UnfoldAdminTextInputWidget,
    )
    choice_picture = picture_field(
        "picture", gettext_lazy("Small: at most 800 points wide and high. Save once for each option.")
    )
    choice_picture_removed = removal_field(gettext_lazy("Remove the picture of that option"))
    choice_alternative = alternative_field(gettext_lazy("Alternative text of that picture"))

    def fill_before(self) -> None:
        """Show what the question has."""
        before = self.instance.before
        self.initial.update({f"before_{name}": before.get(name, {}) for name in PARTS})
        self.initial["before_alternative"] = before.get("picture", {}).get("alternative", {})
        places = [str(place) for place, one in enumerate(self.instance.choice_pictures, start=1) if one]
        if places:
            self.fields["choice_place"].help_text = gettext("Options with a picture: {places}.").format(
                places=", ".join(places)
            )

    def clean_before_picture(self) -> CleanPicture | None:
        return picture_sent(self.cleaned_data.get("before_picture"), LONGEST_SIDE)

    def clean_choice_picture(self) -> CleanPicture | None:
        return picture_sent(self.cleaned_data.get("choice_picture"), LONGEST_CHOICE_SIDE)

    def clean_before(self) -> None:
        """Put what was written into the question."""
        cleaned = self.cleaned_data
        written = {name: cleaned.get(f"before_{name}") or {} for name in PARTS}
        before: dict[str, object] = {name: words for name, words in written.items() if any(words.values())}
        if picture := picture_after(cleaned, "before", self.instance.before.get("picture")):
            before["picture"] = picture
        self.instance.before = before
        if self.survey.pk:
            self.store_pictures()

    def clean_choice_pictures(self, choices: Sequence[Text], known: Sequence[Text]) -> None:
        """Let the pictures follow their options, and put the one that was written into its place."""
        cleaned, old = self.cleaned_data, self.instance.choice_pictures
        shown = [old[place] if place is not None and place < len(old) else None for place in _places(choices, known)]
        place, sent = (cleaned.get("choice_place") or 0) - 1, cleaned.get("choice_picture")
        alternative = cleaned.get("choice_alternative") or {}
        written = sent or cleaned.get("choice_picture_removed") or any(alternative.values())
        if written and not 0 <= place < len(shown):
            self.add_error(
                "choice_place", gettext("Enter the number of the option, from 1 to {count}.").format(count=len(shown))
            )
        elif written:
            shown[place] = picture_after(cleaned, "choice", shown[place])
        self.instance.choice_pictures = shown if any(shown) else []

    def store_pictures(self) -> None:
        """Store the pictures that were sent with their survey, which must be saved."""
        for name in ("before_picture", "choice_picture"):
            if sent := self.cleaned_data.get(name):
                store_picture(self.survey, sent)


def _places(choices: Sequence[Text], known: Sequence[Text]) -> list[int | None]:
    """The place that each choice had before: by its words, or where none came or went by its place."""
    words = [tuple(sorted(choice.items())) for choice in known]
    found: list[int | None] = []
    for place, choice in enumerate(choices):
        same = tuple(sorted(choice.items()))
        found.append(words.index(same) if same in words else place if len(choices) == len(known) else None)
    return found


def speak_before(item: Item, languages: Sequence[str]) -> None:
    """Give every text before a question these languages."""

    def spoken(words: dict[str, str]) -> dict[str, str]:
        return {code: words.get(code, "") for code in languages}

    before: Mapping[str, Any] = item.before
    item.choice_pictures = [one and {**one, "alternative": spoken(one["alternative"])} for one in item.choice_pictures]
    item.before = {
        name: {**part, "alternative": spoken(part["alternative"])} if name == "picture" else spoken(part)
        for name, part in before.items()
    }
