"""The form's fields for what comes before the first question: consent statements and the screening question."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminExpandableTextareaWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from surveys.definition.parts import Text
from surveys.models import Survey
from surveys.panel.forms.choices import with_choices
from surveys.panel.forms.multilingual import WordsField

ENTRY_FIELDS = ("consent_statements", "screening_wording", "screening_choices", "screening_ends", "screening_text")


def _lines() -> forms.Widget:
    widget: forms.Widget = UnfoldAdminTextareaWidget(attrs={"rows": 3})
    return widget


class EntryFields(forms.Form):
    """Fields of a survey's form; what they say becomes its `consent_statements` and its `screening`."""

    instance: Survey

    consent_statements = WordsField(
        label=gettext_lazy("Consent statements"),
        by_line=True,
        part=_lines,
        required=False,
        help_text=(
            gettext_lazy(
                "One per line, in the same order in every language. Respondents have to tick each "
                "statement before the first question; those who do not agree see a friendly end page. "
                "None of it is sent."
            )
        ),
    )
    screening_wording = WordsField(
        label=gettext_lazy("Screening question"),
        part=UnfoldAdminTextInputWidget,
        required=False,
        help_text=(
            gettext_lazy(
                "Asked before all other questions. The answer is never sent, and nothing is sent by "
                "people who are screened out. Ask nothing sensitive here: everyone who sends a "
                "response is known to have given an answer that continues."
            )
        ),
    )
    screening_choices = WordsField(
        label=gettext_lazy("Answers"),
        by_line=True,
        part=_lines,
        required=False,
        help_text=gettext_lazy("One per line, in the same order in every language."),
    )
    screening_ends = forms.CharField(
        label=gettext_lazy("Answers that end the survey"),
        widget=_lines(),
        required=False,
        help_text=gettext_lazy("One per line, exactly as written above."),
    )
    screening_text = WordsField(
        label=gettext_lazy("Text of the end page"),
        part=UnfoldAdminExpandableTextareaWidget,
        required=False,
        help_text=gettext_lazy("For people who do not belong to the study: the reason, and thanks."),
    )

    def fill_entry(self) -> None:
        """Show what the survey has."""
        survey, screening = self.instance, self.instance.screening
        codes, own = survey.languages or ["en"], survey.written_in or survey.language
        filled = {
            "consent_statements": _by_line(survey.consent_statements, codes),
            "screening_wording": screening.get("wording", {}),
            "screening_choices": _by_line(screening.get("choices", []), codes),
            "screening_ends": "\n".join(_words_of_ends(screening, own)),
            "screening_text": screening.get("text", {}),
        }
        self.initial.update(filled)
        self.lines_before: dict[str, Text] = {
            name: filled[name] for name in ("consent_statements", "screening_choices")
        }

    def clean_entry(self) -> None:
        """Put what was written into the survey."""
        survey, cleaned = self.instance, self.cleaned_data
        statements = self._texts("consent_statements", survey.consent_statements)
        choices = self._texts("screening_choices", survey.screening.get("choices", []))
        cleaned["consent_statements"] = survey.consent_statements = statements
        wording, text = (cleaned.get(f"screening_{name}") or {} for name in ("wording", "text"))
        ends = sorted(set(self._ends(choices)))
        written = choices or ends or any(words.strip() for words in (*wording.values(), *text.values()))
        survey.screening = {"wording": wording, "choices": choices, "ends": ends, "text": text} if written else {}

    def _texts(self, name: str, known: list[Text]) -> list[Text]:
        codes, written = self.instance.languages or ["en"], self.cleaned_data.get(name) or {}
        try:
            return with_choices(known, written, self.lines_before[name], None, codes)
        except forms.ValidationError as fault:
            self.add_error(name, fault)
            return known

    def _ends(self, choices: list[Text]) -> list[int]:
        found = []
        for line in filter(None, map(str.strip, str(self.cleaned_data.get("screening_ends", "")).splitlines())):
            places = [place for place, choice in enumerate(choices) if line in choice.values()]
            if places:
                found.append(places[0])
            else:
                self.add_error("screening_ends", gettext("“{line}” is not one of the answers above.").format(line=line))
        return found


def _by_line(texts: list[Text], codes: list[str]) -> Text:
    return {code: "\n".join(text.get(code, "") for text in texts).rstrip() for code in codes}


def _words_of_ends(screening: Mapping[str, Any], language: str) -> list[str]:
    choices = screening.get("choices", [])
    texts = [choices[end] for end in screening.get("ends", []) if end < len(choices)]
    return [text.get(language) or next(filter(None, text.values()), "") for text in texts]
