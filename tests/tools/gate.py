"""What of a test's parameters the gate runs, and what `make test-long`."""

from collections.abc import Iterable
from typing import Any

import pytest

PARAMETERS = type(pytest.param())


def few(values: Iterable[Any], kept: slice = slice(1)) -> list[Any]:
    """The parameters of a test, of which all but those of this slice have the mark `long`; a tuple is a set of them."""
    every = [
        one if isinstance(one, PARAMETERS) else pytest.param(*one if isinstance(one, tuple) else (one,))
        for one in values
    ]
    stay = set(range(len(every))[kept])
    return [one if at in stay else one._replace(marks=[*one.marks, pytest.mark.long]) for at, one in enumerate(every)]
