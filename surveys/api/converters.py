"""The digests of designs in addresses: anything else is no address, and reaches no database."""


class DigestConverter:
    """64 hex digits: a SHA-256."""

    regex = "[0-9a-f]{64}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value
