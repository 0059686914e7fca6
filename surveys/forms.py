"""The panel's forms. Texts are edited in the survey's own language; what other languages say is kept."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from unfold.forms import PaginationInlineFormSet
from unfold.widgets import (
    INPUT_CLASSES,
    UnfoldAdminExpandableTextareaWidget,
    UnfoldAdminFileFieldWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from collector.designs import LANGUAGE
from surveys import definitions
from surveys.models import KEY_VALIDATOR, Group, Section, Survey
from surveys.people.teams import team_fields
from surveys.reading import DefinitionError

Text = dict[str, str]
AROUND = 4
"""Lines shown before and after one with a fault."""

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Any]
else:
    ModelForm = forms.ModelForm  # Django's class takes no type argument at run time


@dataclass(frozen=True)
class SourceLine:
    """A line of a file, as it is shown where a fault is."""

    number: int
    words: str
    faulty: bool


class WordsForm(ModelForm):
    """A form whose fields named in `words` are texts by language, of which it shows the survey's own."""

    words: tuple[str, ...] = ()

    def __init__(self, *args: Any, survey: Survey | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.survey: Survey = survey or self.instance
        if "position" in self.fields:
            self.fields["position"].required = False
        for name in self.words if self.instance.pk else ():
            self.initial[name] = getattr(self.instance, name).get(self.survey.language, "")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in self.words:
            cleaned[name] = with_words(getattr(self.instance, name), cleaned.get(name, ""), self.survey)
        return cleaned


class PartFormSet(PaginationInlineFormSet):
    """The groups or items of a survey; each form knows the survey, saved or not."""

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        return {**super().get_form_kwargs(index), "survey": self.instance}


class SurveyForm(WordsForm):
    words = ("title", "introduction", "consent", "strata_wording")

    title = forms.CharField(widget=UnfoldAdminTextInputWidget, max_length=300)
    introduction = forms.CharField(
        widget=UnfoldAdminExpandableTextareaWidget,
        required=False,
        help_text="What respondents read first: who asks, and why.",
    )
    consent = forms.CharField(
        widget=UnfoldAdminExpandableTextareaWidget,
        required=False,
        help_text="What they agree to by taking part.",
    )
    strata_wording = forms.CharField(
        label="Question for the group",
        widget=UnfoldAdminTextInputWidget,
        required=False,
        help_text="Only where there are groups below. The group is sent as it is, not randomised.",
    )
    own_language = forms.CharField(
        label="Language",
        initial="en",
        max_length=20,
        widget=UnfoldAdminTextInputWidget,
        help_text="A code like en, de, ar. More languages come with a YAML file.",
    )

    class Meta:
        model = Survey
        fields = ("title", "slug", "introduction", "consent", "strata_wording", "rehearsal")
        labels = {"slug": "Name in its address"}
        help_texts = {"slug": "Lower-case letters, digits and -; it stands after /s/ in the survey’s link."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            del self.fields["own_language"]

    def clean_own_language(self) -> str:
        code = str(self.cleaned_data["own_language"])
        if not LANGUAGE.fullmatch(code):
            raise ValidationError("Use a language code like en, de or pt-BR.")
        self.instance.languages = [code]
        return code


class GroupForm(WordsForm):
    words = ("label",)

    label = forms.CharField(widget=UnfoldAdminTextInputWidget, max_length=300)

    class Meta:
        model = Group
        fields = ("position", "key", "label", "share")
        labels = {"position": "Order"}


class SectionForm(WordsForm):
    words = ("title", "introduction")

    title = forms.CharField(label="Heading", widget=UnfoldAdminTextInputWidget, max_length=300)
    introduction = forms.CharField(label="Words below it", widget=UnfoldAdminTextInputWidget, required=False)

    class Meta:
        model = Section
        fields = ("position", "key", "title", "introduction")
        labels = {"position": "Order"}


class UploadForm(forms.Form):
    """A survey's definition, as a file or as text."""

    file = forms.FileField(required=False, label="YAML file", widget=UnfoldAdminFileFieldWidget, max_length=200)
    text = forms.CharField(
        required=False,
        strip=False,
        label="or its text",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 12, "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.update(team_fields(user))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file = cleaned.get("file")
        try:
            text = file.read().decode("utf-8-sig") if file else cleaned.get("text", "")
        except UnicodeDecodeError:
            raise ValidationError("The file is not text in UTF-8.") from None
        if not text.strip():
            raise ValidationError("Choose a file, or paste its text.")
        self.data = {"text": text}  # to be put right in the page where there is a fault
        try:
            cleaned["definition"] = definitions.load_checked(text)
        except DefinitionError as fault:
            self.excerpt = lines_around(text, fault.line)
            raise ValidationError(str(fault)) from None
        return cleaned

    excerpt: tuple[SourceLine, ...] = ()
    """Where a fault is: the line and some around it."""


class DuplicateForm(forms.Form):
    """The name of a copy."""

    slug = forms.SlugField(
        label="Name in its address",
        max_length=64,
        validators=[KEY_VALIDATOR],
        widget=forms.TextInput(attrs={"class": " ".join(INPUT_CLASSES)}),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.update(team_fields(user))
        if "team" in self.fields:
            self.fields["team"].required = False  # then it stays in the team that it is copied in

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if Survey.objects.filter(slug=slug).exists():
            raise ValidationError(f"The name {slug} is taken.")
        return slug


def with_words(texts: Text | None, words: str, survey: Survey) -> Text:
    """The texts with the survey's own language saying `words`; every other language says what it said."""
    texts = texts or {}
    return {code: words if code == survey.language else texts.get(code, "") for code in survey.languages or ["en"]}


def lines_around(text: str, fault: int) -> tuple[SourceLine, ...]:
    """The line with a fault (counted from 1) and those around it; nothing where the fault has no line."""
    lines = list(enumerate(text.splitlines(), start=1))[max(0, fault - 1 - AROUND) : fault + AROUND] if fault else []
    return tuple(SourceLine(number, words, number == fault) for number, words in lines)
