"""Blind RSA as RFC 9474 states it, a second time and apart from what is shipped: the client, and a key to sign with."""

import base64
import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from cryptography.hazmat.primitives.asymmetric import rsa

EXPONENT = 65537
HASH = 48
KEYS = Path(__file__).parents[1] / "vectors" / "keys.json"


@cache
def key(name: str = "ours") -> rsa.RSAPrivateNumbers:
    """A key of 3,072 bits that protects nothing: it is in tests/vectors/keys.json, because making one takes seconds."""
    primes = {which: int(digits, 16) for which, digits in json.loads(KEYS.read_text(encoding="utf-8"))[name].items()}
    p, q = primes["p"], primes["q"]
    return numbers_of(p, q, pow(EXPONENT, -1, (p - 1) * (q - 1)))


def numbers_of(p: int, q: int, d: int) -> rsa.RSAPrivateNumbers:
    public = rsa.RSAPublicNumbers(EXPONENT, p * q)
    parts = rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q)
    return rsa.RSAPrivateNumbers(p, q, d, *parts, public_numbers=public)


def modulus_of(numbers: rsa.RSAPrivateNumbers) -> str:
    return f"{numbers.public_numbers.n:0768x}"


def _mask(seed: bytes, length: int) -> bytes:
    """MGF1 of RFC 8017, B.2.1."""
    blocks = (hashlib.sha384(seed + number.to_bytes(4, "big")).digest() for number in range(-(-length // HASH)))
    return b"".join(blocks)[:length]


def encode(message: bytes, bits: int, salt: bytes) -> bytes:
    """EMSA-PSS-ENCODE of RFC 8017, 9.1.1, with SHA-384."""
    length = -(-bits // 8)
    seed = hashlib.sha384(bytes(8) + hashlib.sha384(message).digest() + salt).digest()
    block = bytes(length - len(salt) - HASH - 2) + b"\x01" + salt
    masked = bytearray(a ^ b for a, b in zip(block, _mask(seed, len(block)), strict=True))
    masked[0] &= 0xFF >> (8 * length - bits)
    return bytes(masked) + seed + b"\xbc"


def blind(message: bytes, modulus: int, salt: bytes, factor: int) -> int:
    """Section 4.2: the encoded message, hidden by a factor that the signer does not know."""
    encoded = int.from_bytes(encode(message, modulus.bit_length() - 1, salt), "big")
    return encoded * pow(factor, EXPONENT, modulus) % modulus


def finalize(signature: int, modulus: int, factor: int) -> int:
    """Section 4.4, without its last check: the factor taken away again."""
    return signature * pow(factor, -1, modulus) % modulus


@dataclass
class Fetching:
    """Somebody who fetches a token; `source` makes everything that she draws."""

    modulus: int
    source: Random

    def __post_init__(self) -> None:
        self.message, self.randomizer = self.source.randbytes(32), self.source.randbytes(32)
        self.factor = self.source.randrange(2, self.modulus)
        salt = self.source.randbytes(HASH)
        self.blinded = f"{blind(self.randomizer + self.message, self.modulus, salt, self.factor):0768x}"

    def token(self, signed: str) -> str:
        signature = finalize(int(signed, 16), self.modulus, self.factor)
        return token_of(self.message, self.randomizer, signature)


def token_of(message: bytes, randomizer: bytes, signature: int) -> str:
    whole = message + randomizer + signature.to_bytes(384, "big")
    return base64.urlsafe_b64encode(whole).rstrip(b"=").decode()


def issued(source: Random, numbers: rsa.RSAPrivateNumbers | None = None) -> str:
    """A token that this key signed, as if it had been fetched; ours where none is named."""
    held = numbers or key()
    modulus = held.public_numbers.n
    fetching = Fetching(modulus, source)
    return fetching.token(f"{pow(int(fetching.blinded, 16), held.d, modulus):0768x}")


@cache
def ready() -> tuple[rsa.RSAPrivateKey, ...]:
    """Keys for as many versions as a test opens."""
    return tuple(key(name).private_key() for name in ("ours", "stranger", "second"))
