"""The change between two waves: covariances by enumeration, variances and coverage by simulation."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
import pytest

from randomized_response import (
    EachOption,
    SubsetSelection,
    UnaryEncoding,
    change_of_means,
    change_of_shares,
    compare,
    discrete_laplace,
    estimate_mean,
    estimate_proportions,
    forced_response,
    k_ary,
    mean_of_shares,
    noise_covariance,
    noise_of_answers,
    one_bit,
)

COINS = forced_response(truth="1/2")
THREE = k_ary(3, truth="1/2")
Draws = list[tuple[Fraction, tuple[Fraction, ...]]]
"""Each report that an answer can lead to: its probability, and what it says of the share of each answer."""


def draws_of_table(channel, answer: int) -> Draws:
    inverse = [[Fraction(float(cell)).limit_denominator(10**6) for cell in row] for row in channel.left_inverse]
    chances = [Fraction(weight, channel.denominator) for weight in channel.weights[answer]]
    return [(chance, tuple(row[y] for row in inverse)) for y, chance in enumerate(chances)]


def draws_of_bits(ones: Sequence[Fraction], hit: Fraction, miss: Fraction) -> Draws:
    """Independent bits, each 1 with its own probability."""
    found = []
    for bits in product((0, 1), repeat=len(ones)):
        chance = prod((one if bit else 1 - one for bit, one in zip(bits, ones, strict=True)), start=Fraction(1))
        found.append((chance, tuple((bit - miss) / (hit - miss) for bit in bits)))
    return found


def draws_of_unary(encoding: UnaryEncoding, answer: int) -> Draws:
    ones = [encoding.hit if y == answer else encoding.miss for y in range(encoding.k)]
    return draws_of_bits(ones, encoding.hit, encoding.miss)


def draws_of_set(encoding: SubsetSelection, answer: int) -> Draws:
    sets, channel = list(combinations(range(encoding.k), encoding.size)), encoding.channel()
    gain = encoding.hit - encoding.miss
    said = [tuple((Fraction(y in one) - encoding.miss) / gain for y in range(encoding.k)) for one in sets]
    chances = (Fraction(weight, channel.denominator) for weight in channel.weights[answer])
    return list(zip(chances, said, strict=True))


def covariance_by_enumeration(people: Sequence[tuple[Draws, Draws | None]], n: tuple[int, int]) -> list[Fraction]:
    """Of the means of two waves, over every way in which these people can draw.

    Each took part in both: her draws of the first wave, and of the second, None where they are the same ones.
    """

    def outcomes() -> Iterator[tuple[Fraction, list[Fraction], list[Fraction]]]:
        own = [
            [(p, x, x) for p, x in first] if second is None else [(p * q, x, y) for p, x in first for q, y in second]
            for first, second in people
        ]
        for drawn in product(*own):
            chance = prod((p for p, _, _ in drawn), start=Fraction(1))
            yield chance, *([sum(column) / n[wave] for column in zip(*(one[wave + 1] for one in drawn), strict=True)]
                            for wave in (0, 1))  # fmt: skip

    k = len(people[0][0][0][1])
    together, one, other = ([Fraction(0)] * k for _ in range(3))
    for chance, first, second in outcomes():
        for j in range(k):
            together[j] += chance * first[j] * second[j]
            one[j] += chance * first[j]
            other[j] += chance * second[j]
    return [together[j] - one[j] * other[j] for j in range(k)]


@pytest.mark.parametrize(
    ("mechanism", "draws"),
    [
        (COINS, draws_of_table),
        (THREE, draws_of_table),
        (discrete_laplace(3, epsilon=1.0), draws_of_table),
        (UnaryEncoding(3, on="1/2", off="1/4"), draws_of_unary),
        (SubsetSelection(3, size=2, truth="3/4"), draws_of_set),
    ],
    ids=["coins", "k-ary", "laplace", "one-hot", "subset"],
)
def test_covariance_remembered_by_enumeration(mechanism, draws):
    """Two stay with one answer, one changes; of waves of 5 and 4 people, the others being different ones."""
    last = len(draws(mechanism, 0)[0][1]) - 1
    people = [
        (draws(mechanism, last), None),
        (draws(mechanism, 0), None),
        (draws(mechanism, 0), draws(mechanism, last)),
    ]
    stayed = np.zeros(last + 1, dtype=int)
    stayed[[0, last]] = 1
    exact = covariance_by_enumeration(people, (5, 4))
    assert noise_covariance(mechanism, stayed, (5, 4)) == pytest.approx([float(each) for each in exact], rel=1e-9)


def test_covariance_several_options_by_enumeration():
    """An option stays by itself: of the first person the second option changed, its mark alone is drawn anew."""
    question, b, a = EachOption(2, COINS), Fraction(1, 4), Fraction(3, 4)
    shared = draws_of_bits([a], a, b)
    moved = covariance_by_enumeration([(draws_of_bits([b], a, b), draws_of_bits([a], a, b))], (3, 3))
    stayed = covariance_by_enumeration([(shared, None)], (3, 3))
    assert moved == [0]
    found = noise_covariance(question, [[0, 0], [1, 0]], (3, 3))
    assert found == pytest.approx([float(stayed[0]), 0.0])


def test_covariance_fresh_waves_is_zero():
    people = [(draws_of_table(COINS, 1), draws_of_table(COINS, 1))]
    assert covariance_by_enumeration(people, (1, 1)) == [0, 0]


def test_noise_of_answers_sums_to_the_noise_of_an_estimate():
    for mechanism, share in ((THREE, [0.2, 0.3, 0.5]), (UnaryEncoding(3, on="1/2", off="1/4"), [0.2, 0.3, 0.5])):
        n = 1200
        rates = np.array(share) @ (mechanism.matrix if mechanism is THREE else np.where(np.eye(3), 0.5, 0.25))
        counts = np.round(rates * n)
        wave = estimate_proportions(counts, mechanism) if mechanism is THREE else mechanism.estimate(counts, n)
        found = wave.constrained @ noise_of_answers(mechanism) / n
        assert found == pytest.approx(wave.noise_standard_error**2, rel=1e-9)


def panel(generator, n: int, returned: int, table: np.ndarray, mechanism, *, remembered: bool):
    """Two waves of n people, `returned` in both, answers drawn from a joint table: estimates, who stayed, the truth."""
    k = len(table)
    cells = generator.choice(k * k, size=2 * n - returned, p=table.ravel())
    first, second = cells[:n] // k, cells[n - returned :] % k
    reports = [_drawn(generator, mechanism, answers) for answers in (first, second)]
    back = slice(n - returned, n)
    stay = first[back] == second[:returned]
    if remembered:
        reports[1][:returned][stay] = reports[0][back][stay]
    waves = [estimate_proportions(np.bincount(y, minlength=k), mechanism, interval="score") for y in reports]
    shares = [np.bincount(answers, minlength=k) / n for answers in (first, second)]
    return waves, np.bincount(first[back][stay], minlength=k), shares[1] - shares[0]


def _drawn(generator, mechanism, answers):
    return (generator.random(answers.size)[:, None] > np.cumsum(mechanism.matrix, axis=1)[answers]).sum(axis=1)


STAY = np.array([[0.65, 0.05], [0.05, 0.25]])
MANY = np.array([[0.45, 0.25], [0.20, 0.10]])
OPPOSITE = np.array([[0.40, 0.30], [0.30, 0.0]])


@pytest.mark.long
@pytest.mark.parametrize("remembered", [False, True])
def test_change_standard_errors_by_simulation(remembered):
    """1,200 panels of 300, 200 of them in both waves: the variance of the difference, known who stayed. The variance of
    1,200 normal draws is good to 4.1 %; 16.5 % is four of that, so it fails by chance once in 15,000 seeds."""
    generator, errors, misses, differences = np.random.default_rng(11), [], [], []
    for _ in range(1200):
        (first, second), stayed, truth = panel(generator, 300, 200, STAY, COINS, remembered=remembered)
        found = change_of_shares(first, second, COINS, remembered=remembered, returned=200, stayed=stayed)
        errors.append((found.standard_error[1] ** 2, found.noise_standard_error[1] ** 2))
        differences.append(found.unbiased[1])
        misses.append(found.unbiased[1] - truth[1])
    whole, noise = np.mean(errors, axis=0)
    assert np.var(differences) == pytest.approx(whole, rel=0.165)
    assert np.var(misses) == pytest.approx(noise, rel=0.165)


@pytest.mark.long
@pytest.mark.parametrize("remembered", [False, True])
@pytest.mark.parametrize(
    ("returned", "table"), [(300, STAY), (300, MANY), (300, OPPOSITE), (0, MANY), (150, STAY)],
    ids=["all return", "many change", "nobody stays with yes", "none returns", "half returns"],
)  # fmt: skip
def test_change_intervals_cover_by_simulation(returned, table, remembered):
    """250 panels; nominal 95 %, more where who stayed is not known. 91 % is three standard errors below, so each of
    the ten fails by chance less than once in 500 seeds."""
    generator, held, inside = np.random.default_rng(23), 0, 0
    change = table.sum(axis=0)[1] - table.sum(axis=1)[1]
    for _ in range(250):
        (first, second), _stayed, truth = panel(generator, 300, returned, table, COINS, remembered=remembered)
        found = change_of_shares(first, second, COINS, remembered=remembered, returned=returned)
        held += found.low[1] <= change <= found.high[1]
        inside += found.noise_low[1] <= truth[1] <= found.noise_high[1]
        assert found.narrowest_standard_error[1] <= found.standard_error[1] + 1e-12
    assert held / 250 >= 0.91
    assert inside / 250 >= 0.91


def test_change_different_people_equals_compare():
    first, second = estimate_proportions([500, 300, 200], THREE), estimate_proportions([400, 300, 300], THREE)
    for returned in (None, 0):
        found, known = (
            change_of_shares(first, second, THREE, remembered=True, returned=returned),
            compare(first, second),
        )
        for name in ("difference", "unbiased", "standard_error", "low", "high"):
            assert getattr(found, name) == pytest.approx(getattr(known, name), abs=1e-12)


def test_change_returning_people_narrow_noise_interval():
    first, second = estimate_proportions([700, 300], COINS), estimate_proportions([690, 310], COINS)
    apart, back = (change_of_shares(first, second, COINS, remembered=True, returned=m) for m in (None, 1000))
    assert back.noise_standard_error[1] < 0.6 * apart.noise_standard_error[1]
    assert back.narrowest_noise_standard_error[1] < back.noise_standard_error[1]
    assert back.noise_high[1] - back.noise_low[1] < apart.noise_high[1] - apart.noise_low[1]


def test_change_of_means_is_conservative():
    """Of the same people, the values' errors add up at worst and cancel at best."""
    scale = one_bit(11, truth="1/2")
    first, second = estimate_mean([450, 550], scale), estimate_mean([400, 600], scale)
    apart, back = change_of_means(first, second), change_of_means(first, second, returned=1000, remembered=True)
    assert apart.standard_error[0] == pytest.approx(np.hypot(first.standard_error, second.standard_error))
    assert back.standard_error[0] > apart.standard_error[0] > back.narrowest_standard_error[0]
    assert back.noise_standard_error[0] == pytest.approx(np.hypot(*(w.noise_standard_error for w in (first, second))))
    shares = [mean_of_shares(estimate_proportions(c, THREE), [1, 2, 3]) for c in ([500, 300, 200], [400, 300, 300])]
    found = change_of_means(*shares)
    assert found.low[0] < found.difference[0] < found.high[0]


