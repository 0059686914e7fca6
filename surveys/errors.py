"""Errors of more than one room of the survey side; those of all apps are in collector/errors.py."""


class BackupError(Exception):
    """A backup that cannot be restored or trusted; the message says what is wrong with it."""


class DeliveryError(Exception):
    """A mail or a webhook that could not be sent; the message says why, without a word of an address or of a server."""
