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


class Refusal(Exception):
    """A report that is not stored. `message` names the field, the bound and the value."""

    status = 422

    def __init__(self, field: str, message: str, *, retry: int | None = None) -> None:
        """`retry`: in how many seconds it is worth another try, where it is."""
        super().__init__(message)
        self.field = field
        self.message = message
        self.retry = retry

    @property
    def said(self) -> dict[str, str | int]:
        """What the sender is told."""
        return {"field": self.field, "message": self.message}


class Malformed(Refusal):
    """The body is not a report of the design that it names."""

    status = 422


class UnknownDesign(Refusal):
    """No design of this survey takes reports under that digest."""

    status = 404


class NonceTaken(Refusal):
    """The nonce belongs to another report, which stays."""

    status = 409


class NotInvited(Refusal):
    """What came as an invitation is none that can be used; one sentence for whatever is wrong with it."""

    status = 403

    def __init__(self) -> None:
        super().__init__(
            "invitation",
            "This invitation cannot be used: it is not one of this survey's, or it was used before.",
        )


class Closed(Refusal):
    """The design takes no reports any more."""

    status = 410


class TooLarge(Refusal):
    status = 413


class NotJson(Refusal):
    status = 415


class NotForm(Refusal):
    status = 415


class OddType(Refusal):
    """The body is said to be in another encoding than UTF-8."""

    status = 415


class ForeignOrigin(Refusal):
    status = 403


class ForeignHost(Refusal):
    """The request names a host that is not ours."""

    status = 400


class Incomplete(Refusal):
    """The body ended before its length."""

    status = 400


class TooSlow(Refusal):
    """The body was not there by its deadline."""

    status = 408


class NoLength(Refusal):
    status = 411


class TooMany(Refusal):
    """One of the limits is reached."""

    status = 429


class NoWork(TooMany):
    """The survey asks for work, and the report came without its own."""

    def __init__(self, bits: int) -> None:
        """`bits`: with how many zero bits the sum must begin."""
        sentence = f"This survey takes a report together with a sum that begins with {bits} zero bits."
        super().__init__("Candor-Work", sentence)
        self.bits = bits

    @property
    def said(self) -> dict[str, str | int]:
        return super().said | {"bits": self.bits}


class Unavailable(Refusal):
    """It could not be stored now, through no fault of whoever sent it."""

    status = 503


def not_stored() -> Unavailable:
    """The refusal of a report that may be sent again as it is."""
    return Unavailable("report", "The report could not be stored now. Please try again.", retry=RETRY)
