"""The panel's form of a survey's file: a definition in YAML, or another tool's questionnaire."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from collector.errors import ValidationError
from surveys.accounts.teams import team_fields
from surveys.definition import bounds, definitions
from surveys.exchange import formats as exchange
from surveys.panel.forms.survey import page_languages

AROUND = 4
"""Lines shown before and after one with an error."""

LONGEST_LINE = 500
"""Maximum characters shown of each line."""


@dataclass(frozen=True)
class SourceLine:
    """A line of a file, as shown around an error."""

    number: int
    words: str
    faulty: bool


class UploadForm(forms.Form):
    """A survey's definition or another tool's questionnaire, as a file or as text.

    Another tool's has a `conversion` when it is clean; the definition made of it comes back as `unfinished` text.
    """

    file = forms.FileField(
        required=False, label=gettext_lazy("File"), widget=UnfoldAdminFileFieldWidget, max_length=200
    )
    text = forms.CharField(
        required=False,
        strip=False,
        label=gettext_lazy("Or its text"),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 12, "spellcheck": "false"}),
    )
    format = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Format"),
        widget=UnfoldAdminSelectWidget,
        choices=[
            (exchange.AUTOMATIC, gettext_lazy("Detect automatically")),
            (exchange.CANDOR, "Candor (YAML)"),
            *((one.name, one.label) for one in exchange.FORMATS.values()),
        ],
    )
    language = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Language of texts without a language"),
        widget=UnfoldAdminSelectWidget,
        choices=page_languages,
    )
    unfinished = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.update(team_fields(user))

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or {}
        file, form = cleaned.get("file"), cleaned.get("format") or exchange.CANDOR
        if file and form == exchange.CANDOR and file.size > bounds.LARGEST_FILE:
            raise forms.ValidationError(str(bounds.too_large(file.size)))
        content = file.read() if file else cleaned.get("text", "").encode()
        if not content.strip():
            raise forms.ValidationError(gettext("Choose a file or paste its text."))
        name = file.name if file else ""
        try:
            if form == exchange.AUTOMATIC:
                form = exchange.format_of(content, name)
            if form != exchange.CANDOR:
                language = cleaned.get("language") or "en"
                cleaned["conversion"] = exchange.convert(content, filename=name, form=form, language=language)
        except ValidationError as error:
            raise forms.ValidationError(f"{str(error)[0].upper()}{str(error)[1:]}.") from None
        if form == exchange.CANDOR:
            self._read(content, cleaned)
        return cleaned

    def _read(self, content: bytes, cleaned: dict[str, object]) -> None:
        """Read a definition in YAML; what is wrong is shown with its lines."""
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise forms.ValidationError(gettext("The file is not a text file in UTF-8.")) from None
        self.data = {"text": text}  # to be put right in the page where there is a fault
        try:
            load = definitions.load if cleaned.get("unfinished") else definitions.load_checked
            cleaned["definition"] = load(text)
        except ValidationError as error:
            self.excerpt = lines_around(text, error.line)
            raise forms.ValidationError(str(error)) from None

    excerpt: tuple[SourceLine, ...] = ()
    """Where a fault is: the line and some around it."""


def lines_around(text: str, fault: int) -> tuple[SourceLine, ...]:
    """The line with an error (counted from 1) and those around it; empty if the error has no line."""
    lines = list(enumerate(text.splitlines(), start=1))[max(0, fault - 1 - AROUND) : fault + AROUND] if fault else []
    return tuple(SourceLine(number, words[:LONGEST_LINE], number == fault) for number, words in lines)
