"""Words that everybody who knows the site would try first in a password."""

import re
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

FEWEST = 12
"""Characters that a password has besides such words."""
SHORTEST = 4
"""Letters of a word that is worth guessing; shorter ones of the site's address are left alone."""
OF_THE_PRODUCT = ("candor",)


class NoWordsOfTheSite:
    """Password validator: the name of the product and the parts of the site's address do not count as characters."""

    def validate(self, password: str, user: Any = None) -> None:
        """Raise ValidationError unless enough is left without these words."""
        left = re.sub("|".join(map(re.escape, words())), "", password, flags=re.IGNORECASE)
        if len(left) < FEWEST:
            raise ValidationError(self.get_help_text())

    def get_help_text(self) -> str:
        said = gettext("Besides the words {words} your password must have at least {fewest} characters.")
        return said.format(words=", ".join(words()), fewest=FEWEST)


def words() -> list[str]:
    """The product's name, and the parts of the addresses of the site, the longest first."""
    hosts = {urlsplit(url).hostname or "" for url in (settings.CANDOR_URL, settings.CANDOR_RESPONDENT_URL)}
    parts = {part for host in hosts for part in re.split(r"[^a-z]+", host.lower()) if len(part) >= SHORTEST}
    return sorted({*OF_THE_PRODUCT, *parts}, key=lambda word: (-len(word), word))
