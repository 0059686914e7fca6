"""A translator's file into a draft."""

from django.contrib.auth.models import User
from django.db import transaction

from surveys.definition.changes import differences
from surveys.exchange import translation_files
from surveys.exchange.translations import Translations, translated
from surveys.lifecycle import drafts, selectors, transitions
from surveys.models import Survey


@transaction.atomic
def take_translations(survey: Survey, content: bytes, *, filename: str, by: User | None = None) -> Translations:
    """Save what a file of translations changes in a draft; returns that, and what is left as it was.

    Raises
    ------
    ValidationError
        Where the file cannot be read or has a text that a survey cannot have; nothing is written then.
    Conflict
        Where the survey is not a draft.
    """
    held = Survey.objects.select_for_update().get(pk=survey.pk)
    transitions.require_draft(held)
    draft = selectors.definition_of(held)
    found = translation_files.read(content, filename=filename, definition=draft)
    drafts.save_changes(held, differences(draft, translated(draft, found)), by=by)
    return found
