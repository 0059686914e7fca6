"""Remembered tickets against their vectors: a draw for each answer, as the rule that was written a second time says."""

import json
from pathlib import Path

from tests.tools.client import run_in_node
from tests.vectors.make_remembered import TARGET

SCRIPT = Path(__file__).with_name("recalled.mjs")


def differences(client: Path) -> list[str]:
    """One text for each case in which the client of that folder does not send the vector's symbols."""
    vectors = json.loads(TARGET.read_text(encoding="utf-8"))
    sent = run_in_node(SCRIPT, vectors, client=client)
    found = [
        f"recalled report to {vectors['items'][place]['key']}, answer {answer}: {mine}, not {symbols}"
        for (place, _, answer, symbols), mine in zip(vectors["cases"], sent["cases"], strict=True)
        if mine != symbols
    ]
    pairs = zip(vectors["wrong"], sent["wrong"], strict=True)
    return found + [f"recalled report that is of {reason}" for (*_, symbols, reason), mine in pairs if mine == symbols]
