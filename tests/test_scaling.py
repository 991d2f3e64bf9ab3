"""Lesson 06: the spread of a dot product, the nudge, and the figures quoted for them, within their noise."""

import tracemalloc

import numpy as np
import pytest

from tests.lifting import lifted

DRAWS = 20_000
LESSON = lifted("06_scaling", "dot_products", "random_rows", "nudge", "nudges")
dot_products, random_rows, nudge, nudges = (
    LESSON[name] for name in ("dot_products", "random_rows", "nudge", "nudges")
)

WIDTHS = (1, 4, 16, 64, 256, 1024)
MAX_WEIGHT = {
    "raw": (0.305, 0.527, 0.749, 0.874, 0.938, 0.969),
    "root": (0.305, 0.343, 0.356, 0.359, 0.361, 0.361),
}
NUDGE_WIDTHS = (1, 4, 8, 16, 32, 64, 256, 1024)
MEDIAN_NUDGE = {  # the median, and half a unit of its last digit
    "raw": ((0.28, 0.61, 0.86, 1.05, 0.88, 0.47, 0.03, 4e-5), (0.005,) * 7 + (0.5e-5,)),
    "root": ((0.28, 0.33, 0.35, 0.36, 0.36, 0.36, 0.37, 0.37), (0.005,) * 8),
    "full": ((0.28, 0.17, 0.12, 0.08, 0.06, 0.04, 0.02, 0.01), (0.005,) * 8),
}


def scale(arm, d_k):
    """The three arms: raw, ÷√d_k, ÷d_k."""
    return {"raw": 1.0, "root": d_k**-0.5, "full": 1 / d_k}[arm]


@pytest.fixture(scope="module")
def experiment():
    """Weights and sizes of the nudge of 20,000 rows for every width and arm, from one seed."""
    rng = np.random.default_rng(0)
    results = {}
    for d_k in NUDGE_WIDTHS:
        q, K = random_rows(d_k, DRAWS, rng)
        for arm in MEDIAN_NUDGE:
            results[arm, d_k] = nudges(q, K, scale(arm, d_k))
    return results


@pytest.mark.long
@pytest.mark.parametrize("d_k", WIDTHS)
def test_the_variance_of_a_dot_product_is_its_width(d_k):
    """For unit normals Var((q·k)²) = 2 d_k² + 6 d_k, which gives the noise of the measured variance."""
    count = 200_000 if d_k <= 4 else DRAWS
    variance = dot_products(d_k, count, np.random.default_rng(0)).var()
    assert abs(variance - d_k) < 4 * np.sqrt((2 * d_k**2 + 6 * d_k) / count)


