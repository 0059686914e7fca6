"""Blind signatures in both languages: the vector of RFC 9474, and browser and server with each other."""

import json
from pathlib import Path

from collector import blind as door
from surveys.blind import signing
from tests.tools import blind as client
from tests.tools.client import CLIENT, run_in_node

RFC = json.loads((Path(__file__).parents[1] / "vectors" / "rfc9474.json").read_text(encoding="utf-8"))
"""Appendix A.1, RSABSSA-SHA384-PSS-Randomized, with a key of 4,096 bits."""


def number(name: str) -> int:
    return int(RFC[name], 16)


def test_the_signer_answers_as_the_rfc_does() -> None:
    key = client.numbers_of(number("p"), number("q"), number("d"))
    assert key.public_numbers.n == number("n")
    for _ in range(3):  # each time with a random number of its own
        assert signing.sign(number("blinded_msg"), key) == number("blind_sig")


def test_the_tests_own_client_is_that_of_the_rfc() -> None:
    prepared = bytes.fromhex(RFC["msg_prefix"] + RFC["msg"])
    modulus, factor = number("n"), pow(number("inv"), -1, number("n"))
    assert client.blind(prepared, modulus, bytes.fromhex(RFC["salt"]), factor) == number("blinded_msg")
    assert client.finalize(number("blind_sig"), modulus, factor) == number("sig")
    assert pow(number("sig"), client.EXPONENT, modulus) == int.from_bytes(
        client.encode(prepared, modulus.bit_length() - 1, bytes.fromhex(RFC["salt"])), "big"
    )


def test_the_door_verifies_as_the_rfc_signs() -> None:
    """With the padding that it uses for tokens; their keys are shorter and their messages of one length."""
    prepared = bytes.fromhex(RFC["msg_prefix"] + RFC["msg"])
    key = door._key(RFC["n"])
    key.verify(bytes.fromhex(RFC["sig"]), prepared, door.PADDING, door.hashes.SHA384())


DRAW = """
import { readFileSync } from "node:fs";
const { draw, finish } = await import(new URL("../token/drawing.js", process.argv.at(-1) + "/"));
const { systemWords } = await import(new URL("random.js", process.argv.at(-1) + "/"));
const given = JSON.parse(readFileSync(0, "utf8"));
const modulus = BigInt("0x" + given.modulus);
const pairs = given.pending.length
  ? await Promise.all(given.pending.map((one, i) => finish(one, given.signed[i], modulus, crypto.subtle)))
  : await Promise.all([1, 2, 3].map(() => draw(modulus, systemWords(crypto), crypto.subtle)));
process.stdout.write(JSON.stringify(pairs));
"""


def test_what_the_browser_draws_the_server_signs_and_the_door_takes() -> None:
    modulus = client.modulus_of(client.key())

    pending = run_in_node(DRAW, {"modulus": modulus, "pending": []}, client=CLIENT)
    signed = [f"{signing.sign(int(one['blinded'], 16), client.key()):0768x}" for one in pending]
    tokens = run_in_node(DRAW, {"modulus": modulus, "pending": pending, "signed": signed}, client=CLIENT)
    assert len({door.read(token, modulus) for token in tokens}) == 3
