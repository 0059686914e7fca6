"""Passwords: what everybody who knows the site would guess does not count."""

from typing import Any

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from surveys.accounts import passwords


@pytest.fixture(autouse=True)
def address(settings: Any) -> None:
    settings.CANDOR_URL = "https://umfrage.uni-marburg.example"
    settings.CANDOR_RESPONDENT_URL = "https://antworten.uni-marburg.example"


def test_words_are_the_product_s_and_the_address_s() -> None:
    assert passwords.words() == ["antworten", "example", "marburg", "umfrage", "candor"]


@pytest.mark.parametrize("password", ["Candor-Marburg-2026", "umfrageumfrage12", "ANTWORTEN!candor!1"])
def test_words_of_the_site_do_not_count_in_a_password(password: str) -> None:
    with pytest.raises(ValidationError, match="Besides the words antworten, example, marburg, umfrage, candor your"):
        validate_password(password)


@pytest.mark.parametrize("password", ["a marburg passphrase of mine", "unia unib unic unid"])
def test_enough_besides_them_is_accepted(password: str) -> None:
    validate_password(password)
