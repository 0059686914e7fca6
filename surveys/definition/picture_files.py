"""Pictures within a definition's file, as base64, and the parts that show them."""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext

from collector.errors import Path, ValidationError
from surveys.definition.bounds import MOST_ENTRIES
from surveys.definition.pictures import CleanPicture, clean_picture
from surveys.definition.validation import known_keys, text

NAMED = {"digest", "type", "width", "height", "alternative"}


def read_pictures(raw: object) -> dict[str, CleanPicture]:
    """The pictures of a file by the names that it gives them. Raises ValidationError."""
    if not isinstance(raw, dict) or len(raw) > MOST_ENTRIES:
        got = gettext("{count} entries").format(count=len(raw)) if isinstance(raw, dict) else type(raw).__name__
        raise ValidationError(
            ("pictures",),
            gettext("must be an object of at most {most} names with base64; got {got}").format(
                most=MOST_ENTRIES, got=got
            ),
        )
    found = {}
    for name, written in raw.items():
        path: Path = ("pictures", str(name))
        try:
            content = b64decode("".join(written.split()), validate=True) if isinstance(written, str) else b""
        except (binascii.Error, ValueError):
            content = b""
        if not content:
            raise ValidationError(path, gettext("must be a picture in base64"))
        try:
            found[str(name)] = clean_picture(content)
        except ValidationError as error:
            raise ValidationError(path, error.message) from None
    return found


def complete_picture(
    written: object, languages: list[str], path: Path, pictures: Mapping[str, CleanPicture]
) -> dict[str, object]:
    """A picture that a definition shows, with its alternative text. `pictures`: of its file, by their names."""
    parts = known_keys(written, {"file", *NAMED}, path)
    return {**_named(parts, pictures, path), "alternative": text(parts.get("alternative", ""), languages)}


def _named(written: Mapping[str, object], pictures: Mapping[str, CleanPicture], path: Path) -> dict[str, object]:
    """The picture of this `file`, or as another file has it, without its alternative text."""
    name = str(written.get("file") or written.get("digest", ""))
    if name in pictures:
        return pictures[name].to_dict()
    if "file" in written:
        known = ", ".join(sorted(pictures)) or "none"
        raise ValidationError(
            (*path, "file"),
            gettext("must be one of the file's pictures ({known}); got {name!r:.80}").format(known=known, name=name),
        )
    return {part: written.get(part) for part in ("digest", "type", "width", "height")}


def encoded(pictures: Iterable[CleanPicture]) -> dict[str, str]:
    """Pictures as a file has them, by their digests."""
    return {picture.digest: b64encode(picture.content).decode() for picture in pictures}


def pictures_in(definition: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Every picture that a definition shows, with its path."""
    if logo := definition.get("look", {}).get("logo"):
        yield ("look", "logo"), logo
    for number, item in enumerate(definition["items"]):
        if picture := item.get("before", {}).get("picture"):
            yield ("items", number, "before", "picture"), picture
        for place, shown in enumerate(item.get("choice_pictures", [])):
            if shown:
                yield ("items", number, "choice_pictures", place), shown
