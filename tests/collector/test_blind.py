"""Tokens at the door: what our key signed blindly is taken as one token, and of a thousand forgeries none."""

import base64
import hashlib
from collections.abc import Iterator
from random import Random

import pytest

from collector.errors import RequestRefused
from collector.invitations import tokens as blind
from tests.tools import blind as client
from tests.tools.refusals import refuses

MODULUS = client.key().public_numbers.n


@pytest.fixture(scope="module")
def tokens() -> list[bytes]:
    """Six tokens as bytes: message, randomizer and signature of each."""
    source = Random(9474)
    return [base64.urlsafe_b64decode(client.issued(source) + "==") for _ in range(6)]


def taken(data: bytes, modulus: str = "") -> bool:
    try:
        blind.read(base64.urlsafe_b64encode(data).rstrip(b"=").decode(), modulus or client.modulus_of(client.key()))
    except RequestRefused as refusal:
        if refusal.status != 403:
            raise
        return False
    return True


def test_blind_token_reads_as_hash_of_signed_message(tokens: list[bytes]) -> None:
    for data in tokens:
        text = base64.urlsafe_b64encode(data).rstrip(b"=").decode()
        assert blind.read(text, client.modulus_of(client.key())) == hashlib.sha256(data[:64]).digest()


def test_blind_message_signed_twice_is_one_token() -> None:
    """Whoever fetches one message twice, with another salt, has two signatures and one invitation."""
    source = Random(1)
    first = client.Fetching(MODULUS, source)
    salt, factor = source.randbytes(48), source.randrange(2, MODULUS)
    again = client.blind(first.randomizer + first.message, MODULUS, salt, factor)
    signed = client.finalize(pow(again, client.key().d, MODULUS), MODULUS, factor)
    second = client.token_of(first.message, first.randomizer, signed)
    one = first.token(f"{pow(int(first.blinded, 16), client.key().d, MODULUS):0768x}")
    assert one != second
    assert len({blind.read(token, client.modulus_of(client.key())) for token in (one, second)}) == 1


def test_blind_token_other_spellings_are_rejected(tokens: list[bytes]) -> None:
    token = base64.urlsafe_b64encode(tokens[0]).rstrip(b"=").decode()
    modulus = client.modulus_of(client.key())
    spare = [token[:-1] + symbol for symbol in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"]
    others = [token + "==", token + "\n", " " + token[1:], token.replace("-", "+").replace("_", "/") + "=", token[:-2]]
    for text in [*(set(spare) - {token}), *others, "", "é" * 598, "٣" * 598]:
        with refuses(403):
            blind.read(text, modulus)


def forged(tokens: list[bytes], source: Random) -> Iterator[bytes]:
    """Without end: tokens that nobody was given, made of some that were."""
    key, stranger = client.key().public_numbers.n, client.key("stranger")
    while True:
        one, other = source.sample(tokens, 2)
        flipped = bytearray(one)
        flipped[source.randrange(len(one))] ^= 1 << source.randrange(8)
        yield bytes(flipped)
        yield source.randbytes(32) + one[32:]
        yield one[:32] + other[32:64] + one[64:]
        yield one[32:64] + one[:32] + one[64:]
        yield one[:64] + other[64:]
        yield one[:64] + _bytes(client.key().public_numbers.n - _number(one))
        first, second = _number(one), _number(other)
        yield one[:64] + _bytes(first * second % key)
        yield source.randbytes(64) + _bytes(first * pow(second, -1, key) % key)
        yield source.randbytes(64) + _bytes(pow(first, source.randrange(2, 99), key))
        chosen = source.randrange(2, key)  # the signature first, whatever it may then be one of
        yield hashlib.sha384(_bytes(pow(chosen, 65537, key))).digest() + source.randbytes(16) + _bytes(chosen)
        encoded = client.encode(one[32:64] + one[:32], 3071, source.randbytes(48))
        yield one[:64] + encoded
        yield base64.urlsafe_b64decode(client.issued(source, stranger) + "==") if source.random() < 0.05 else bytes(448)
        yield one[:64] + _bytes(first + key) if first + key < 1 << 3072 else one[:64] + _bytes(0)


def test_blind_token_forgeries_are_rejected(tokens: list[bytes]) -> None:
    source = Random(8)
    made = set()
    for data in forged(tokens, source):
        made.add(data)
        if len(made) == 1000:
            break
    assert all(taken(data) for data in tokens)
    assert sum(taken(data) for data in made - set(tokens)) == 0


def test_blind_token_of_another_key_is_rejected(tokens: list[bytes]) -> None:
    theirs = client.modulus_of(client.key("stranger"))
    assert not taken(tokens[0], theirs)
    data = base64.urlsafe_b64decode(client.issued(Random(2), client.key("stranger")) + "==")
    assert taken(data, theirs)
    assert not taken(data)


def _number(token: bytes) -> int:
    return int.from_bytes(token[64:], "big")


def _bytes(number: int) -> bytes:
    return number.to_bytes(384, "big")
