"""Codes of invitations: random, typed without mistakes, and known to the store by their hash alone."""

import hashlib
import json
import random

from collector.invitations.codes import ALPHABET, RANDOM_SYMBOLS, check_symbol, hash_of, is_code, new_code
from tests.vectors import make_invitations


def test_new_code_is_random_with_valid_check_symbol() -> None:
    codes = {new_code() for _ in range(1000)}
    assert len(codes) == 1000
    assert all(is_code(code) and len(code) == RANDOM_SYMBOLS + 1 for code in codes)
    assert {symbol for code in codes for symbol in code} == set(ALPHABET)


def test_code_with_one_wrong_symbol_is_rejected() -> None:
    code = new_code()
    for place, symbol in enumerate(code):
        for other in set(ALPHABET) - {symbol}:
            assert not is_code(code[:place] + other + code[place + 1 :])


def test_code_with_swapped_neighbours_is_rejected() -> None:
    """Luhn's sum misses the exchange of the first with the last symbol of the alphabet, and no other."""
    code = "".join(random.Random(1).choices(ALPHABET, k=RANDOM_SYMBOLS))
    code += check_symbol(code)
    for place in range(RANDOM_SYMBOLS):
        first, second = code[place : place + 2]
        if first != second and {first, second} != {ALPHABET[0], ALPHABET[-1]}:
            assert not is_code(code[:place] + second + first + code[place + 2 :])


def test_is_code_rejects_malformed_codes() -> None:
    code = new_code()
    assert not any(map(is_code, ("", code[:-1], code + "0", code.upper() if code.upper() != code else "i" * 28)))


def test_code_hash_is_sha256_of_symbols() -> None:
    assert hash_of("0" * 28) == hashlib.sha256(b"0" * 28).digest()


def test_check_symbol_of_known_codes() -> None:
    assert check_symbol("0" * 27) == "0"
    assert check_symbol("0" * 26 + "1") == "y"
    assert check_symbol("0" * 25 + "10") == "z"


def test_invitation_vectors_match_generator() -> None:
    assert json.loads(make_invitations.FILE.read_text(encoding="utf-8")) == make_invitations.made()
