"""Merkle trees and signed notes: vectors of RFC 6962's reference, proofs of every leaf, and what is refused."""

from hashlib import sha256
from itertools import pairwise

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from surveys.transparency import merkle
from surveys.transparency.signed_notes import Checkpoint, Verifier, opened, read_checkpoint, read_verifier, sign

LEAVES = [bytes.fromhex(one) for one in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"
)]  # fmt: skip
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""Of the first 1, 2, ... of these leaves, as the reference of Certificate Transparency has them."""
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
VERIFIER = Verifier("survey.example.org/log", KEY.public_key().public_bytes_raw())


def test_roots_are_those_of_the_reference() -> None:
    hashes = [merkle.leaf_hash(leaf) for leaf in LEAVES]
    assert [merkle.root_of(hashes[: n + 1]).hex() for n in range(len(ROOTS))] == ROOTS
    assert merkle.root_of([]) == sha256(b"").digest()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 31, 256, 257])
def test_every_leaf_is_proved_by_its_hashes(size: int) -> None:
    hashes = [merkle.leaf_hash(bytes([n % 256, n // 256])) for n in range(size)]
    root = merkle.root_of(hashes)
    for place in range(size):
        proof = merkle.inclusion_proof(hashes, place)
        assert merkle.root_from_inclusion(hashes[place], place, size, proof) == root
        if proof:
            changed = [bytes(32), *proof[1:]]
            assert merkle.root_from_inclusion(hashes[place], place, size, changed) != root
        with pytest.raises(ValueError, match="too"):
            merkle.root_from_inclusion(hashes[place], place, size, [*proof, root])
    with pytest.raises(ValueError, match="place must be from 0"):
        merkle.inclusion_proof(hashes, size)


def test_tiles_have_complete_nodes_alone() -> None:
    hashes = [merkle.leaf_hash(bytes([n % 256, n // 256])) for n in range(600)]
    assert merkle.tile(hashes, 0, 0) == hashes[:256]
    assert merkle.tile(hashes, 0, 2) == hashes[512:]
    assert merkle.tile(hashes, 1, 0) == [merkle.root_of(hashes[a:b]) for a, b in pairwise((0, 256, 512))]
    assert merkle.tile(hashes, 2, 0) == []
    assert [merkle.tile_name(n) for n in (0, 67, 1234067)] == ["000", "067", "x001/x234/067"]
    assert merkle.tile_name(2, 88) == "002.p/88"


def test_note_is_opened_by_its_key() -> None:
    checkpoint = Checkpoint("survey.example.org/log", 5, bytes(32))
    note = sign(str(checkpoint), VERIFIER, KEY)
    assert read_checkpoint(opened(note, read_verifier(str(VERIFIER)))) == checkpoint
    witness = Ed25519PrivateKey.from_private_bytes(bytes(32))
    other = Verifier("witness", witness.public_key().public_bytes_raw())
    both = note + sign(str(checkpoint), other, witness).rpartition("\n\n")[2]
    assert opened(both, other) == opened(both, VERIFIER) == str(checkpoint)


@pytest.mark.parametrize(
    "change",
    [
        lambda note: note.replace("\n5\n", "\n6\n"),
        lambda note: note.rpartition("\n\n")[0] + "\n\n",
        lambda note: note.replace("survey.example.org", "survey.example.net"),
        lambda note: note[:-8] + "AAAA" + note[-4:],
        lambda note: "",
    ],
)
def test_changed_note_is_refused(change: object) -> None:
    note = sign(str(Checkpoint("survey.example.org/log", 5, bytes(32))), VERIFIER, KEY)
    with pytest.raises(ValueError, match="no signature of"):
        opened(change(note), VERIFIER)  # type: ignore[operator]


@pytest.mark.parametrize("text", ["", "a\nb\nc\n", "log\n5\nAAAA\n", "log\n-5\n" + 43 * "A" + "=\n"])
def test_text_that_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a checkpoint must have three lines"):
        read_checkpoint(text)


@pytest.mark.parametrize("written", ["", "a+b", f"{VERIFIER}x", str(VERIFIER).replace("+", "+0", 1)])
def test_text_that_is_no_key_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="key"):
        read_verifier(written)
    with pytest.raises(ValueError, match="hash must be"):
        read_verifier(f"other{VERIFIER}")
