"""Blind signatures in both languages: the vector of RFC 9474, and browser and server with each other."""

import base64
import json
import math
from pathlib import Path
from random import Random

import pytest

from collector.invitations import tokens as door
from surveys.respondent import blind_signature
from tests.tools import blind as client
from tests.tools.client import CLIENT, run_in_node
from tests.tools.refusals import refuses

RFC = json.loads((Path(__file__).parents[1] / "vectors" / "rfc9474.json").read_text(encoding="utf-8"))
"""Appendix A.1, RSABSSA-SHA384-PSS-Randomized, with a key of 4,096 bits."""


def number(name: str) -> int:
    return int(RFC[name], 16)


def test_sign_matches_rfc_9474_vector() -> None:
    key = client.numbers_of(number("p"), number("q"), number("d"))
    assert key.public_numbers.n == number("n")
    for _ in range(3):  # each time with a random number of its own
        assert blind_signature.sign(number("blinded_msg"), key) == number("blind_sig")


def test_python_client_matches_rfc_9474_vector() -> None:
    prepared = bytes.fromhex(RFC["msg_prefix"] + RFC["msg"])
    modulus, factor = number("n"), pow(number("inv"), -1, number("n"))
    assert client.blind(prepared, modulus, bytes.fromhex(RFC["salt"]), factor) == number("blinded_msg")
    assert client.finalize(number("blind_sig"), modulus, factor) == number("sig")
    assert pow(number("sig"), client.EXPONENT, modulus) == int.from_bytes(
        client.encode(prepared, modulus.bit_length() - 1, bytes.fromhex(RFC["salt"])), "big"
    )


def test_endpoint_verifies_rfc_9474_signature() -> None:
    """With the padding that it uses for tokens; their keys are shorter and their messages of one length."""
    prepared = bytes.fromhex(RFC["msg_prefix"] + RFC["msg"])
    door._verify(bytes.fromhex(RFC["sig"]), prepared, RFC["n"])
    with refuses(403):
        door._verify(bytes.fromhex(RFC["sig"]), prepared + b"0", RFC["n"])


DRAW = """
import { readFileSync } from "node:fs";
const { draw, finish } = await import(new URL("../token/blinding.js", process.argv.at(-1) + "/"));
const { systemWords } = await import(new URL("random.js", process.argv.at(-1) + "/"));
const given = JSON.parse(readFileSync(0, "utf8"));
const modulus = BigInt("0x" + given.modulus);
const pairs = given.pending.length
  ? await Promise.all(given.pending.map((one, i) => finish(one, given.signed[i], modulus, crypto.subtle)))
  : await Promise.all([1, 2, 3].map(() => draw(modulus, systemWords(crypto), crypto.subtle)));
process.stdout.write(JSON.stringify(pairs));
"""


def test_browser_token_signed_by_server_is_accepted() -> None:
    modulus = client.modulus_of(client.key())

    pending = run_in_node(DRAW, {"modulus": modulus, "pending": []}, client=CLIENT)
    signed = [f"{blind_signature.sign(int(one['blinded'], 16), client.key()):0768x}" for one in pending]
    tokens = run_in_node(DRAW, {"modulus": modulus, "pending": pending, "signed": signed}, client=CLIENT)
    assert len({door.read(token, modulus) for token in tokens}) == 3


@pytest.mark.long
def test_token_every_request_fits_every_token() -> None:
    """Blindness, and not by hardness: whoever has the private key, every request and every token learns nothing.

    For each pair there is a factor with which this request would have fetched that token, and factors are drawn
    uniformly; so no pair is any likelier than another.
    """
    key, modulus = client.key(), client.key().public_numbers.n
    asked = [client.Fetching(modulus, Random(number)) for number in range(4)]
    requests = [int(one.blinded, 16) for one in asked]
    tokens = [
        int.from_bytes(
            base64.urlsafe_b64decode(one.token(f"{blind_signature.sign(sent, key):0768x}") + "==")[64:], "big"
        )
        for one, sent in zip(asked, requests, strict=True)
    ]
    for sent in requests:
        for token in tokens:
            hidden = pow(token, client.EXPONENT, modulus)
            factor = pow(sent * pow(hidden, -1, modulus), key.d, modulus)
            assert hidden * pow(factor, client.EXPONENT, modulus) % modulus == sent
            assert math.gcd(factor, modulus) == 1
