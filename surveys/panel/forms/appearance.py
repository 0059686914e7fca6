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

FONT_NAMES = {"sans": "System font", "serif": "Serif", "humanist": "Humanist", "rounded": "Rounded"}
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
            raise forms.ValidationError(f"A colour must be # and six hex digits, such as #0c6661; got {written}.")
        return written


class CarryField(forms.CharField):
    """Parameters as `survey_code=id`, several with blanks between them; a mapping in the row."""

    def prepare_value(self, value: Any) -> Any:
        return " ".join(f"{name}={source}" for name, source in value.items()) if isinstance(value, dict) else value

    def to_python(self, value: Any) -> Any:
        pairs = [pair.partition("=") for pair in str(value or "").replace(",", " ").split()]
        for name, _, source in pairs:
            if not PARAMETER.fullmatch(name) or not PARAMETER.fullmatch(source):
                raise forms.ValidationError(
                    "Each parameter must look like survey_code=id: the name in the completion address, then that "
                    "in the survey link."
                )
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
        f"Shown above the title. PNG,  JPEG or WebP of at most {MOST_BYTES // 1024} kB and "
        f"{LONGEST_LOGO_SIDE} points a side; it replaces the current logo.",
    )
    logo_picture_removed = removal_field("Take the logo away")
    logo_alternative = alternative_field(
        "Alternative text of the logo",
        "What it says, for people who do not see it: most often the name of the institution.",
    )

    accent = ColourField(
        label="Accent colour, light mode",
        example="#0c6661",
        help_text="Colour of links and buttons, such as #0c6661, with a contrast of at least 4.5:1 to the background. "
        "Leave empty for the default.",
    )
    accent_dark = ColourField(
        label="Accent colour, dark mode",
        example="#74d3c8",
        help_text="A light colour for devices in dark mode.",
    )
    background = ColourField(
        label="Background, light mode",
        example="#f5f4ef",
        help_text="Colour of the page around the questions, with a contrast of at least 4.5:1 to the text.",
    )
    background_dark = ColourField(label="Background, dark mode", example="#10171a")
    font = forms.ChoiceField(
        label="Typeface",
        required=False,
        choices=[(name if name != "sans" else "", FONT_NAMES[name]) for name in FONTS],
        widget=UnfoldAdminSelectWidget,
        help_text="Only fonts that devices already have; none is downloaded.",
    )
    ending_text = WordsField(
        label="Closing text",
        part=UnfoldAdminExpandableTextareaWidget,
        required=False,
        help_text="Shown once the response has been received.",
    )
    ending_label = WordsField(label="Closing link text", part=UnfoldAdminTextInputWidget, required=False, most=300)
    ending_address = forms.CharField(
        label="Closing link address", required=False, max_length=500, widget=UnfoldAdminTextInputWidget
    )
    completion_code = forms.CharField(
        label="Completion code",
        required=False,
        max_length=64,
        widget=UnfoldAdminTextInputWidget,
        help_text="For panels such as Prolific or MTurk: the same code for everyone, so that it cannot be linked to a "
        "response.",
    )
    completion_address = forms.CharField(
        label="Completion address",
        required=False,
        max_length=500,
        widget=UnfoldAdminTextInputWidget,
        help_text="Page to which participants return, such as https://app.prolific.com/submissions/complete?cc=C1ABCDEF.",
    )
    completion_carry = CarryField(
        label="Parameters passed on from the survey link",
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="If the completion address needs them: survey_code=id passes ?id=7 on as survey_code=7. The browser "
        "does this; the server does not store them.",
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
