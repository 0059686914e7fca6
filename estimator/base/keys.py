"""The keys of runs and analyses in addresses: anything else is no address, and reaches no database."""

from django.urls import register_converter

LENGTH = 32


class KeyConverter:
    """32 hex digits, as `jobs.new_key` makes them."""

    regex = f"[0-9a-f]{{{LENGTH}}}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(KeyConverter, "key")
