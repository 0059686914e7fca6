"""Reading the body of a request: JSON that can be kept, or a 400 that says what is wrong with it."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class Parser(JSONParser):
    """JSON as RFC 8259 has it, without what no database can keep: NUL, and halves of characters."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            read = super().parse(stream, media_type, parser_context)
            _require_texts(read)
        except RecursionError:
            raise ParseError("The body holds too many things within each other.") from None
        return read


def _require_texts(value: Any) -> None:
    if isinstance(value, str):
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            raise ParseError("A text of the body holds a NUL, or half a character (U+D800 to U+DFFF).")
    elif isinstance(value, Mapping):
        for name, part in value.items():
            _require_texts(name)
            _require_texts(part)
    elif isinstance(value, list):
        for part in value:
            _require_texts(part)
