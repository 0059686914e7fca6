"""The frozen document is parsed in one place, and what is known of a value is said of its type."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
APPS = ("surveys", "estimator", "collector", "randomized_response", "config")
PARSERS = ("collector/designs/", "estimator/exports/bundle_files/", "estimator/exports/analysis_files/")
"""Who reads the JSON of a document: the collector, and the scripts in bundles that need it not."""

MOST_DICTIONARIES = 15
"""What others give or take: the options of a command, the body of a request, the framework's API document."""


def _found(pattern: str, *, without: tuple[str, ...] = ()) -> list[str]:
    paths = (path for app in APPS for path in sorted((ROOT / app).rglob("*.py")))
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    return [name for name, text in texts.items() if not name.startswith(without) for _ in re.findall(pattern, text)]


def test_document_is_indexed_by_its_parser_alone() -> None:
    assert _found(r"\bdocument\[", without=PARSERS) == []


def test_dictionaries_of_anything_stay_few() -> None:
    found = _found(r"dict\[str, Any\]")
    assert len(found) <= MOST_DICTIONARIES, found
