"""Errors in documents and requests."""

import re
from collections.abc import Sequence

from django.utils.translation import gettext

RETRY = 5
"""Seconds after which a refused sender may try again."""

LONGEST_SENTENCE = 1_000
"""Maximum characters of a message: the quoted value may be a whole file."""

NOTHING = re.compile(r"; [^;]+ None(Type)?$")
"""How a message ends whose value is not there: "; got None"."""

Path = tuple[str | int, ...]
"""The path of a value in a document, from outside in: ("items", 2, "choices")."""


class ValidationError(ValueError):
    """An invalid value of a document; `str` is a sentence with the path, the bound and the value.

    Attributes
    ----------
    path : tuple of str and int
        Where the value stands.
    message : str
        What is wrong with it, as the sentence goes on behind its place: "must be a list; got 3", or ": ..." for a
        sentence of its own.
    code : str
        What kind of error it is: "invalid", "required", "duplicate".
    keys : tuple of str
        Keys at that place that are unknown, missing or doubled; the argument of a mechanism.
    line, column : int
        Where it stands in a text, from 1; 0 where the document was not read from one.
    """

    def __init__(self, path: Path, message: str, *, code: str = "invalid", keys: Sequence[str] = ()) -> None:
        message = NOTHING.sub(gettext("; it is empty"), message)
        super().__init__(message)
        self.path, self.message, self.code, self.keys = path, message, code, tuple(keys)
        self.line = self.column = 0

    def __str__(self) -> str:
        return _short((f"line {self.line}: " if self.line else "") + self.sentence(self.path))

    def sentence(self, place: Path) -> str:
        """The message with `place` as the path, which may omit parts known to the reader."""
        if not place:
            return _short(self.message.removeprefix(": "))
        return _short(written(place) + ("" if self.message.startswith(":") else " ") + self.message)

    def below(self, *before: str | int) -> "ValidationError":
        """The same error in an outer document that holds this one at a path."""
        return ValidationError((*before, *self.path), self.message, code=self.code, keys=self.keys)


class InputError(ValidationError):
    """An invalid field of a form, a request or a command, with a full sentence that gives the reason."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__((field,), message)
        self.field = field

    def sentence(self, place: Path) -> str:
        return self.message


def written(path: Path) -> str:
    """Format a path for messages: items[2].choices."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST_SENTENCE else f"{sentence[:LONGEST_SENTENCE]} ..."


class Conflict(Exception):
    """Error: stored data is in a state that does not allow this; the message names it and the state required."""


class RequestRefused(Exception):
    """An untrusted request that is refused: the HTTP status, the field and what is wrong with it."""

    def __init__(self, status: int, field: str, message: str, *, retry: int | None = None, **details: int) -> None:
        """`retry`: seconds until another attempt is worthwhile; `details`: further fields of the response."""
        super().__init__(message)
        self.status, self.field, self.message = status, field, message
        self.retry, self.details = retry, details

    def to_dict(self) -> dict[str, str | int]:
        """The error details sent in the response."""
        return {"field": self.field, "message": self.message, **self.details}


def not_invited(field: str = "invitation") -> RequestRefused:
    """The refusal of an invalid invitation, or of an invalid code for one; one message covers every reason."""
    message = f"This {field} cannot be used: it is not one of this survey's, or it was used before."
    return RequestRefused(403, field, message)


def not_stored() -> RequestRefused:
    """The refusal of a report that may be sent again unchanged."""
    return RequestRefused(503, "report", "The report could not be stored now. Please try again.", retry=RETRY)
