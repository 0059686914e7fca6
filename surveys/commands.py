"""What the management commands share: finding a survey, saying what happened, turning faults into one sentence."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.rewriting import Busy
from surveys.keeping.archive import ArchiveError
from surveys.lifecycle import NotAllowed
from surveys.models import Survey
from surveys.reading import DefinitionError
from surveys.respondents import RehearsalError

FAULTS = (DefinitionError, NotAllowed, RehearsalError, ArchiveError, Busy, OSError)


class SurveyCommand(BaseCommand):
    """A command that answers in words, or with `--json` in one JSON object, and fails with one clear sentence."""

    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")
        self.add_options(parser)

    def add_options(self, parser: ArgumentParser) -> None:
        """The command's own arguments."""
        parser.add_argument("slug", help="the survey's name in its address")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            sentence, facts = self.act(**options)
        except FAULTS as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(facts) if options["json"] else sentence)

    def act(self, **options: Any) -> tuple[str, dict[str, Any]]:
        """Do it; what happened as a sentence and as facts."""
        raise NotImplementedError


def find_survey(slug: str) -> Survey:
    """The survey of this slug, or a CommandError that names those there are."""
    survey = Survey.objects.filter(slug=slug).first()
    if survey is None:
        known = ", ".join(Survey.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no survey {slug!r}; there are: {known}.")
    return survey
