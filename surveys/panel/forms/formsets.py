"""The rows of a survey's parts in its form: groups, sections, and what all of them share."""

from typing import Any

from django import forms
from unfold.forms import PaginationInlineFormSet

from surveys.definition.keys import even_keys, key_from


class PartFormSet(PaginationInlineFormSet):
    """The groups, sections or items of a survey; each form knows the survey, saved or not."""

    named_by = ("", "")
    """The text of a row from which its key is made where none is written, and the key of one without a text."""

    def get_form_kwargs(self, index: int | None) -> dict[str, object]:
        return {**super().get_form_kwargs(index), "survey": self.instance}

    def add_fields(self, form: Any, index: int | None) -> None:
        """Use a plain field for a row's key; Django's field would query the database again for each row."""
        super().add_fields(form, index)
        form.fields["id"] = forms.IntegerField(required=False, widget=forms.HiddenInput, initial=form.instance.pk)

    def clean(self) -> None:
        super().clean()
        (text, otherwise), taken = self.named_by, {form.instance.key for form in self.forms}
        for form in self.forms:
            if form.has_changed() and not form.errors and not form.instance.key:
                texts = getattr(form.instance, text)
                written = next((texts[code] for code in self.instance.languages if texts.get(code)), "")
                form.instance.key = key_from(form.initial.get("key") or written, taken, otherwise)
                taken.add(form.instance.key)


class GroupFormSet(PartFormSet):
    """The groups of a survey, whose keys are filled up to one length."""

    named_by = ("label", "group")

    def clean(self) -> None:
        super().clean()
        rows = [form for form in self.forms if form not in self.deleted_forms and form.instance.key]
        for form, key in zip(rows, even_keys([form.instance.key for form in rows]), strict=True):
            form.padded = form.instance.key != key
            form.instance.key = key


class SectionFormSet(PartFormSet):
    """The sections of a survey."""

    named_by = ("title", "section")
