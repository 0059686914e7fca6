import contextlib
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from collector.errors import ValidationError
from surveys.accounts.teams import team_for
from surveys.definition import definitions
from surveys.definition.bounds import LARGEST
from surveys.definition.text_warnings import text_warnings
from surveys.lifecycle import services
from surveys.management.base import STANDARD, SurveyCommand


class Command(SurveyCommand):
    help = "Make a draft from a YAML file, or make the draft of that slug say what the file says."

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the YAML file; - for standard input")
        parser.add_argument("--owner", help="user name of its researcher; needed where there is more than one")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        file: Path = options["file"]
        try:
            text = _read(file).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise CommandError(f"{file} is not UTF-8: byte {error.start + 1} cannot be read.") from None
        definition = definitions.load_checked(text)
        survey = services.write_survey(definition, team=team_for(_owner(options["owner"]), definition["slug"]))
        facts = {"slug": survey.slug, "state": survey.state, "items": survey.items.count()}
        facts |= {"warnings": self.warn(text_warnings(definitions.drawn_items(definition, version=1)))}
        return f"{survey.slug} is a draft with {facts['items']} questions.", facts


def _read(file: Path) -> bytes:
    """The file's content, read no further than a definition's bound."""
    with contextlib.ExitStack() as opened:
        stream = sys.stdin.buffer if file == STANDARD else opened.enter_context(file.open("rb"))
        read = stream.read(LARGEST + 1)
    if len(read) > LARGEST:
        raise ValidationError((), f"{file} must have at most {LARGEST:,} bytes; it has more")
    return read


def _owner(name: str | None) -> User:
    people = User.objects.filter(is_active=True, is_staff=True)
    found = list(people.filter(username=name) if name else people[:2])
    if len(found) != 1:
        names = ", ".join(people.values_list("username", flat=True)) or "nobody: manage.py create_owner makes one"
        raise CommandError(f"--owner must name one researcher; there are: {names}.")
    return found[0]
