from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from surveys.accounts.teams import team_for
from surveys.definition import definitions
from surveys.definition.bounds import LARGEST_FILE as LARGEST_DEFINITION
from surveys.definition.text_warnings import text_warnings
from surveys.exchange import formats as exchange
from surveys.exchange.files import LARGEST_FILE
from surveys.lifecycle import selectors, services
from surveys.management.base import SurveyCommand, read_content
from surveys.panel.forms.missing import missing_texts


class Command(SurveyCommand):
    help = (
        "Create a draft from a YAML file or another tool's questionnaire, or overwrite the draft with the same "
        "link name."
    )

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="file to read; - for standard input")
        parser.add_argument("--owner", help="user name of its owner; required if there are several")
        formats = [exchange.CANDOR, exchange.AUTOMATIC, *exchange.FORMATS]
        parser.add_argument("--format", choices=formats, help="format of the file; default: detected from its name")
        parser.add_argument("--language", default="en", help="language of texts without one; default: en")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        file: Path = options["file"]
        named = _format_by_name(file)
        content = read_content(file, LARGEST_DEFINITION if named == exchange.CANDOR else LARGEST_FILE)
        form = options["format"] or named
        if form == exchange.AUTOMATIC:
            form = exchange.format_of(content, file.name)
        if form != exchange.CANDOR:
            made = exchange.convert(content, filename=file.name, form=form, language=options["language"])
            return self._write(made, form, _owner(options["owner"]))
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise CommandError(f"{file} is not UTF-8: byte {error.start + 1} cannot be read.") from None
        definition = definitions.load_checked(text)
        survey = services.write_survey(definition, team=team_for(_owner(options["owner"]), definition["slug"]))
        facts = {"slug": survey.slug, "state": survey.state, "items": survey.items.count()}
        facts |= {"warnings": self.warn(text_warnings(definitions.drawn_items(definition, version=1)))}
        return f"{survey.slug} is a draft with {facts['items']} questions.", facts

    def _write(self, made: exchange.Conversion, form: str, owner: User) -> tuple[str, dict[str, object]]:
        """Make a draft of another tool's questionnaire; the import report goes to standard error."""
        definition = made.definition
        definition["slug"] = selectors.free_slug(definition["slug"])
        team = team_for(owner, definition["slug"])
        survey = services.write_survey(definition, team=team, unfinished=True)
        for entry in made.report.entries:
            words = " ".join(filter(None, (entry.detail, entry.suggestion)))
            self.stderr.write(f"{entry.outcome}: {entry.place}: {entry.element}{f': {words}' if words else ''}")
        facts = {"slug": survey.slug, "state": survey.state, "items": survey.items.count(), "format": form}
        facts |= {"report": [entry.to_dict() for entry in made.report.entries], "missing": made.missing}
        still = " ".join(
            ["", "Before it can be opened:", *missing_texts(definition, made.missing)] if made.missing else []
        )
        return f"{survey.slug} is a draft with {facts['items']} questions: {made.report.in_words}.{still}", facts


def _format_by_name(file: Path) -> str:
    """Candor's own format for YAML, standard input and unknown endings; else it is found out."""
    known = {suffix for one in exchange.FORMATS.values() for suffix in one.suffixes}
    return exchange.AUTOMATIC if file.suffix.lower() in known else exchange.CANDOR


def _owner(name: str | None) -> User:
    people = User.objects.filter(is_active=True, is_staff=True)
    found = list(people.filter(username=name) if name else people[:2])
    if len(found) != 1:
        names = ", ".join(people.values_list("username", flat=True)) or "none; create one with manage.py create_owner"
        raise CommandError(f"--owner must name one researcher; there are: {names}.")
    return found[0]