def test_change_extremes_stay_in_range():
    waves = [estimate_proportions(counts, COINS) for counts in ([0, 0], [1, 0], [0, 50], [50, 0])]
    for first, second in product(waves, waves):
        for returned in (None, 0, min(first.n, second.n)):
            found = change_of_shares(first, second, COINS, remembered=True, returned=returned)
            assert np.all((found.low >= -1) & (found.low <= found.high) & (found.high <= 1))
            for low, high in ((found.low, found.high), (found.noise_low, found.noise_high)):
                assert not np.any((found.difference < low - 1e-12) | (found.difference > high + 1e-12))


def test_change_bad_input_raises():
    wave, other = estimate_proportions([60, 40], COINS), estimate_proportions([50, 30, 20], THREE)
    with pytest.raises(ValueError, match="same answers at the same confidence"):
        change_of_shares(wave, other, COINS)
    with pytest.raises(ValueError, match="mechanism must be of 2 answers; got one of 3"):
        change_of_shares(wave, wave, THREE)
    with pytest.raises(ValueError, match="returned must be from 0 to 100; got 101"):
        change_of_shares(wave, wave, COINS, returned=101)
    with pytest.raises(ValueError, match="stayed must be at most the 50 who can have; got 60"):
        change_of_shares(wave, wave, COINS, returned=50, stayed=[30, 30])
    with pytest.raises(ValueError, match="stayed must be of shape"):
        noise_covariance(COINS, [1, 2, 3], (5, 5))
    with pytest.raises(ValueError, match="same range at the same confidence"):
        change_of_means(estimate_mean([5, 5], one_bit(3, truth="1/2")), estimate_mean([5, 5], one_bit(4, truth="1/2")))
