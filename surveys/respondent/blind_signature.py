"""Blind signing: the signer's part of RFC 9474 (section 4.3), for keys of any length."""

import math
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import rsa


def sign(blinded: int, private: "rsa.RSAPrivateNumbers") -> int:
    """The signature of a blinded message, which reveals nothing of the message.

    Parameters
    ----------
    blinded : int
        From 0 to the modulus - 1.
    private : RSAPrivateNumbers
        The key.

    Raises
    ------
    ValueError
        Where `blinded` is not below the modulus.
    RuntimeError
        Where the computer erred: the signature is told nobody, as one wrong half of it would give the key away.
    """
    exponent, modulus = private.public_numbers.e, private.public_numbers.n
    if not 0 <= blinded < modulus:
        raise ValueError("blinded must be below the modulus of the key")
    # What is raised to the secret power is a number that whoever asks does not know, so the time it takes is no clue.
    factor = _unit(modulus)
    hidden = _power(blinded * pow(factor, exponent, modulus) % modulus, private)
    signature = hidden * pow(factor, -1, modulus) % modulus
    if pow(signature, exponent, modulus) != blinded:
        raise RuntimeError("a signature did not verify and was thrown away")
    return signature


def _power(base: int, private: "rsa.RSAPrivateNumbers") -> int:
    """`base` to the secret power, by the two primes (RFC 8017, 5.1.2)."""
    first = pow(base, private.dmp1, private.p)
    second = pow(base, private.dmq1, private.q)
    return second + private.q * ((first - second) * private.iqmp % private.p)


def _unit(modulus: int) -> int:
    """A random number that is invertible modulo `modulus`."""
    while math.gcd(drawn := secrets.randbelow(modulus - 2) + 2, modulus) != 1:
        pass
    return drawn
