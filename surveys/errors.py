"""Errors of more than one room."""


class NotAllowed(Exception):
    """The survey is in no state for this; the message says which it is in and which it would need."""
