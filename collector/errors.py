"""What can be wrong with something a stranger sent, each with the HTTP status that says so."""


class Refusal(Exception):
    """A report that is not stored. `message` names the field, the bound and the value."""

    status = 422

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


class Malformed(Refusal):
    """The body is not a report of the design that it names."""

    status = 422


class UnknownDesign(Refusal):
    """No design of this survey takes reports under that digest."""

    status = 404


class NonceTaken(Refusal):
    """The nonce belongs to another report, which stays."""

    status = 409


class Closed(Refusal):
    """The design takes no reports any more."""

    status = 410


class TooLarge(Refusal):
    status = 413


class NotJson(Refusal):
    status = 415


class NotForm(Refusal):
    status = 415


class ForeignOrigin(Refusal):
    status = 403
