"""The parts of scipy, each imported when it is first named: `from randomized_response import _scipy as scipy`.

A process that computes no estimate loads none, and runs where scipy is not installed.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    part = globals()[name] = import_module(f"scipy.{name}")
    return part
