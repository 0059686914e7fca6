"""URL converter for the keys of runs and analyses: invalid keys never reach the database."""

from django.urls import register_converter
from django.urls.converters import StringConverter

LENGTH = 32


class KeyConverter(StringConverter):
    """URL converter for 32 hex digits, as `jobs.new_key` generates them."""

    regex = f"[0-9a-f]{{{LENGTH}}}"


register_converter(KeyConverter, "key")
