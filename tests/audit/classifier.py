"""An attacker who learns: multinomial logistic regression on everything of a submission that is not always the same."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from tests.audit.recording import Submission

PENALTY = 1e-3


def accuracy(submissions: list[Submission], answers: NDArray) -> tuple[float, int]:
    """Share of right guesses on the second half after learning on the first; and the size of the second half."""
    features, half = evidence(submissions), len(submissions) // 2
    weights = learned(features[:half], answers[:half])
    guesses = (features[half:] @ weights).argmax(axis=1)
    return float((guesses == answers[half:]).mean()), len(submissions) - half


def evidence(submissions: list[Submission]) -> NDArray:
    """Symbols one by one, every other byte that varies, the digits of the nonce, functions of the time."""
    symbols = [one_hot(column) for column in np.array([one.symbols for one in submissions]).T]
    masked = ([one.posts[0].head + one.posts[0].body for one in submissions], [one.fields for one in submissions])
    raw = [blotted(text, fields) for text, fields in zip(*masked, strict=True)]
    width = max(map(len, raw))
    letters = np.array([list(text.ljust(width, b"\0")) for text in raw])
    lengths = np.array([[len(text)] for text in raw])
    nonces = np.array([[int(digit, 16) for digit in one.fields["nonce"]] for one in submissions])
    times = ranked(np.array([one.delay for one in submissions]))
    numbers = np.hstack([letters[:, np.ptp(letters, axis=0) > 0], lengths, nonces, times])
    spread = np.where(numbers.std(axis=0) > 0, numbers.std(axis=0), 1)
    return np.hstack([*symbols, (numbers - numbers.mean(axis=0)) / spread, np.ones((len(raw), 1))])


def blotted(text: bytes, fields: dict[str, str]) -> bytes:
    """Without nonce and report, which enter by themselves."""
    return text.replace(fields["nonce"].encode(), b"").replace(b'"%s"' % fields["report"].encode(), b"")


def ranked(times: NDArray) -> NDArray:
    """The time's rank, its square, and its place among ten equal parts; few outliers then rule nothing."""
    rank = times.argsort().argsort() / len(times)
    return np.column_stack([rank, (rank - 0.5) ** 2, one_hot((rank * 10).astype(int))])


def one_hot(column: NDArray) -> NDArray:
    return np.eye(column.max() + 1)[column]


def learned(features: NDArray, answers: NDArray) -> NDArray:
    truth = one_hot(answers)
    shape = (features.shape[1], truth.shape[1])

    def loss(flat: NDArray) -> tuple[float, NDArray]:
        weights = flat.reshape(shape)
        scores = features @ weights
        value = -(log_softmax(scores, axis=1) * truth).sum() / len(features) + PENALTY * (flat**2).sum()
        gradient = features.T @ (softmax(scores, axis=1) - truth) / len(features) + 2 * PENALTY * weights
        return float(value), gradient.ravel()

    found = minimize(loss, np.zeros(shape[0] * shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 100})
    return found.x.reshape(shape)
