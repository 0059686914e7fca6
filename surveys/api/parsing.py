"""Parsing of request bodies: JSON that can be stored, or a 400 that names the error."""

import codecs
import json
import math
from collections import Counter
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from collector.designs.texts import find_refused_character


class Parser(JSONParser):
    """JSON of RFC 8259 without invisible or unstorable characters (collector/designs/texts.py)."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            text = codecs.getreader("utf-8")(stream)
            read = json.load(text, parse_constant=_finite, parse_float=_finite, object_pairs_hook=_once)
            unseen = next(find_refused_character(read), None)
        except ValueError as fault:
            raise ParseError(f"JSON parse error - {fault}") from None
        except RecursionError:
            raise ParseError("The body is nested too deeply.") from None
        if unseen:
            # Only here: the module of problems needs REST framework's views, which need this parser.
            from surveys.api.problems import Problem, error

            place, found = unseen
            words = f"{place} {found.in_words}."
            unkept = found.character == "\0" or "\ud800" <= found.character <= "\udfff"  # by no database
            raise Problem(400 if unkept else 422, words, [error(place, words)])
        return read


def _finite(number: str) -> float:
    """Reject 1e999: as infinity no reply could quote and no database store it."""
    read = float(number)
    if not math.isfinite(read):
        raise ValueError(f"{number[:20]} is not a finite number")
    return read


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Reject a repeated key, because one of its values would be lost."""
    read = dict(pairs)
    if len(read) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {twice[:100]!r} occurs twice")
    return read
