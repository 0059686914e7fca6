"""Fair admission: few addresses never take the last place."""

from contextlib import ExitStack

import pytest

from collector.endpoint.admission import Admission
from collector.errors import RequestRefused
from tests.tools.refusals import refuses


def fill(admission: Admission, address: str, stack: ExitStack) -> int:
    """Hold places for an address until it is refused; how many it got."""
    held = 0
    while True:
        try:
            stack.enter_context(admission.hold(address))
        except RequestRefused as refusal:
            if refusal.status != 503:
                raise
            return held
        held += 1


def test_admission_one_address_gets_half_of_free_places() -> None:
    admission = Admission(48)
    with ExitStack() as stack:
        assert [fill(admission, f"192.0.2.{number}", stack) for number in range(5)] == [24, 12, 6, 3, 1]
        assert admission.held == 46
    assert admission.held == 0


def test_admission_ten_addresses_leave_one_place() -> None:
    admission = Admission(4096)
    with ExitStack() as stack:
        for number in range(10):
            fill(admission, f"192.0.2.{number}", stack)
        with admission.hold("198.51.100.1"):
            assert admission.share("198.51.100.1") == 2


def test_admission_request_places_count_together() -> None:
    admission = Admission(8)
    with refuses(503) as refused, admission.hold("192.0.2.1", 5):
        pass
    assert (refused.value.status, refused.value.retry) == (503, 5)
    with admission.hold("192.0.2.1", 4), refuses(503), admission.hold("192.0.2.1"):
        pass
    assert admission.held == 0


def test_admission_error_frees_place() -> None:
    admission = Admission(2)
    with pytest.raises(ZeroDivisionError), admission.hold("192.0.2.1"):
        raise ZeroDivisionError
    assert admission.held == 0
