"""What can be wrong with what others wrote or sent."""

from collections.abc import Sequence

RETRY = 5
"""Seconds after which whoever was sent away may try again."""

LONGEST_SENTENCE = 1_000
"""Characters: the value that a message quotes may be a whole file."""

Path = tuple[str | int, ...]
"""Where a value stands in a document, from outside in: ("items", 2, "choices")."""


class ValidationError(ValueError):
    """A value of a document that cannot be used; `str` is a sentence with the place, the bound and the value.

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
        super().__init__(message)
        self.path, self.message, self.code, self.keys = path, message, code, tuple(keys)
        self.line = self.column = 0

    def __str__(self) -> str:
        return _short((f"line {self.line}: " if self.line else "") + self.sentence(self.path))

    def sentence(self, place: Path) -> str:
        """The sentence as it reads at `place`, which may leave out what a reader knows of the path."""
        if not place:
            return _short(self.message.removeprefix(": "))
        return _short(written(place) + ("" if self.message.startswith(":") else " ") + self.message)

    def below(self, *before: str | int) -> "ValidationError":
        """The same error in a document that holds this one at a path."""
        return ValidationError((*before, *self.path), self.message, code=self.code, keys=self.keys)


class InputError(ValidationError):
    """A field of a form, a request or a command that cannot be used, and the whole sentence that says why."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__((field,), message)
        self.field = field

    def sentence(self, place: Path) -> str:
        return self.message


def written(path: Path) -> str:
    """A path as people write it: items[2].choices."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST_SENTENCE else f"{sentence[:LONGEST_SENTENCE]} ..."


class Conflict(Exception):
    """What is stored is in no state for this; the message says which it is in and which it would need."""


class RequestRefused(Exception):
    """A request of a stranger that is not answered as asked: the HTTP status, the field and what is wrong with it."""

    def __init__(self, status: int, field: str, message: str, *, retry: int | None = None, **details: int) -> None:
        """`retry`: in how many seconds it is worth another try; `details`: what else the sender is told."""
        super().__init__(message)
        self.status, self.field, self.message = status, field, message
        self.retry, self.details = retry, details

    @property
    def said(self) -> dict[str, str | int]:
        """What the sender is told."""
        return {"field": self.field, "message": self.message, **self.details}


def not_invited(field: str = "invitation") -> RequestRefused:
    """What came as an invitation, or a code for one, is none that can be used; one sentence for whatever is wrong."""
    message = f"This {field} cannot be used: it is not one of this survey's, or it was used before."
    return RequestRefused(403, field, message)


def not_stored() -> RequestRefused:
    """The refusal of a report that may be sent again as it is."""
    return RequestRefused(503, "report", "The report could not be stored now. Please try again.", retry=RETRY)
