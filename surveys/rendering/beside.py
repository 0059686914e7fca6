"""What stands beside the questions of a page, in one language: headings, texts, pictures and the logo."""

import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypedDict

from collector.designs import Before, Design, Item, Picture
from surveys.definition.languages import address_of


class PictureTexts(TypedDict):
    """A picture with its alternative text in one language; `name` is the last part of its address."""

    name: str
    width: int
    height: int
    alternative: str


class BeforeTexts(TypedDict):
    """What stands before a question, in one language."""

    heading: str
    paragraphs: list[str]
    picture: PictureTexts | None


class LogoTexts(TypedDict):
    """What stands above the title of every page of a survey."""

    logo: PictureTexts | None
    pictures_address: str


@dataclass(frozen=True)
class ShownChoice:
    """The words of a choice, beside which a picture may stand."""

    words: str
    picture: PictureTexts | None = None

    def __str__(self) -> str:
        return self.words


def has_beside(design: Design) -> bool:
    """Whether a text or a picture stands beside a question, or a logo above all."""
    return bool(design.pictures) or any(item.before for item in design.items)


def logo_in(design: Design, language: str, address: str = "") -> LogoTexts:
    """The logo in one language, if there is one, and the beginning of all pictures' addresses, the same in each."""
    logo = picture_in(design.look.logo, language) if design.look.logo else None
    return {"logo": logo, "pictures_address": address or f"{address_of('respond', design, design.language)}pictures/"}


def before_in(before: Before | None, language: str) -> BeforeTexts | None:
    """What stands before a question in one language, its text by paragraphs; None if nothing does."""
    if before is None:
        return None
    words = before.text[language] if before.text else ""
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", words) if part.strip()]
    heading = before.heading[language] if before.heading else ""
    picture = picture_in(before.picture, language) if before.picture else None
    return {"heading": heading, "paragraphs": paragraphs, "picture": picture}


def shown_choices(item: Item, language: str) -> list[ShownChoice]:
    """The choices of a question in one language."""
    pictures = [picture_in(picture, language) if picture else None for picture in item.choice_pictures]
    return [ShownChoice(choice[language], picture) for choice, picture in zip_longest(item.choices, pictures)]


def picture_in(picture: Picture, language: str) -> PictureTexts:
    """A picture with its alternative text in one language."""
    alternative = picture.alternative[language]
    return {"name": picture.name, "width": picture.width, "height": picture.height, "alternative": alternative}
