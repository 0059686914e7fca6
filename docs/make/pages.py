"""The pages of docs/reference that are written from the code, each with the function that makes its text."""

from collections.abc import Callable
from pathlib import Path

from docs.make import commands, endpoints, errors, files, functions, survey_file

REFERENCE = Path(__file__).resolve().parents[1] / "reference"

PAGES: dict[str, Callable[[], str]] = {
    "endpoints.md": endpoints.text,
    "errors.md": errors.text,
    "files.md": files.text,
    "library/functions.md": functions.text,
    "options.md": commands.text,
    "survey-keys.md": survey_file.text,
}
