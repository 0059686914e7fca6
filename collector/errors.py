"""What can be wrong with something a stranger sent, each with the HTTP status that says so."""

RETRY = 5
"""Seconds after which whoever was sent away may try again."""


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
