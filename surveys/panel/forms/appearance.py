"""The fields of a survey's form for its look and its end."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy
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

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

FONT_NAMES = {
    "sans": gettext_lazy("The device’s own"),
    "serif": gettext_lazy("Serif"),
    "humanist": gettext_lazy("Humanist"),
    "rounded": gettext_lazy("Rounded"),
}
OF_LOOK = (*COLOURS, "font")
OF_ENDING = ("ending_text", "ending_label", "ending_address")
OF_COMPLETION = ("completion_code", "completion_address", "completion_carry")
OF_LOGO = (("logo_picture", "logo_picture_removed"), "logo_alternative")
APPEARANCE = (*OF_LOGO, *OF_LOOK, *OF_ENDING, *OF_COMPLETION)


class ColourField(forms.CharField):
    """A colour as six hex digits, in lower case."""

    def __init__(self, *, label: "StrOrPromise", example: str, help_text: "StrOrPromise" = "") -> None:
        widget = UnfoldAdminTextInputWidget(attrs={"placeholder": example, "spellcheck": "false"})
        super().__init__(label=label, required=False, help_text=help_text, widget=widget)

    def to_python(self, value: Any) -> Any:
        written = str(value or "").strip().lower()
        if written and not COLOUR.fullmatch(written):
            raise forms.ValidationError(
                gettext("Write a colour like #0c6661, six hex digits after the #; got {written}.").format(
                    written=written
                )
            )
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
                    gettext(
                        "Write survey_code=id: the name at the completion address, then the name in the "
                        "participant’s link."
                    )
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
        gettext_lazy("Logo"),
        format_lazy(
            gettext_lazy(
                "Shown above the title. PNG, JPEG or WebP of at most {kilobytes} kB and {side} pixels a side; replaces "
                "the present one."
            ),
            kilobytes=MOST_BYTES // 1024,
            side=LONGEST_LOGO_SIDE,
        ),
    )
    logo_picture_removed = removal_field(gettext_lazy("Remove the logo"))
    logo_alternative = alternative_field(
        gettext_lazy("Alternative text of the logo"),
        (gettext_lazy("What the logo shows, for people who cannot see it: usually the name of the institution.")),
    )

    accent = ColourField(
        label=gettext_lazy("Colour on light screens"),
        example="#0c6661",
        help_text=(
            gettext_lazy(
                "For links and buttons, like #0c6661. It must have a contrast of 4.5:1 with the "
                "background. Empty: the default."
            )
        ),
    )
    accent_dark = ColourField(
        label=gettext_lazy("Colour on dark screens"),
        example="#74d3c8",
        help_text=gettext_lazy("The colour where a device shows dark pages: a light one."),
    )
    background = ColourField(
        label=gettext_lazy("Background on light screens"),
        example="#f5f4ef",
        help_text=gettext_lazy("The page’s background. Texts must have a contrast of 4.5:1 with it."),
    )
    background_dark = ColourField(label=gettext_lazy("Background on dark screens"), example="#10171a")
    font = forms.ChoiceField(
        label=gettext_lazy("Typeface"),
        required=False,
        choices=[(name if name != "sans" else "", FONT_NAMES[name]) for name in FONTS],
        widget=UnfoldAdminSelectWidget,
        help_text=gettext_lazy("Uses the device’s own fonts; none is loaded from elsewhere."),
    )
    ending_text = WordsField(
        label=gettext_lazy("Text at the end"),
        part=UnfoldAdminExpandableTextareaWidget,
        required=False,
        help_text=gettext_lazy("What respondents read once their response has arrived."),
    )
    ending_label = WordsField(
        label=gettext_lazy("Text of the link at the end"), part=UnfoldAdminTextInputWidget, required=False, most=300
    )
    ending_address = forms.CharField(
        label=gettext_lazy("Link address (URL)"), required=False, max_length=500, widget=UnfoldAdminTextInputWidget
    )
    completion_code = forms.CharField(
        label=gettext_lazy("Completion code"),
        required=False,
        max_length=64,
        widget=UnfoldAdminTextInputWidget,
        help_text=(
            gettext_lazy("For panels such as Prolific or MTurk: the same for everybody, so it leads to no response.")
        ),
    )
    completion_address = forms.CharField(
        label=gettext_lazy("Completion address (URL)"),
        required=False,
        max_length=500,
        widget=UnfoldAdminTextInputWidget,
        help_text=(
            gettext_lazy(
                "The panel’s page that participants return to, like "
                "https://app.prolific.com/submissions/complete?cc=C1ABCDEF."
            )
        ),
    )
    completion_carry = CarryField(
        label=gettext_lazy("Parameters passed on"),
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text=(
            gettext_lazy(
                "For panels that need a parameter of the participant’s link back: survey_code=id "
                "passes ?id=7 on as survey_code=7. The device does this; nothing of it is stored here."
            )
        ),
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
