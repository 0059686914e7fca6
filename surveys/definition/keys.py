"""Keys of questions, sections and groups: made from texts, and filled up to one length."""

import re
import unicodedata
from collections.abc import Iterable, Sequence


def key_from(written: str, taken: Iterable[str], otherwise: str) -> str:
    """A key made from a name or a text, which differs from those that are taken."""
    ascii_only = unicodedata.normalize("NFKD", written).encode("ascii", "ignore").decode().lower()
    begin = re.sub(r"[^a-z0-9_-]+", "_", ascii_only).strip("_-")[:60].strip("_-") or otherwise
    known, key, number = set(taken), begin, 2
    while key in known:
        key, number = f"{begin}_{number}", number + 1
    return key


def even_keys(keys: Sequence[str]) -> list[str]:
    """Keys of one length, so that every response has one size.

    g1 and g10 become g01 and g10, men and women become men__ and women; keys that would then be alike stay.
    """
    longest = max(map(len, keys), default=0)
    numbered = [re.fullmatch(r"(\D*)(\d+)", key) for key in keys]
    if len({found and found[1] for found in numbered}) == 1 and numbered[0]:
        prefix = len(numbered[0][1])
        made = [key[:prefix] + key[prefix:].zfill(longest - prefix) for key in keys]
    else:
        made = [key.ljust(longest, "_") if key else key for key in keys]
    return made if len(set(made)) == len(set(keys)) else list(keys)
