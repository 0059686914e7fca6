"""The fields of a survey's form for its look and its end."""

from typing import Any

from django import forms
from unfold.widgets import (
    UnfoldAdminExpandableTextareaWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from collector.designs import COLOURS, FONTS
from collector.designs.appearance import COLOUR, LONGEST_LOGO_SIDE, PARAMETER
from surveys.definition.pictures import MOST_BYTES, CleanPicture
from surveys.lifecycle.pictures import store_picture
from surveys.panel.forms.multilingual import WordsField
from surveys.panel.forms.picture_fields import (
    alternative_field,
    picture_after,
    picture_field,
    picture_sent,
    removal_field,
)
from surveys.panel.forms.survey import SurveyForm

FONT_NAMES = {"sans": "The device’s own", "serif": "Serif", "humanist": "Humanist", "rounded": "Rounded"}
OF_LOOK = (*COLOURS, "font")
OF_ENDING = ("ending_text", "ending_label", "ending_address")
OF_COMPLETION = ("completion_code", "completion_address", "completion_carry")
OF_LOGO = (("logo_picture", "logo_picture_removed"), "logo_alternative")
APPEARANCE = (*OF_LOGO, *OF_LOOK, *OF_ENDING, *OF_COMPLETION)


class ColourField(forms.CharField):
    """A colour as six hex digits, in lower case."""

    def __init__(self, *, label: str, example: str, help_text: str = "") -> None:
        widget = UnfoldAdminTextInputWidget(attrs={"placeholder": example, "spellcheck": "false"})
        super().__init__(label=label, required=False, help_text=help_text, widget=widget)

    def to_python(self, value: Any) -> Any:
        written = str(value or "").strip().lower()
        if written and not COLOUR.fullmatch(written):
            raise forms.ValidationError(f"Write a colour like #0c6661, six hex digits after the #; got {written}.")
        return written


class CarryField(forms.CharField):
    """Parameters as `survey_code=id`, several with blanks between them; a mapping in the row."""

    def prepare_value(self, value: Any) -> Any:
        return " ".join(f"{name}={source}" for name, source in value.items()) if isinstance(value, dict) else value

    def to_python(self, value: Any) -> Any:
        pairs = [pair.partition("=") for pair in str(value or "").replace(",", " ").split()]
        for name, _, source in pairs:
            if not PARAMETER.fullmatch(name) or not PARAMETER.fullmatch(source):
                raise forms.ValidationError("Write it like survey_code=id: the name at the end, then that in the link.")
        return {name: source for name, _, source in pairs}

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool(self.to_python(data) != (initial or {}))
        except forms.ValidationError:
            return True


class FullSurveyForm(SurveyForm):
    """The survey's form with its look and its end."""

    logo_picture = picture_field(
        "Logo",
        f"Stands above the title. PNG, JPEG or WebP of at most {MOST_BYTES // 1024} kB and "
        f"{LONGEST_LOGO_SIDE} points a side; it replaces the one that is there.",
    )
    logo_picture_removed = removal_field("Take the logo away")
    logo_alternative = alternative_field(
        "Alternative text of the logo",
        "What it says, for people who do not see it: most often the name of the institution.",
    )

    accent = ColourField(
        label="Colour on light screens",
        example="#0c6661",
        help_text="Of links and buttons, like #0c6661. It must stand out from what is behind it by 4.5:1. Empty: ours.",
    )
    accent_dark = ColourField(
        label="Colour on dark screens",
        example="#74d3c8",
        help_text="The same where a device shows dark pages: a light one.",
    )
    background = ColourField(
        label="Background on light screens",
        example="#f5f4ef",
        help_text="Of the page, between and around the questions. Texts must stand out from it by 4.5:1.",
    )
    background_dark = ColourField(label="Background on dark screens", example="#10171a")
    font = forms.ChoiceField(
        label="Typeface",
        required=False,
        choices=[(name if name != "sans" else "", FONT_NAMES[name]) for name in FONTS],
        widget=UnfoldAdminSelectWidget,
        help_text="Of those that devices have: none is loaded from anywhere.",
    )
    ending_text = WordsField(
        label="Text at the end",
        part=UnfoldAdminExpandableTextareaWidget,
        required=False,
        help_text="What respondents read once their response has arrived.",
    )
    ending_label = WordsField(
        label="Words of the link at the end", part=UnfoldAdminTextInputWidget, required=False, most=300
    )
    ending_address = forms.CharField(
        label="Address of that link", required=False, max_length=500, widget=UnfoldAdminTextInputWidget
    )
    completion_code = forms.CharField(
        label="Completion code",
        required=False,
        max_length=64,
        widget=UnfoldAdminTextInputWidget,
        help_text="For panels such as Prolific or MTurk: everybody gets the same, so it can be linked to no response.",
    )
    completion_address = forms.CharField(
        label="Completion address",
        required=False,
        max_length=500,
        widget=UnfoldAdminTextInputWidget,
        help_text="Where participants go back to, like https://app.prolific.com/submissions/complete?cc=C1ABCDEF.",
    )
    completion_carry = CarryField(
        label="Carried from the link",
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="Where that address needs what the link brought: survey_code=id puts ?id=7 there as survey_code=7. "
        "Devices do it by themselves; this site keeps nothing of it.",
    )

    class Meta(SurveyForm.Meta):
        fields: tuple[str, ...] = (*SurveyForm.Meta.fields, *OF_LOOK, *OF_ENDING, *OF_COMPLETION)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["logo_alternative"] = self.instance.logo.get("alternative", {})

    def clean_logo_picture(self) -> CleanPicture | None:
        return picture_sent(self.cleaned_data.get("logo_picture"), LONGEST_LOGO_SIDE)

    def clean(self) -> None:
        super().clean()
        self.instance.logo = picture_after(self.cleaned_data, "logo", self.instance.logo) or {}
        if self.instance.pk:
            self._store_logo()

    def _save_m2m(self) -> None:
        """Store the logo of a new survey, which is in the database only now."""
        super()._save_m2m()  # type: ignore[misc]  # which Django's stubs leave out
        self._store_logo()

    def _store_logo(self) -> None:
        if sent := self.cleaned_data.get("logo_picture"):
            store_picture(self.instance, sent)
