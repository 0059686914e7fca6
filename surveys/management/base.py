"""Base of the management commands: finding a survey, reporting results, and errors in one sentence.

A command ends with 0 where it did what was asked, with REFUSED where that could not be done, and with USAGE where it
was asked wrongly: trying the same again helps after REFUSED at most.
"""

import json
import os
import secrets
import shutil
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from collector.designs.texts import refused_character
from collector.errors import Conflict, ValidationError
from estimator.base.cells import ExportError, Watch
from surveys.definition.text_warnings import TextWarning
from surveys.errors import BackupError
from surveys.maintenance.schema_version import check_database
from surveys.models import Survey

FAULTS = (Conflict, ValidationError, ExportError, BackupError, OSError)
REFUSED, USAGE = 1, 2
"""Exit codes of a command that failed. The second is argparse's."""

STANDARD = Path("-")
"""The path that means standard input or output."""


def usage_error(message: str) -> CommandError:
    """The command was asked wrongly: an option that is out of its range, or two that do not fit."""
    return CommandError(message, returncode=USAGE)


class SurveyCommand(BaseCommand):
    """A command that answers in text, or with `--json` in one JSON object, and fails with one clear sentence."""

    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        self.add_options(parser)

    def add_options(self, parser: ArgumentParser) -> None:
        """Add the command's arguments."""
        parser.add_argument("slug", help="link name of the survey")

    def handle(self, *args: Any, **options: Any) -> None:
        # What is written to standard output is the file alone.
        out = self.stderr if options.get("output") == STANDARD else self.stdout
        try:
            _require_plain(options)
            sentence, facts = self._done(options)
        except CommandError as fault:
            if options["json"]:
                out.write(json.dumps({"error": str(fault), "exit": fault.returncode}))
            raise
        out.write(json.dumps(facts) if options["json"] else sentence)

    def warn(self, warnings: Iterable[TextWarning]) -> list[str]:
        """Print warnings of a survey's texts on standard error; returns the sentences, for the JSON output."""
        sentences = [one.in_words for one in warnings]
        for sentence in sentences:
            self.stderr.write(f"Warning: {sentence}")
        return sentences

    def _done(self, options: dict[str, object]) -> tuple[str, dict[str, object]]:
        try:
            check_database()
            return self.act(**options)
        except FAULTS as error:
            raise CommandError(str(error), returncode=REFUSED) from error

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        """Run the command; returns the result as a sentence and as data."""
        raise NotImplementedError


def _require_plain(options: dict[str, object]) -> None:
    """Reject invisible characters in anything that was typed, file names too."""
    for name, value in options.items():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, str | Path) and (unseen := refused_character(str(part), lines=False)):
                raise usage_error(f"{name} {unseen.in_words}.")


def find_survey(slug: str) -> Survey:
    """The survey with this slug; raises CommandError, which names the known ones."""
    survey = Survey.objects.filter(slug=slug).first()
    if survey is None:
        known = ", ".join(Survey.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no survey {slug!r}; there are: {known}.")
    return survey


@contextmanager
def show_progress(words: str) -> Iterator[Watch]:
    """A progress bar on standard error for work that reports its progress; none without a terminal."""
    with tqdm(total=100, desc=words, unit="%", leave=False, disable=None) as bar:

        def watch(part: float) -> None:
            bar.update(max(0, round(100 * part) - bar.n))

        yield watch


def read_content(path: Path, most: int) -> bytes:
    """The content of a file, read no further than its bound in bytes; `-` is standard input.

    Raises ValidationError where it has more.
    """
    with ExitStack() as opened:
        stream = sys.stdin.buffer if path == STANDARD else opened.enter_context(path.open("rb"))
        content = stream.read(most + 1)
    if len(content) > most:
        raise ValidationError((), f"{path} must have at most {most:,} bytes; got more")
    return content


@contextmanager
def output_file(path: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """Write a file completely and to disk, or leave it unchanged; `-` is standard output.

    Parameters
    ----------
    path : Path
        What is there is replaced, where it is a file.
    private : bool
        Whether its owner alone may read it.

    Raises
    ------
    CommandError
        Where something else than a file has this name.
    """
    if path == STANDARD:
        with tempfile.TemporaryFile() as file:
            yield file
            file.seek(0)
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        return
    target = path.resolve()
    if target.exists() and not target.is_file():
        raise CommandError(f"{path} is not a file; name a file, or - for standard output.")
    draft = target.with_name(f".{target.name[:128]}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    folder = os.open(target.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
