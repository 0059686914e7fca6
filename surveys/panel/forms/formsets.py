"""The rows of a survey's parts in its form: groups, sections, and what all of them share."""

from typing import Any

from django import forms
from unfold.forms import PaginationInlineFormSet

from surveys.definition.validation import even_keys


class PartFormSet(PaginationInlineFormSet):
    """The groups or items of a survey; each form knows the survey, saved or not."""

    def get_form_kwargs(self, index: int | None) -> dict[str, object]:
        return {**super().get_form_kwargs(index), "survey": self.instance}

    def add_fields(self, form: Any, index: int | None) -> None:
        """Use a plain field for a row's key; Django's field would query the database again for each row."""
        super().add_fields(form, index)
        form.fields["id"] = forms.IntegerField(required=False, widget=forms.HiddenInput, initial=form.instance.pk)


class GroupFormSet(PartFormSet):
    """The groups of a survey, whose keys are filled up to one length."""

    def clean(self) -> None:
        super().clean()
        rows = [form for form in self.forms if form not in self.deleted_forms and form.instance.key]
        for form, key in zip(rows, even_keys([form.instance.key for form in rows]), strict=True):
            form.padded = form.instance.key != key
            form.instance.key = key
