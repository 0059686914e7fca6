"""Why a job failed is stored in English, and shown in the reader's language."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from estimator.base.languages import activated
from surveys.labels import FAULTS, translated_fault

ROOT = Path(__file__).parents[2]
WORKERS = (
    *("estimator/exports/microdata.py", "estimator/exports/services.py", "estimator/exports/workbook.py"),
    *("surveys/outreach/mail_delivery.py", "surveys/outreach/webhooks/sending.py"),
    "surveys/outreach/webhooks/services.py",
)
"""The modules whose texts a worker stores."""


def stored_texts(path: Path) -> Iterator[str]:
    """The texts of a module's errors, and of what it stores as `fault`."""
    for node in ast.walk(ast.parse(path.read_text())):
        named = isinstance(node, ast.Call) and ast.unparse(node.func) in ("ExportError", "DeliveryError", "_fail")
        if named or (isinstance(node, ast.Assign | ast.AugAssign) and "fault" in ast.unparse(node)):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Call) and ast.unparse(inner.func) == "gettext":
                    yield ast.literal_eval(inner.args[0])


@pytest.mark.parametrize("module", WORKERS)
def test_texts_of_workers_are_listed(module: str) -> None:
    found = set(stored_texts(ROOT / module))
    assert found or module.endswith("services.py")
    assert found <= set(FAULTS)


@pytest.mark.parametrize("text", FAULTS)
def test_stored_texts_are_shown_in_german(text: str) -> None:
    stored = re.sub(r"\{\w+(:[^}]*)?\}", lambda place: "1,200" if place[1] == ":,}" else "7", text)
    with translation.override("de"):
        shown = translated_fault(stored)
    assert shown != stored
    assert "{" not in shown
    assert translated_fault(stored) == stored


def test_values_keep_their_text_and_numbers_take_the_readers_separators() -> None:
    with activated("de"):
        assert translated_fault("The computation ended with MemoryError.") == "Die Berechnung endete mit MemoryError."
        assert "1.048.575 Zeilen" in translated_fault(
            "A sheet has 1,048,575 rows at most, and estimates needs more; take the JSON file."
        )


def test_unknown_text_stays_as_it_is() -> None:
    with translation.override("de"):
        assert translated_fault("Killed by the operator.") == "Killed by the operator."