def test_dot_products_are_drawn_in_blocks():
    """In one piece 6,000 pairs of 1,024 coordinates would take 98 MB, and their products 49 more."""
    tracemalloc.start()
    products = dot_products(1024, 6_000, np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert products.shape == (6_000,)
    assert peak < 100e6


def test_two_by_two_trials_are_nonsense():
    """np.var of four scores at d_k = 2 averages 1.5 (2 − 4·2/16), not 2; three trials in ten exceed 1.6."""
    rng = np.random.default_rng(0)
    trials = 100_000
    q, k = rng.normal(size=(2, trials, 2, 2))
    variances = (q @ k.mT).var(axis=(1, 2))
    assert abs(variances.mean() - 1.5) < 4 * variances.std() / np.sqrt(trials)
    assert abs((variances < 0.76).mean() - 0.5) < 4 * 0.5 / np.sqrt(trials) + 0.002
    assert abs((variances > 1.6).mean() - 0.29) < 4 * 0.5 / np.sqrt(trials) + 0.005


@pytest.mark.parametrize("arm", ["raw", "root", "full"])
@pytest.mark.parametrize("d_k", [1, 3, 8, 9, 64])
def test_turned_axes_draw_from_the_same_law(d_k, arm):
    """Two-sample Kolmogorov–Smirnov distances to plain draws; 2.2 √(2/N) is passed once in 10,000."""
    count = 4_000
    rng = np.random.default_rng(5)
    plain = rng.normal(size=(count, d_k)), rng.normal(size=(count, 8, d_k))
    (w, size), (w_turned, size_turned) = (
        nudges(q, K, scale(arm, d_k)) for q, K in (plain, random_rows(d_k, count, rng))
    )
    pairs = [(size, size_turned), (w.max(axis=1), w_turned.max(axis=1))]
    pairs += [(w[:, key], w_turned[:, key]) for key in (0, 7)]
    for one, other in pairs:
        at = np.concatenate([one, other])
        shares = [np.searchsorted(np.sort(sample), at, side="right") / count for sample in (one, other)]
        assert np.abs(shares[0] - shares[1]).max() < 2.2 * np.sqrt(2 / count)


@pytest.mark.parametrize("arm", ["raw", "root", "full"])
@pytest.mark.parametrize("d_k", [4, 64])
def test_the_nudge_is_the_slope_of_the_weights(d_k, arm):
    rng = np.random.default_rng(0)
    q, K, factor, step = rng.normal(size=d_k), rng.normal(size=(8, d_k)), scale(arm, d_k), 1e-5

    def weights(query):
        shares = np.exp(K @ query * factor)
        return shares / shares.sum()

    moves = [(weights(q + step * e) - weights(q - step * e)) / (2 * step) for e in np.eye(d_k)]
    np.testing.assert_allclose(nudge(q, K, factor), np.transpose(moves), atol=1e-9)
    np.testing.assert_allclose(nudges(q[None], K[None], factor)[1], [np.linalg.norm(moves)], atol=1e-8)


def test_the_slope_with_respect_to_the_scores_never_exceeds_a_half():
    """Frobenius² = Σw² − 2Σw³ + (Σw²)² ≤ a(1 − a) ≤ ¼ with a = Σw², as (Σw²)² ≤ Σw³."""
    rng = np.random.default_rng(0)
    sizes = [
        np.linalg.norm(nudge(np.log(w), np.eye(w.size), 1.0))
        for w in np.concatenate([rng.dirichlet(np.full(8, alpha), 500) for alpha in (0.2, 1.0)]) + 1e-12
    ]
    assert max(sizes) <= 0.5 + 1e-9
    assert max(sizes) > 0.45
    assert np.linalg.norm(nudge(np.zeros(2), np.eye(2), 1.0)) == pytest.approx(0.5)
    assert np.linalg.norm(nudge(np.full(3, 1000.0), np.eye(3), 1.0)) == pytest.approx(np.sqrt(2) / 3)


@pytest.mark.parametrize("arm", MAX_WEIGHT)
def test_mean_largest_weights(experiment, arm):
    """The figures come from 20,000 draws too: four standard errors of the difference, and the rounding."""
    for d_k, expected in zip(WIDTHS, MAX_WEIGHT[arm]):
        largest = experiment[arm, d_k][0].max(axis=1)
        assert abs(largest.mean() - expected) < 4 * np.sqrt(2 / DRAWS) * largest.std() + 0.0005, d_k


@pytest.mark.parametrize("arm", MEDIAN_NUDGE)
def test_median_nudges(experiment, arm):
    """Half of our draws lie below the figure, rounding allowed: four standard errors of two samples."""
    slack = 4 * 0.5 * np.sqrt(2 / DRAWS)
    for d_k, expected, half_unit in zip(NUDGE_WIDTHS, *MEDIAN_NUDGE[arm]):
        sizes = experiment[arm, d_k][1]
        assert (sizes < expected + half_unit).mean() > 0.5 - slack, d_k
        assert (sizes < expected - half_unit).mean() < 0.5 + slack, d_k


def test_the_raw_nudge_rises_before_it_dies(experiment):
    medians = {d_k: np.median(experiment["raw", d_k][1]) for d_k in NUDGE_WIDTHS}
    assert max(medians, key=medians.get) == 16
    assert medians[64] > np.median(experiment["root", 64][1]) > medians[256]


def test_the_mean_hides_it(experiment):
    """The mean tends to the density, at zero, of the gap between the two largest of eight normals: 1.42."""
    x = np.linspace(-9, 9, 20_001)
    density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    below = np.cumsum(density) * (x[1] - x[0])
    limit = 8 * 7 * (density**2 * below**6).sum() * (x[1] - x[0])
    sizes = experiment["raw", 1024][1]
    wide = nudges(*random_rows(2**14, DRAWS, np.random.default_rng(1)), 1.0)[1]
    assert abs(sizes.mean() - 1.35) < 4 * sizes.std() / np.sqrt(DRAWS) + 0.005
    assert abs(wide.mean() - limit) < 4 * wide.std() / np.sqrt(DRAWS)
    assert 0.8 * np.sqrt(1024) / 2 < sizes.max() < 1.3 * np.sqrt(1024) / 2


def test_dividing_by_the_width_starts_almost_uniform(experiment):
    largest = experiment["full", 1024][0].max(axis=1)
    assert abs(largest.mean() - 0.131) < 0.0005 + 4 * largest.std() / np.sqrt(DRAWS)
