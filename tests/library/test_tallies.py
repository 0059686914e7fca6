"""Counting stored reports."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from randomized_response import tally
from randomized_response.tallies import _CHUNK


@settings(deadline=None)
@given(st.lists(st.integers(1, 256), min_size=1, max_size=7), st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_tally_equals_bincount(alphabet, n, seed):
    rows = np.random.default_rng(seed).integers(0, alphabet, size=(n, len(alphabet)), dtype=np.uint8)
    for reports in (rows, rows.tobytes(), rows.ravel(), np.asfortranarray(rows)):
        counts = tally(reports, alphabet)
        assert [c.tolist() for c in counts] == [
            np.bincount(rows[:, j], minlength=a).tolist() for j, a in enumerate(alphabet)
        ]


def test_more_reports_than_a_chunk():
    rows = np.random.default_rng(1).integers(0, 3, size=(2 * _CHUNK + 17, 3), dtype=np.uint8)
    assert [c.tolist() for c in tally(rows, [3, 3, 4])] == [
        np.bincount(rows[:, j], minlength=3 + (j == 2)).tolist() for j in range(3)
    ]


@pytest.mark.parametrize(
    ("reports", "alphabet", "message"),
    [
        (bytes([0, 1, 2]), [2, 2], "whole rows of 2 bytes; got 3 bytes"),
        (bytes([0, 2]), [2, 2], "reports at position 1 must be from 0 to 1; got 2"),
        (b"", [], "alphabet must name at least one position"),
        (np.zeros((2, 3), np.uint8), [2, 2], r"shape \(n, 2\); got \(2, 3\)"),
        (np.zeros((2, 2), np.int64), [2, 2], "bytes or an array of uint8; got int64"),
        (b"", [0], r"alphabet\[0\] must be from 1 to 256; got 0"),
    ],
)
def test_bad_input_is_named(reports, alphabet, message):
    with pytest.raises(ValueError, match=message):
        tally(reports, alphabet)
