"""Counts of stored reports, one byte per symbol: fast, and in bounded memory."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from randomized_response._checks import as_count

_CHUNK = 2**17


def tally(reports: bytes | NDArray[np.uint8], alphabet: Sequence[int]) -> list[NDArray[np.int64]]:
    """Count every symbol at every position of many reports.

    Parameters
    ----------
    reports : bytes, or uint8 array of shape (n, positions)
        The reports one after the other, one byte per symbol. A memory-mapped array is read in chunks.
    alphabet : sequence of int
        Number of symbols of each position, 1 to 256.

    Returns
    -------
    list of arrays
        For each position its counts, of the length of its alphabet: what `estimate_proportions` takes.

    Raises
    ------
    ValueError
        Where the bytes are not a whole number of reports, or a symbol is outside its alphabet.

    Notes
    -----
    Reports are taken in chunks of 2^17, two neighbouring positions at a time, so memory does not grow with n.

    Examples
    --------
    >>> [counts.tolist() for counts in tally(bytes([0, 2, 1, 2, 0, 0]), [2, 3])]
    [[2, 1], [1, 0, 2]]
    """
    sizes = [as_count(size, name=f"alphabet[{place}]", low=1, high=256) for place, size in enumerate(alphabet)]
    rows = _as_rows(reports, len(sizes))
    totals = np.zeros((len(sizes), 256), dtype=np.int64)
    for start in range(0, len(rows), _CHUNK):
        _count(np.ascontiguousarray(rows[start : start + _CHUNK].T), totals)
    for place, size in enumerate(sizes):
        if totals[place, size:].any():
            symbol = size + int(np.flatnonzero(totals[place, size:])[0])
            raise ValueError(f"reports at position {place} must be from 0 to {size - 1}; got {symbol}")
    return [totals[place, :size].copy() for place, size in enumerate(sizes)]


def _as_rows(reports: bytes | NDArray[np.uint8], positions: int) -> NDArray[np.uint8]:
    if positions == 0:
        raise ValueError("alphabet must name at least one position; got none")
    array = np.frombuffer(reports, dtype=np.uint8) if isinstance(reports, bytes | bytearray | memoryview) else reports
    if array.dtype != np.uint8:
        raise ValueError(f"reports must be bytes or an array of uint8; got {array.dtype}")
    if array.ndim == 1:
        if array.size % positions:
            raise ValueError(f"reports must be whole rows of {positions} bytes; got {array.size} bytes")
        return array.reshape(-1, positions)
    if array.ndim != 2 or array.shape[1] != positions:
        raise ValueError(f"reports must have shape (n, {positions}); got {array.shape}")
    return array


def _count(columns: NDArray[np.uint8], totals: NDArray[np.int64]) -> None:
    """Count two adjacent positions as one number below 65,536, then split the counts."""
    for place in range(0, len(columns) - 1, 2):
        pair = columns[place].astype(np.uint16) << 8 | columns[place + 1]
        both = np.bincount(pair, minlength=65_536).reshape(256, 256)
        totals[place] += both.sum(axis=1)
        totals[place + 1] += both.sum(axis=0)
    if len(columns) % 2:
        totals[-1] += np.bincount(columns[-1], minlength=256)
