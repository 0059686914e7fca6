"""The panel's forms of a survey, its groups, its sections and its files."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import (
    INPUT_CLASSES,
    UnfoldAdminExpandableTextareaWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from collector.designs import ABOUT, check_released
from collector.designs.checks import fraction
from collector.designs.texts import validate_text
from collector.errors import ValidationError
from surveys.accounts.teams import team_fields
from surveys.definition.ceilings import require_budget
from surveys.definition.numerals import plain_decimal, plain_number
from surveys.labels import translated
from surveys.lifecycle import selectors
from surveys.models import KEY_VALIDATOR, Group, Section, Survey
from surveys.panel.forms.entry import EntryFields
from surveys.panel.forms.multilingual import WordsField

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Any]
else:
    ModelForm = forms.ModelForm  # Django's class takes no type argument at run time


class WordsForm(ModelForm):
    """A form with texts by language, which has a part for each language of the survey."""

    def __init__(self, *args: Any, survey: Survey | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.survey: Survey = survey or self.instance
        if survey is not None:
            self.instance.survey = survey  # which is at hand; each part would ask the database for it
        for name in {"position", "key", "slug"} & {*self.fields}:
            self.fields[name].required = False
        # The admin makes a form of a part alone, without its survey, to name the columns of a table.
        languages = getattr(self.survey, "languages", None) or ["en"]
        self.speak(languages, getattr(self.survey, "written_in", ""))
        for field in self.fields.values():
            if isinstance(field, forms.CharField):
                field.validators.append(validate_text)
            if field.label:
                field.label = translated(str(field.label))
            if isinstance(field, forms.TypedChoiceField):  # of a model, whose labels are English
                labelled = cast("list[tuple[str, str]]", list(cast("Any", field.choices)))
                field.choices = [(value, translated(str(label))) for value, label in labelled]
        self.speaks_anew = bool(self.instance.pk) and any(
            set(getattr(self.instance, name) or languages) != set(languages)
            for name, field in self.fields.items()
            if isinstance(field, WordsField) and isinstance(getattr(self.instance, name, None), dict)
        )

        if self.instance.pk:
            self._say_what_is_untranslated(languages)

    def say_missing(self, name: str, words: str) -> None:
        """Show beside a field what is missing there; nothing if the data sent has errors to show."""
        if not self.is_bound and name in self.fields:
            field = self.fields[name]
            field.help_text = format_html('<b class="candor-still">Still missing: {}</b> {}', words, field.help_text)

    def _say_what_is_untranslated(self, languages: Sequence[str]) -> None:
        for name, field in self.fields.items():
            texts = getattr(self.instance, name, None)
            if isinstance(field, WordsField) and isinstance(texts, dict):
                gone = [code for code in languages if not texts.get(code, "").strip()]
                if gone and (len(gone) < len(languages) or name in self.needed):
                    self.say_missing(
                        name, gettext("the text in {join}.").format(join=", ".join(selectors.language_names(gone)))
                    )

    needed: tuple[str, ...] = ()
    """Texts without which the survey cannot be opened."""

    def has_changed(self) -> bool:
        """True also if the languages of the part's survey have changed."""
        return super().has_changed() or self.speaks_anew

    def speak(self, languages: Sequence[str], plain: str) -> None:
        for field in self.fields.values():
            if isinstance(field, WordsField):
                field.speak(languages, plain)


def page_languages() -> list[tuple[str, str]]:
    """The languages of the respondents' pages."""
    return [(code, str(name)) for code, name in settings.LANGUAGES]


