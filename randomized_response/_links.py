"""Links of binary regressions: the share of yes as a function of the linear prediction, with its derivatives."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randomized_response import _scipy as scipy

Floats = NDArray[np.float64]
LinkName = Literal["logit", "probit", "cloglog"]

_FARTHEST = {"logit": 700.0, "probit": 37.0, "cloglog": 6.0}
"""Where a share or its complement nears the smallest double; a prediction further out is taken as there."""


class Link(NamedTuple):
    """`shares(eta)` are those of yes and no, each to full relative precision; `slopes` the first two derivatives."""

    name: LinkName
    shares: Callable[[Floats], tuple[Floats, Floats]]
    slopes: Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]
    quantile: Callable[[float], float]


def _logit_shares(eta: Floats) -> tuple[Floats, Floats]:
    inverse = np.exp(-np.minimum(np.maximum(eta, -_FARTHEST["logit"]), _FARTHEST["logit"]))
    share_yes = 1.0 / (1.0 + inverse)
    return share_yes, inverse * share_yes


def _logit_slopes(eta: Floats, share_yes: Floats, share_no: Floats) -> tuple[Floats, Floats]:
    first = share_yes * share_no
    return first, first * (share_no - share_yes)


def _probit_shares(eta: Floats) -> tuple[Floats, Floats]:
    near = np.minimum(np.maximum(eta, -_FARTHEST["probit"]), _FARTHEST["probit"])
    return scipy.special.ndtr(near), scipy.special.ndtr(-near)


def _probit_slopes(eta: Floats, share_yes: Floats, share_no: Floats) -> tuple[Floats, Floats]:
    near = np.minimum(np.maximum(eta, -_FARTHEST["probit"]), _FARTHEST["probit"])
    first = np.exp(-near * near / 2) / np.sqrt(2 * np.pi)
    return first, -near * first


def _cloglog_shares(eta: Floats) -> tuple[Floats, Floats]:
    rate = np.exp(np.minimum(np.maximum(eta, -700.0), _FARTHEST["cloglog"]))
    return -np.expm1(-rate), np.exp(-rate)


def _cloglog_slopes(eta: Floats, share_yes: Floats, share_no: Floats) -> tuple[Floats, Floats]:
    rate = np.exp(np.minimum(np.maximum(eta, -700.0), _FARTHEST["cloglog"]))
    first = rate * share_no
    return first, first * (1 - rate)


LOGIT = Link("logit", _logit_shares, _logit_slopes, lambda share: float(np.log(share / (1 - share))))
LINKS: dict[LinkName, Link] = {
    "logit": LOGIT,
    "probit": Link("probit", _probit_shares, _probit_slopes, lambda share: float(scipy.special.ndtri(share))),
    "cloglog": Link("cloglog", _cloglog_shares, _cloglog_slopes, lambda share: float(np.log(-np.log1p(-share)))),
}
"""By name: the logistic distribution, the normal one, and 1 - exp(-exp(eta)), of a time until a first yes."""
