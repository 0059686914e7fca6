"""Merkle trees of a transparency log, with their proofs (Laurie, Messeri & Stradling 2021, RFC 9162, section 2.1)."""

from collections.abc import Sequence
from hashlib import sha256

Hashes = Sequence[bytes]

EMPTY = sha256(b"").digest()
"""The root of a tree without leaves."""

HEIGHT = 8
"""Levels of the tree in one tile."""
WIDTH = 2**HEIGHT


def leaf_hash(leaf: bytes) -> bytes:
    """The hash of an entry."""
    return sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node."""
    return sha256(b"\x01" + left + right).digest()


def root_of(leaves: Hashes) -> bytes:
    """The root of a tree, from the hashes of its leaves."""
    if not leaves:
        return EMPTY
    if len(leaves) == 1:
        return leaves[0]
    middle = _split(len(leaves))
    return node_hash(root_of(leaves[:middle]), root_of(leaves[middle:]))


def inclusion_proof(leaves: Hashes, place: int) -> list[bytes]:
    """The hashes that lead from the leaf at this place to the root, the nearest first."""
    if not 0 <= place < len(leaves):
        raise ValueError(f"place must be from 0 to {len(leaves) - 1}; got {place}")
    if len(leaves) == 1:
        return []
    middle = _split(len(leaves))
    left, right = leaves[:middle], leaves[middle:]
    if place < middle:
        return [*inclusion_proof(left, place), root_of(right)]
    return [*inclusion_proof(right, place - middle), root_of(left)]


def root_from_inclusion(leaf: bytes, place: int, size: int, proof: Hashes) -> bytes:
    """The root that a proof gives a leaf's hash in a tree of this size. ValueError where it has another length."""
    first, last, root = place, size - 1, leaf
    if not 0 <= place < size:
        raise ValueError(f"place must be from 0 to {size - 1}; got {place}")
    for one in proof:
        if last == 0:
            raise ValueError("the proof is too long")
        if first % 2 or first == last:
            root = node_hash(one, root)
            while not first % 2 and first:
                first, last = first // 2, last // 2
        else:
            root = node_hash(root, one)
        first, last = first // 2, last // 2
    if last:
        raise ValueError("the proof is too short")
    return root


def tile(leaves: Hashes, level: int, number: int) -> list[bytes]:
    """The hashes of a tile (C2SP tlog-tiles): of at most WIDTH complete nodes, each over WIDTH ** level leaves."""
    size = WIDTH**level
    first = number * WIDTH
    last = min(first + WIDTH, len(leaves) // size)
    return [root_of(leaves[node * size : (node + 1) * size]) for node in range(first, last)]


def tile_name(number: int, width: int = WIDTH) -> str:
    """The end of a tile's address: its number in threes of digits, and its width where it is not full."""
    digits = f"{number:0{-(-len(str(number)) // 3) * 3}d}"
    threes = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    return "/".join([*(f"x{three}" for three in threes[:-1]), threes[-1]]) + (f".p/{width}" if width < WIDTH else "")


def _split(count: int) -> int:
    """The largest power of two below a count."""
    return 1 << ((count - 1).bit_length() - 1)
