"""An environment variable: its name, meaning, format with bounds, default, and the processes that use it."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

LONGEST = 60
"""Characters of a value that an error repeats."""


@dataclass(frozen=True)
class Format(Generic[T]):
    """The format of a value. `parse` raises ValueError for any text that is not what `allowed` says."""

    allowed: str
    """What is allowed, to follow "must be": "a whole number from 1 to 65535"."""

    parse: Callable[[str], T]


@dataclass(frozen=True)
class Variable(Generic[T]):
    """An environment variable. One that is set to an empty text counts as not set."""

    name: str
    section: str
    meaning: str
    format: Format[T]
    default: T
    used_by: tuple[str, ...]
    shown: str = ""
    """The default in words, where it is not a value."""

    secret: bool = False
    """True if no error and no log may repeat the value."""

    def read(self, environment: Mapping[str, str] = os.environ) -> T:
        """Return the value in the environment, or the default. Raises ValueError as `parse` does."""
        text = environment.get(self.name, "")
        return self.parse(text) if text else self.default

    def parse(self, text: str) -> T:
        """Return the value of a text. Raises ValueError that names variable, bounds and, if no secret, text."""
        try:
            return self.format.parse(text)
        except ValueError:
            got = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
            end = ". Its value is a secret and is not repeated here." if self.secret else f"; got {got!r}."
            raise ValueError(f"{self.name} must be {self.format.allowed}{end}") from None
