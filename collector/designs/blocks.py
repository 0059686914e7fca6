"""What a frozen design may show besides its questions: texts and pictures before them, pictures of options."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Self

from django.utils.translation import gettext

from collector.designs.checks import exact_keys, listed, one_of, require, text, whole
from collector.errors import Path

Text = Mapping[str, str]
"""A text in each of the design's languages."""


DIGEST = re.compile("[0-9a-f]{64}")
PICTURE_TYPES = ("png", "jpg", "webp")
LONGEST_SIDE = 2000
"""Maximum width and height of a picture in points."""

LONGEST_CHOICE_SIDE = 800
"""The same of a picture of an option, of which several stand together."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, named by the SHA-256 of its bytes, so that the design's digest covers it."""

    digest: str
    type: str
    width: int
    height: int
    alternative: Text

    @property
    def name(self) -> str:
        """The last part of its address."""
        return f"{self.digest}.{self.type}"


@dataclass(frozen=True, slots=True)
class Before:
    """A heading, a text and a picture above a question, of which some may be missing. They are shown where it is."""

    heading: Text | None
    text: Text | None
    picture: Picture | None

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Self:
        picture = written.get("picture")
        return cls(written.get("heading"), written.get("text"), picture and Picture(**picture))


def check_before(value: object, languages: Collection[str], path: Path) -> None:
    """Validate what stands before a question."""
    parts = exact_keys(value, (), path, optional=("heading", "text", "picture"))
    require(parts, path, gettext("must have a heading, a text or a picture"))
    for name, part in parts.items():
        if name == "picture":
            check_picture(part, languages, (*path, name))
        else:
            text(part, (*path, name), languages)


def check_choice_pictures(value: object, choices: int, languages: Collection[str], path: Path) -> None:
    """Validate the pictures of a question's choices: null for a choice without one."""
    pictures = listed(value, path)
    require(
        len(pictures) == choices,
        path,
        gettext("must have {choices} entries, one for each choice; got {count}").format(
            choices=choices, count=len(pictures)
        ),
    )
    require(any(pictures), path, gettext("must have at least one picture"))
    for number, picture in enumerate(pictures):
        if picture is not None:
            check_picture(picture, languages, (*path, number), longest=LONGEST_CHOICE_SIDE)


def check_picture(value: object, languages: Collection[str], path: Path, *, longest: int = LONGEST_SIDE) -> None:
    """Validate a picture's name, size and alternative text."""
    picture = exact_keys(value, {"digest", "type", "width", "height", "alternative"}, path)
    digest = picture["digest"]
    fits = isinstance(digest, str) and DIGEST.fullmatch(digest)
    require(
        fits, (*path, "digest"), gettext("must be a SHA-256 as 64 hex digits; got {digest!r}").format(digest=digest)
    )
    one_of(picture["type"], PICTURE_TYPES, (*path, "type"), gettext("png, jpg or webp"))
    for name in ("width", "height"):
        whole(picture[name], (*path, name), low=1, high=longest)
    text(picture["alternative"], (*path, "alternative"), languages)
