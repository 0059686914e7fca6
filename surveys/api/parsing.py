"""Reading the body of a request: JSON that can be kept, or a 400 that says what is wrong with it."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from collector.texts import refused_within


class Parser(JSONParser):
    """JSON as RFC 8259 has it, without what cannot be seen or kept (collector/texts.py)."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            read = super().parse(stream, media_type, parser_context)
            unseen = next(refused_within(read), None)
        except RecursionError:
            raise ParseError("The body holds too many things within each other.") from None
        if unseen:
            # Only here: the module of problems needs REST framework's views, which need this parser.
            from surveys.api.problems import Problem, error

            place, found = unseen
            said = f"{place} {found.in_words}."
            unkept = found.character == "\0" or "\ud800" <= found.character <= "\udfff"  # by no database
            raise Problem(400 if unkept else 422, said, [error(place, said)])
        return read