class SurveyForm(EntryFields, WordsForm):
    needed = ("title",)

    title = WordsField(part=UnfoldAdminTextInputWidget, most=300)
    introduction = WordsField(
        part=UnfoldAdminExpandableTextareaWidget,
        required=False,
        help_text=gettext_lazy("What respondents read first: who asks, and why."),
    )
    consent = WordsField(
        part=UnfoldAdminExpandableTextareaWidget,
        required=False,
        help_text=gettext_lazy("What respondents agree to by taking part."),
    )
    sender = WordsField(
        part=UnfoldAdminTextInputWidget,
        required=False,
        most=300,
        help_text=gettext_lazy("Who asks: a person or a team, by name."),
    )
    institution = WordsField(
        part=UnfoldAdminTextInputWidget,
        required=False,
        most=300,
        help_text=gettext_lazy("The university, agency or company."),
    )
    contact = WordsField(
        part=UnfoldAdminExpandableTextareaWidget,
        required=False,
        help_text=gettext_lazy(
            "Whom respondents can ask about the survey, and how. The page adds that answers never belong there."
        ),
    )
    data_protection = WordsField(
        part=UnfoldAdminExpandableTextareaWidget,
        required=False,
        help_text=gettext_lazy("Who is responsible for the data, on what legal ground, and respondents’ rights."),
    )
    help_line = WordsField(
        part=UnfoldAdminExpandableTextareaWidget,
        required=False,
        help_text=gettext_lazy(
            "Help and advice on the topic. Shown at the end, and after each question or section that is marked."
        ),
    )
    strata_wording = WordsField(
        label=gettext_lazy("Question that assigns the group"),
        part=UnfoldAdminTextInputWidget,
        required=False,
        help_text=gettext_lazy("Only with groups below. The group is sent openly, not randomised."),
    )
    own_language = forms.ChoiceField(
        label=gettext_lazy("Main language"),
        required=False,
        choices=page_languages,
        widget=UnfoldAdminSelectWidget,
        help_text=gettext_lazy("Its page has the shortest link, and reports are in this language."),
    )
    more_languages = forms.MultipleChoiceField(
        label=gettext_lazy("Additional languages"),
        required=False,
        choices=page_languages,
        widget=forms.CheckboxSelectMultiple,
        help_text=(
            gettext_lazy(
                "The survey has a page in each. Fields for a new language appear after saving; "
                "removing a language deletes its texts."
            )
        ),
    )

    invitations = forms.ChoiceField(
        label=gettext_lazy("Who can answer"),
        required=False,
        choices=[
            (Survey.Invited.OPEN, gettext_lazy("open link: anyone who has it")),
            (Survey.Invited.SECRET, gettext_lazy("by invitation: a code for each person")),
            (Survey.Invited.BLIND, gettext_lazy("by blind invitation: a code that nobody can trace")),
        ],
        widget=UnfoldAdminSelectWidget,
        help_text=(
            gettext_lazy(
                "By invitation, each person answers once, with a code. Candor stores only a hash of "
                "each code, never who got which. With blind invitations not even the issuer can "
                "recognise a code. This cannot be changed once the survey is open."
            )
        ),
    )
    repeats = forms.ChoiceField(
        label=gettext_lazy("Repeated surveys"),
        required=False,
        choices=[
            (Survey.Repeats.FRESH, gettext_lazy("new randomisation each wave (privacy loss adds up)")),
            (Survey.Repeats.REMEMBER, gettext_lazy("remembered tickets: the same answer gives the same response")),
        ],
        widget=UnfoldAdminSelectWidget,
        help_text=(
            gettext_lazy(
                "If the same people are asked in several waves: with new randomisation the privacy "
                "loss adds up. Remembering costs nothing more while an answer stays the same, but the "
                "device stores a random number that anyone who holds the device could use."
            )
        ),
    )
    participation = forms.CharField(
        label=gettext_lazy("Hide exact group sizes (epsilon)"),
        required=False,
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "decimal"}),
        help_text=(
            gettext_lazy(
                "Adds noise to the counts, for groups whose membership may be sensitive: the epsilon "
                "of the published group sizes, like 0.5 (above 0, at most 8; smaller hides more). "
                "There are then no estimates by group. Empty: exact sizes."
            )
        ),
    )
    privacy_budget = forms.CharField(
        label=gettext_lazy("Privacy budget"),
        required=False,
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "decimal"}),
        help_text=(
            gettext_lazy(
                "The total privacy loss (epsilon) that the editor divides among the questions, like 2 "
                "(strong) or 4 (moderate). Empty: 4. Only authors see it."
            )
        ),
    )

    class Meta:
        model = Survey
        fields: tuple[str, ...] = (
            "title", "slug", "introduction", "consent", *ABOUT, "strata_wording", "rehearsal",
            "invitations", "repeats", "participation", "privacy_budget",
        )  # fmt: skip
        labels = {"slug": gettext_lazy("Link name (URL)")}
        help_texts = {
            "slug": gettext_lazy(
                "Lower-case letters, digits and hyphens; the part after /s/ in the survey’s link. Empty: made from the "
                "title."
            ),
            "rehearsal": gettext_lazy("The respondents are simulated; nobody can answer it on the web."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own, *more = self.instance.languages or ["en"]
        strange = [(code, code) for code in (own, *more) if code not in dict(page_languages())]
        self.initial = {**self.initial, "own_language": own, "more_languages": more}
        self.fill_entry()
        self.offered = [*page_languages(), *strange]
        for name in ("own_language", "more_languages"):
            choice = cast("forms.ChoiceField", self.fields[name])
            choice.choices = self.offered
            choice.error_messages["invalid_choice"] = gettext(
                "The respondents’ pages speak {join}; %(value)s is none of them."
            ).format(join=", ".join(dict(page_languages()).values()))
        if self.instance.pk:
            self.instance.written_in = own
            # Of a language that became its own a while ago the title may still be missing, as in other languages.
            self.fields["title"].required = bool(self.instance.title.get(own, "").strip())
        self.speak([own, *more], own)
        if self.is_bound:
            # At once, because the parts of the survey, which are read after it, speak these languages too.
            self.instance.languages = self._languages_sent([own, *more])
            self.speak(self.instance.languages, own if self.instance.pk else "")

    stale: Any = None
    """A save from an older revision that clashes with what somebody else has written; None otherwise."""

    def clean(self) -> None:
        super().clean()
        if self.stale is not None:
            raise forms.ValidationError(gettext("Somebody else has changed the same places. Nothing is saved yet."))
        self.clean_entry()

    def clean_slug(self) -> str:
        """The slug as written, or one that is made from the title; a saved one stays where the field is emptied."""
        titles = self.cleaned_data.get("title") or {}
        written = next((titles[code] for code in self.instance.languages if titles.get(code)), "")
        return str(self.cleaned_data["slug"] or self.instance.slug or selectors.slug_from(written))

    def clean_repeats(self) -> str:
        return str(self.cleaned_data["repeats"]) or self.instance.repeats

    def clean_participation(self) -> str:
        """The epsilon as written, which is exact."""
        written = plain_decimal(str(self.cleaned_data["participation"]))
        try:
            if written:
                check_released(written, ())
        except ValidationError as error:
            raise forms.ValidationError(gettext("The epsilon {message}.").format(message=error.message)) from None
        return written

    def clean_privacy_budget(self) -> str:
        written = plain_decimal(str(self.cleaned_data["privacy_budget"]))
        try:
            if written:
                require_budget(written)
        except ValidationError as error:
            raise forms.ValidationError(
                gettext("The privacy budget {message}.").format(message=error.message)
            ) from None
        return written

    def _languages_sent(self, before: list[str]) -> list[str]:
        """The chosen languages that were sent; the previous ones if none were sent."""
        known = [code for code, _name in self.offered]
        own = self.data.get(self.add_prefix("own_language")) or before[0]
        if not hasattr(self.data, "getlist") or self.add_prefix("own_language") not in self.data:
            return before
        chosen = self.data.getlist(self.add_prefix("more_languages"))
        if self.instance.pk and own != before[0]:
            chosen = [*chosen, before[0]]  # whose texts would be lost; it can be taken away next time
        return [own, *(code for code in known if code in chosen and code != own)] if own in known else before


class GroupForm(WordsForm):
    padded = False
    """Whether its key was filled up to the length of the others'."""

    label = WordsField(part=UnfoldAdminTextInputWidget, most=300, required=False)

    class Meta:
        model = Group
        fields = ("position", "key", "label", "share")
        labels = {"position": gettext_lazy("Order")}
        help_texts = {
            "key": (
                gettext_lazy(
                    "Its name in exports. Shorter names are padded, so that every response has the same size. Empty: "
                    "made from the label."
                )
            ),
            "share": gettext_lazy("Its share of the population, if known: 30 %, 0.3 and 3/10 are the same."),
        }

    def has_changed(self) -> bool:
        return self.padded or super().has_changed()

    def clean_share(self) -> str:
        share = plain_number(str(self.cleaned_data["share"]))
        try:
            return share if not share or fraction(share, ("share",)) >= 0 else ""
        except ValidationError as error:
            raise forms.ValidationError(f"{error}.") from None


class SectionForm(WordsForm):
    title = WordsField(label=gettext_lazy("Heading"), part=UnfoldAdminTextInputWidget, most=300, required=False)
    introduction = WordsField(label=gettext_lazy("Text below it"), part=UnfoldAdminTextInputWidget, required=False)

    class Meta:
        model = Section
        fields = ("position", "key", "title", "introduction", "help_after")
        labels = {"position": gettext_lazy("Order"), "help_after": gettext_lazy("Show the help line at its end")}
        help_texts = {"key": gettext_lazy("Its name in the questions’ field “Section”. Empty: made from the heading.")}


class SamePeopleForm(forms.Form):
    """The choice whether a copy is for the same people: it has no default, so nobody makes it unawares."""

    same_people = forms.TypedChoiceField(
        label=gettext_lazy("Is the copy for the same people?"),
        choices=[("yes", gettext_lazy("yes")), ("no", gettext_lazy("no"))],
        coerce=lambda answer: answer == "yes",
        error_messages={
            "required": gettext_lazy("Choose whether the copy is for the same people."),
            "invalid_choice": gettext_lazy("Whether it is for the same people must be yes or no; got %(value)s."),
        },
    )


class DuplicateForm(SamePeopleForm):
    """The slug of a copy, and whether it asks the same people."""

    slug = forms.SlugField(
        label=gettext_lazy("Link name (URL)"),
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
            raise forms.ValidationError(gettext("The name {slug} is taken.").format(slug=slug))
        return slug
