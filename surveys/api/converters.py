"""URL converter for the digests of designs: any other value matches no URL, and reaches no database."""


class DigestConverter:
    """URL converter for a SHA-256: 64 hex digits."""

    regex = "[0-9a-f]{64}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value
