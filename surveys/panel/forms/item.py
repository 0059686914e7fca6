"""The panel's form of one question: every kind and mechanism, validated by the rules of the frozen design.

What is written wrongly is refused beside its field. What is not written yet is let through: a draft may be unfinished,
and what it still needs is said where it stands (missing.py).
"""

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from django import forms
from django.utils.text import get_text_list
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import (
    UnfoldAdminExpandableTextareaWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from collector.designs.checks import DECIMAL
from collector.designs.items import check_items
from collector.errors import ValidationError
from estimator.base.mechanisms import PARAMETERS, REGISTRY, Parameter
from surveys.definition.classes import choices_of
from surveys.definition.mechanisms import GRID, MECHANISMS, fitting, plain_form
from surveys.definition.parts import Text
from surveys.definition.questions import NO_NUMBER_WITHHELD, frozen_item, prefer_not
from surveys.definition.unsupported import unsupported_kind
from surveys.labels import translated
from surveys.lifecycle import selectors
from surveys.models import Item
from surveys.panel.forms.before import BeforeFields, speak_before
from surveys.panel.forms.choices import lines_of, set_languages, with_choices
from surveys.panel.forms.classes import BY, CLASSES_FIELDS, classes_fault, found_classes, written_classes
from surveys.panel.forms.conditions import condition_in_words
from surveys.panel.forms.item_summary import facts_of, protection_of
from surveys.panel.forms.item_texts import HELP, LABELS
from surveys.panel.forms.missing import NEEDED, field_and_words, item_faults
from surveys.panel.forms.multilingual import WordsField
from surveys.panel.forms.survey import WordsForm

OF_CHOICES = ("choices", "prefer_not", "may_be_blank")
KIND_FIELDS = {
    "yes_no": (*OF_CHOICES, "heading", "known_share"),
    "one_choice": (*OF_CHOICES, BY, "shuffle", "keep_last", "dropdown", "heading"),
    "several_choices": (*OF_CHOICES, BY, "shuffle", "keep_last", "most"),
    "scale": (*OF_CHOICES, BY, "dropdown", "heading"),
    "number": GRID,
}
"""The fields that apply to some kinds only."""

TOGETHER = (("truth", "yes"), ("on", "off"), ("size", "epsilon"))
PARAMETER_ROWS: tuple[Any, ...] = (*TOGETHER, *(name for name in PARAMETERS if name not in chain(*TOGETHER)))
"""The fields for the parameters of mechanisms, in the rows in which the form shows them."""

MECHANISM_FIELDS = {name: [parameter.name for parameter in entry.parameters] for name, entry in REGISTRY.items()}
COLUMNS = tuple(dict.fromkeys(parameter.column for parameter in PARAMETERS.values()))
ALONE = ("key", "kind", "mechanism", "wording", "choices", "prefer_not", "shuffle", "keep_last", "dropdown", "heading",
         "most", "known_share", *GRID, *COLUMNS)  # fmt: skip
"""The fields of a question that do not depend on other questions."""

NUMERALS = (*GRID, *(parameter.name for parameter in PARAMETERS.values() if parameter.form != "table"))

NEW: dict[str, object] = {"prefer_not": True, "mechanism": "k_ary", "truth": "2/5"}
"""A new question: yes/no which nobody has to answer, with the privacy loss of forced response at 1/2."""


class ItemForm(BeforeFields, WordsForm):
    needed = ("wording",)

    wording = WordsField(label=gettext_lazy("Question"), part=UnfoldAdminExpandableTextareaWidget, required=False)
    heading = WordsField(
        label=gettext_lazy("Heading of the grid"),
        part=UnfoldAdminTextInputWidget,
        required=False,
        help_text=gettext_lazy("Consecutive questions with the same heading and options are the rows of one grid."),
    )
    choices = WordsField(
        by_line=True,
        part=lambda: UnfoldAdminTextareaWidget(attrs={"rows": 4}),
        required=False,
        help_text=(
            gettext_lazy(
                "One per line, in the same order in every language. Yes/no: No, then Yes; empty: these "
                "words. Scales go from low to high."
            )
        ),
    )
    prefer_not = forms.BooleanField(
        label=gettext_lazy("Offer “prefer not to say”"),
        widget=UnfoldBooleanSwitchWidget,
        required=False,
        help_text=(
            gettext_lazy("As the last option, randomised like the others. Yes/no then needs k-ary or your own table.")
        ),
    )
    may_be_blank = forms.BooleanField(
        label=gettext_lazy("Optional"),
        widget=UnfoldBooleanSwitchWidget,
        required=False,
        help_text=gettext_lazy("A blank is sent as “prefer not to say”; for several choices, as none ticked."),
    )
    help_after = forms.BooleanField(
        label=gettext_lazy("Show the help line after the question"),
        widget=UnfoldBooleanSwitchWidget,
        required=False,
        help_text=gettext_lazy("To everyone who sees the question, whatever the answer."),
    )
    asked_if_item = forms.CharField(
        label=gettext_lazy("Asked only if the question"),
        widget=UnfoldAdminTextInputWidget,
        required=False,
        help_text=gettext_lazy("Key of an earlier question. Empty: everybody is asked."),
    )
    asked_if_answers = forms.CharField(
        label=gettext_lazy("has one of these answers"),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
        required=False,
        help_text=gettext_lazy("One per line, exactly as written there."),
    )
    sent_if_unasked = forms.CharField(
        label=gettext_lazy("Answer randomised and sent for everyone else"),
        widget=UnfoldAdminTextInputWidget,
        required=False,
        help_text=(
            gettext_lazy(
                "An answer to this question, so that nobody can see who was asked. For several choices: none ticked."
            )
        ),
    )

    class Meta:
        model = Item
        fields = ("position", "section", "help_after", "sensitivity", *ALONE)
        labels = LABELS
        help_texts = HELP

    def __init__(self, *args: Any, closed: bool = False, **kwargs: Any) -> None:
        """`closed`: the question is a row of the list, of which only the position is rendered and sent."""
        self.closed, self._told = closed, list[str]()
        self.touched = False  # by what was written elsewhere: a new language, the question that it depends on
        if closed:
            self.base_fields = {"position": self.base_fields["position"]}  # type: ignore[misc]
        super().__init__(*args, **kwargs)
        if not closed:
            self._fill()
        self.lines_before: Text = self.initial.get("choices") or {}

    def _fill(self) -> None:
        # What form.js shows for each kind and each mechanism; without it everything is there.
        self.fields["kind"].widget.attrs["data-fields"] = json.dumps(KIND_FIELDS)
        self.fields["kind"].widget.attrs["data-mechanisms"] = json.dumps(MECHANISMS)
        self.fields["mechanism"].widget.attrs["data-fields"] = json.dumps(MECHANISM_FIELDS)
        item = self.instance
        self.fill_before()
        self.initial["may_be_blank"] = not item.required
        self.initial.update({"prefer_not": bool(item.prefer_not), **_parameters(item)} if item.pk else NEW)
        self.initial["weights"] = "\n".join(" ".join(map(str, row)) for row in item.weights or [])
        sent = str(self.data.get(self.add_prefix("kind"), "")) if self.is_bound else ""
        if reason := unsupported_kind(sent):
            self.fields["kind"].error_messages["invalid_choice"] = gettext(
                "%(value)s is not possible: {reason}."
            ).format(reason=reason)
        if item.pk:
            self.initial["choices"] = {
                code: "\n".join(choice.get(code, "") for choice in item.choices).rstrip()
                for code in self.survey.languages
            }
            self.initial.update(found_classes(item, self.survey.languages))
            self.initial.update(condition_in_words(item, self.survey.written_in or self.survey.language))
            for name, words in self._missing():
                self.say_missing(name, words)

    def _missing(self) -> Iterator[tuple[str, str]]:
        """The parts that the saved question still lacks by itself; its wording is checked with all texts."""
        item, codes = self.instance, self.survey.languages
        gone = [code for code in codes if any(not choice.get(code, "").strip() for choice in item.choices)]
        if gone:
            yield "choices", gettext("some in {join}.").format(join=", ".join(selectors.language_names(gone)))
        yield from item_faults(selectors.item_of(item))

    def say_missing(self, name: str, words: str) -> None:
        """Show what is missing beside its field, or in its row of the list."""
        if self.closed:
            self._told.append(_named(name, words))
        super().say_missing(name, words)

    @property
    def missing(self) -> list[str]:
        """The parts that a saved, closed question still lacks: a sentence for each field."""
        codes = self.survey.languages
        gone = [code for code in codes if not self.instance.wording.get(code, "").strip()]
        texts = (
            [("wording", gettext("the text in {join}.").format(join=", ".join(selectors.language_names(gone))))]
            if gone
            else []
        )
        return [*(_named(name, words) for name, words in (*texts, *self._missing())), *self._told]

    @property
    def words(self) -> str:
        """The saved wording in the survey's default language; empty if there is none yet."""
        return str((self.instance.wording or {}).get(self.survey.language, ""))

    @property
    def facts(self) -> str:
        return f"{facts_of(self.instance)} · {protection_of(self.instance)}"

    def save(self, commit: bool = True) -> Any:
        """Save the question; the pictures of a survey that is new are stored only now."""
        saved = super().save(commit)
        if not self.closed:
            self.store_pictures()
        return saved

    def has_changed(self) -> bool:
        """True also if the question that it depends on changed, because its answers may have moved."""
        return self.touched or super().has_changed()

    def speak(self, languages: Sequence[str], plain: str) -> None:
        """Add languages; a closed question has no fields for them, so its texts get a place here."""
        super().speak(languages, plain)
        item = self.instance
        if self.closed and set(item.wording) != set(languages):
            set_languages(item, languages)
            speak_before(item, languages)
            self.touched = True

    def clean_weights(self) -> list[list[int]] | None:
        rows = [line.replace(",", " ").split() for line in self.cleaned_data["weights"].splitlines() if line.strip()]
        try:
            return [[int(entry) for entry in row] for row in rows] or None
        except ValueError:
            raise forms.ValidationError(
                gettext("Enter whole numbers separated by spaces, one line per answer.")
            ) from None

    def clean(self) -> None:
        super().clean()
        if self.closed:
            return
        self.clean_before()
        self._follow_kind()
        cleaned = self.cleaned_data
        cleaned.update(
            {name: plain_form(name, cleaned[name]) for name in NUMERALS if isinstance(cleaned.get(name), str)}
        )
        texts: Text = cleaned.get("choices") or {}
        cleaned["heading"] = heading if any((heading := cleaned.get("heading") or {}).values()) else {}
        self.instance.heading = cleaned["heading"]
        if not self._asks_for_classes(texts):
            cleaned[BY] = ""
        lines = [line for code in texts for line in lines_of(texts, code)]
        if not self.errors:
            self._refuse_what_does_not_fit(lines)
        codes = self.survey.languages or ["en"]
        known = self.instance.choices
        cleaned["choices"] = self._choices(texts, codes)
        self.clean_choice_pictures(cleaned["choices"], known)
        words = prefer_not(codes)
        offered = {code: (self.instance.prefer_not or {}).get(code) or words[code] for code in codes}
        cleaned["prefer_not"] = offered if cleaned.get("prefer_not") else {}
        # Django keeps what a row has of a field that was not sent, which a field that is away is not.
        self.instance.choices = cleaned["choices"]
        self.instance.required = not cleaned.get("may_be_blank")
        if not self.errors:
            self._forget_what_has_no_use()
            self._require_decimals()
        if not self.errors:
            self._check()

    def _follow_kind(self) -> None:
        """Give a new question what its kind may have in place of defaults that nobody changed, as form.js does."""
        cleaned, kind = self.cleaned_data, self.cleaned_data.get("kind")
        if self.instance.pk or kind not in MECHANISMS:
            return
        if kind == Item.Kind.NUMBER and "prefer_not" not in self.changed_data:
            cleaned["prefer_not"] = False
        names = fitting(kind, prefer_not=bool(cleaned["prefer_not"]))
        if "mechanism" not in self.changed_data and cleaned.get("mechanism") not in names:
            cleaned["mechanism"] = names[0]

    def _asks_for_classes(self, texts: Text) -> bool:
        """Whether the classes were changed, or have to be written in a language that was added."""
        if any(name in self.changed_data for name in CLASSES_FIELDS):
            return True
        lines = {code: lines_of(texts, code) for code in self.survey.languages}
        return not all(lines.values()) and all(lines[code] == lines_of(self.lines_before, code) for code in lines)

    def _choices(self, texts: Text, codes: list[str]) -> list[Text]:
        """The choices that the lines define, or the classes that are to take their place."""
        known: list[Text] = self.instance.choices
        kind = self.cleaned_data.get("kind")
        try:
            classes = {} if BY in self.errors else written_classes(self.cleaned_data)
            if classes:
                return choices_of(classes, codes, ())
            return with_choices(known, texts, self.lines_before, kind, codes)
        except ValidationError as error:
            self.add_error(*classes_fault(error, error.path))
        except forms.ValidationError as fault:
            self.add_error("choices", fault)
        return known

    def _refuse_what_does_not_fit(self, lines: list[str]) -> None:
        """Reject values that a question of this kind does not use; with its script the form hides the fields."""
        kind = self.cleaned_data["kind"]
        fields = {**self.cleaned_data, "choices": lines}
        for name in {name for names in KIND_FIELDS.values() for name in names} - set(KIND_FIELDS[kind]):
            if fields[name]:
                number = name == "prefer_not" and kind == "number"
                self.add_error(
                    name,
                    gettext("prefer_not {no_number_withheld}.").format(no_number_withheld=NO_NUMBER_WITHHELD)
                    if number
                    else gettext("Not for a question of this kind."),
                )
        names = fitting(kind, prefer_not=bool(fields["prefer_not"]))
        if fields["mechanism"] not in names:
            labels = get_text_list([translated(REGISTRY[name].label) for name in names])
            self.add_error("mechanism", gettext("For this question choose {labels}.").format(labels=labels))

    def _forget_what_has_no_use(self) -> None:
        cleaned = self.cleaned_data
        filled = {name: cleaned[name] for name in KIND_FIELDS[cleaned["kind"]]}
        filled |= {parameter.column: cleaned[parameter.name] for parameter in REGISTRY[cleaned["mechanism"]].parameters}
        for name in (*GRID, "most", *COLUMNS):
            cleaned[name] = filled.get(name, None if Item._meta.get_field(name).null else "")
            setattr(self.instance, name, cleaned[name])

    def _require_decimals(self) -> None:
        for name in (*GRID, "epsilon"):
            if (written := self.cleaned_data.get(name)) and not DECIMAL.fullmatch(written):
                self.add_error(name, gettext("Enter a number like 12 or 0.5; got {written}.").format(written=written))

    def _check(self) -> None:
        """Show the error of a complete question in words, at the field that it concerns."""
        cleaned = self.cleaned_data
        number = cleaned["kind"] == Item.Kind.NUMBER
        if not (all(cleaned[name] for name in GRID) if number else len(cleaned["choices"]) >= 2):
            return
        try:
            item = selectors.item_of(self._in_own_language())
            check_items([frozen_item(item, ("items", 0))], [self.survey.language], [])
        except ValidationError as error:
            field, words = field_and_words(error, error.path[2:])
            if cleaned.get(field) or words != str(NEEDED):
                self.add_error(field, words)

    def _in_own_language(self) -> Item:
        """The question alone: in one language, of no section, asked of everybody. Untranslated texts are numbers."""
        own, cleaned = self.survey.language, self.cleaned_data
        fields = {name: cleaned[name] for name in ALONE} | {"key": "question"}  # the model has a sentence for keys
        fields["choices"] = [{own: choice[own] or f"#{place}"} for place, choice in enumerate(cleaned["choices"])]
        fields["wording"] = {own: cleaned["wording"][own] or "?"}
        fields["heading"] = {own: cleaned["heading"].get(own) or "?"} if cleaned["heading"] else {}
        fields["prefer_not"] = {own: cleaned["prefer_not"][own]} if cleaned["prefer_not"] else {}
        return Item(survey=self.survey, required=self.instance.required, **fields)


def _field(parameter: Parameter) -> forms.CharField:
    """The form field of a parameter without a text column of its name."""
    table = parameter.form == "table"
    part = UnfoldAdminTextareaWidget(attrs={"rows": 3}) if table else UnfoldAdminTextInputWidget()
    return forms.CharField(
        label=translated(parameter.label), help_text=translated(parameter.help), widget=part, required=False
    )


for _name, _extra in CLASSES_FIELDS.items():
    ItemForm.base_fields[_name] = ItemForm.declared_fields[_name] = _extra
for _said in PARAMETERS.values():
    if _said.form == "table" or _said.column != _said.name:
        ItemForm.base_fields[_said.name] = ItemForm.declared_fields[_said.name] = _field(_said)


def _parameters(item: Item) -> dict[str, object]:
    return {parameter.name: getattr(item, parameter.column) for parameter in REGISTRY[item.mechanism].parameters}


def _named(field: str, words: str) -> str:
    return f"{field.replace('_', ' ').capitalize()}: {words}"
