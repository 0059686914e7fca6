"""The texts of a survey out to translators and in again."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from collector.errors import ValidationError
from surveys.accounts.access import Role, get_survey_or_404
from surveys.accounts.audit_log import record_event
from surveys.api.base import View, serialized, user_of
from surveys.api.exports import Whatever
from surveys.api.openapi import change, parameter, problem, read
from surveys.api.paging import one_of
from surveys.api.problems import CONTENT_TYPE, Problem, error
from surveys.api.requests import TranslationsBody, read_body
from surveys.api.surveys import CHANGED, IF_MATCH, draft_as_read
from surveys.exchange import translation_files
from surveys.lifecycle import selectors
from surveys.lifecycle.translations import take_translations
from surveys.respondent.stored_pages import attachment

FORMAT = parameter("format", "Of the file.", enum=[*translation_files.FORMATS], default="csv")
LANGUAGE = parameter("language", "Target language of a PO file; required if there are several.", maxLength=16)
NO_FILE = {(422, CONTENT_TYPE): problem("The survey has only one language, or the server lacks a package.")}


class TranslationSerializer(serializers.Serializer[Any]):
    """A text that was taken over."""

    place = serializers.CharField(help_text="in the draft, like items/mood/wording")
    language = serializers.CharField()
    words = serializers.CharField()


class StaleSerializer(serializers.Serializer[Any]):
    """A text whose original has changed since the file was made; its translation is left out."""

    place = serializers.CharField()
    original = serializers.CharField(help_text="in the file")
    now = serializers.CharField(help_text="in the draft")


class TranslationsSerializer(serializers.Serializer[Any]):
    """What a file has changed in a draft, and what of it was left out."""

    texts = TranslationSerializer(many=True)
    stale = StaleSerializer(many=True)
    unfinished = serializers.ListField(child=serializers.CharField(), help_text="places marked as fuzzy")
    unknown = serializers.ListField(child=serializers.CharField(), help_text="places that are not in the draft")
    columns = serializers.ListField(
        child=serializers.CharField(), help_text="columns that are not languages of the survey"
    )


class FileOrJSON(Whatever):
    """Content negotiation where a file is read and JSON is answered to what is sent."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        if request.method in SAFE_METHODS:
            return super().select_renderer(request, renderers, format_suffix)
        chosen: tuple[BaseRenderer, str] = DefaultContentNegotiation.select_renderer(
            self, request, renderers, format_suffix
        )
        return chosen


class TranslationsView(View):
    """Every text of a survey with its translations, as a file for translators."""

    parameters = frozenset({"format", "language"})
    content_negotiation_class = FileOrJSON

    @read(
        "Download the texts for translators",
        OpenApiTypes.BINARY,
        parameters=[FORMAT, LANGUAGE],
        others=NO_FILE,
        streams=True,
    )
    def get(self, request: Request, slug: str) -> Any:
        """A table of all languages, or a PO file of one."""
        found = get_survey_or_404(request.user, slug, Role.EDITOR)
        form = one_of(request, "format", [*translation_files.FORMATS], "csv")
        definition = selectors.definition_of(found)
        language = one_of(request, "language", definition["languages"][1:], "")
        content = translation_files.write(definition, form, language)
        record_event(user_of(request), "exported", survey=found, detail=f"the translations, as {form.upper()}")
        return attachment(content, translation_files.FORMATS[form], f"{found.slug}-translations.{form}")

    @change(
        "Import translations into a draft",
        TranslationsSerializer,
        body=TranslationsBody,
        reply="Saved; the response lists what was left out.",
        parameters=[IF_MATCH],
        others=CHANGED,
    )
    @transaction.atomic
    def post(self, request: Request, slug: str) -> Response:
        """CSV, XLSX or PO; a text whose original has changed since is left as it is."""
        found, body = get_survey_or_404(request.user, slug, Role.EDITOR), read_body(TranslationsBody, request)
        draft_as_read(request, found)
        try:
            taken = take_translations(found, body["content"], filename=body["filename"], by=user_of(request))
        except ValidationError as fault:
            raise Problem(422, str(fault), [error("content", str(fault))]) from None
        return serialized(TranslationsSerializer, taken)
