"""The form's fields for what a question shows besides its words: what stands before it, and pictures of its options."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from unfold.widgets import (
    UnfoldAdminExpandableTextareaWidget,
    UnfoldAdminFileFieldWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from collector.designs.blocks import LONGEST_CHOICE_SIDE, LONGEST_SIDE
from collector.errors import ValidationError
from surveys.definition.parts import Text
from surveys.definition.pictures import MOST_BYTES, CleanPicture, clean_picture
from surveys.lifecycle.pictures import store_picture
from surveys.models import Item, Survey
from surveys.panel.forms.multilingual import WordsField

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

    choice_place = forms.IntegerField(
        label="Picture of option", required=False, min_value=1, max_value=256, widget=UnfoldAdminTextInputWidget
    )
    choice_picture = forms.FileField(
        label="its picture",
        required=False,
        widget=UnfoldAdminFileFieldWidget,
        help_text="Small: at most 800 points wide and high. Save once for each option.",
    )
    choice_picture_removed = forms.BooleanField(
        label="Take its picture away", required=False, widget=UnfoldBooleanSwitchWidget
    )
    choice_alternative = WordsField(
        label="Alternative text of that picture",
        part=UnfoldAdminTextInputWidget,
        most=300,
        required=False,
        help_text="What it shows, for people who do not see it.",
    )

    def fill_before(self) -> None:
        """Show what the question has."""
        before = self.instance.before
        self.initial.update({f"before_{name}": before.get(name, {}) for name in PARTS})
        self.initial["before_alternative"] = before.get("picture", {}).get("alternative", {})
        places = [str(place) for place, one in enumerate(self.instance.choice_pictures, start=1) if one]
        if places:
            self.fields["choice_place"].help_text = f"Options with a picture: {', '.join(places)}."

    def clean_before_picture(self) -> CleanPicture | None:
        return picture_sent(self.cleaned_data.get("before_picture"), LONGEST_SIDE)

    def clean_choice_picture(self) -> CleanPicture | None:
        return picture_sent(self.cleaned_data.get("choice_picture"), LONGEST_CHOICE_SIDE)

    def clean_before(self) -> None:
        """Put what was written into the question."""
        cleaned = self.cleaned_data
        written = {name: cleaned.get(f"before_{name}") or {} for name in PARTS}
        before: dict[str, object] = {name: words for name, words in written.items() if any(words.values())}
        alternative = cleaned.get("before_alternative") or {}
        if sent := cleaned.get("before_picture"):
            before["picture"] = {**sent.to_dict(), "alternative": alternative}
        elif (picture := self.instance.before.get("picture")) and not cleaned.get("before_picture_removed"):
            before["picture"] = {**picture, "alternative": alternative}
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
            self.add_error("choice_place", f"Say which option by its number, from 1 to {len(shown)}.")
        elif sent:
            shown[place] = {**sent.to_dict(), "alternative": alternative}
        elif cleaned.get("choice_picture_removed"):
            shown[place] = None
        elif written and (there := shown[place]):
            shown[place] = {**there, "alternative": alternative}
        self.instance.choice_pictures = shown if any(shown) else []

    def store_pictures(self) -> None:
        """Store the pictures that were sent with their survey, which must be saved."""
        for name in ("before_picture", "choice_picture"):
            if sent := self.cleaned_data.get(name):
                store_picture(self.survey, sent)


def picture_sent(file: Any, longest: int) -> CleanPicture | None:
    """The picture that was sent as a file; None if there is none."""
    if not file:
        return None
    try:
        return clean_picture(file.read(MOST_BYTES + 1), longest=longest)
    except ValidationError as error:
        raise forms.ValidationError(f"The picture {error.message}.") from None


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
