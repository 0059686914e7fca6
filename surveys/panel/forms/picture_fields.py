"""What every picture has in a form: its file, a switch that takes it away, and its alternative text."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminTextInputWidget, UnfoldBooleanSwitchWidget

from collector.errors import ValidationError
from surveys.definition.pictures import MOST_BYTES, CleanPicture, clean_picture
from surveys.panel.forms.multilingual import WordsField

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


def picture_field(label: "StrOrPromise", help_text: "StrOrPromise") -> forms.FileField:
    """The field of its file."""
    return forms.FileField(label=label, required=False, widget=UnfoldAdminFileFieldWidget, help_text=help_text)


def removal_field(label: "StrOrPromise") -> forms.BooleanField:
    """The switch that takes it away."""
    return forms.BooleanField(label=label, required=False, widget=UnfoldBooleanSwitchWidget)


SHOWN = gettext_lazy("What the picture shows, for people who cannot see it.")


def alternative_field(label: "StrOrPromise", help_text: "StrOrPromise" = SHOWN) -> WordsField:
    """The field of its alternative text, in every language of the survey."""
    return WordsField(label=label, part=UnfoldAdminTextInputWidget, most=300, required=False, help_text=help_text)


def picture_sent(file: Any, longest: int) -> CleanPicture | None:
    """The picture that was sent as a file; None if there is none."""
    if not file:
        return None
    try:
        return clean_picture(file.read(MOST_BYTES + 1), longest=longest)
    except ValidationError as error:
        raise forms.ValidationError(gettext("The picture {message}.").format(message=error.message)) from None


def picture_after(cleaned: Mapping[str, Any], name: str, kept: Mapping[str, object] | None) -> dict[str, object] | None:
    """The picture that a form leaves under a name: the one that was sent, or the `kept` one unless it is taken away."""
    picture = sent.to_dict() if (sent := cleaned.get(f"{name}_picture")) else kept
    if not picture or (not sent and cleaned.get(f"{name}_picture_removed")):
        return None
    return {**picture, "alternative": cleaned.get(f"{name}_alternative") or {}}
