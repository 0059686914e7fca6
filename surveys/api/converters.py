"""URL converter for the digests of designs: any other value matches no URL, and reaches no database."""

from django.urls.converters import StringConverter


class DigestConverter(StringConverter):
    """URL converter for a SHA-256: 64 hex digits."""

    regex = "[0-9a-f]{64}"
