"""URL converter for the keys of runs and analyses: invalid keys never reach the database."""

from django.urls import register_converter

LENGTH = 32


class KeyConverter:
    """URL converter for 32 hex digits, as `jobs.new_key` generates them."""

    regex = f"[0-9a-f]{{{LENGTH}}}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(KeyConverter, "key")
