"""Lesson 06b: the gradients by hand, the training, and the figures quoted for it, within their noise."""

import numpy as np
import pytest

from tests.lifting import lifted

LESSON = lifted(
    "06b_watch_it_train",
    "X",
    "V",
    "targets",
    "start",
    "forward",
    "softmax_backward",
    "loss_and_gradients",
    "train",
    "turn_axes",
    "right_spots",
)
X, V, targets = LESSON["X"], LESSON["V"], LESSON["targets"]
start, forward, loss_and_gradients, train, turn_axes, right_spots = (
    LESSON[name] for name in ("start", "forward", "loss_and_gradients", "train", "turn_axes", "right_spots")
)

WIDTHS = (4, 16, 64, 256, 1024)
SEEDS = {4: 60, 16: 60, 64: 20, 256: 20, 1024: 20}
FINAL_LOSS = {
    "raw": (0.01, 0.47, 0.54, 1.25, 1.75),
    "root": (0.01, 0.01, 0.00, 0.01, 0.01),
    "full": (0.00, 0.00, 0.02, 0.24, 0.81),
}
LEARNED = {"raw": (84, 4, 0, 0), "root": (100, 100, 100, 100)}


def scale(arm, d_k):
    """The three arms: raw, ÷√d_k, ÷d_k."""
    return {"raw": 1.0, "root": d_k**-0.5, "full": 1 / d_k}[arm]


def trained(W, factor, **settings):
    """Weights after the training, and the loss that they leave."""
    W = train(*W, factor, **settings)[:2]
    return W, loss_and_gradients(*W, factor)[0]


@pytest.fixture(scope="module")
def five():
    """The lesson's own five seeds: every width takes the first columns of one draw."""
    W = start(1024)
    return {d_k: [w[..., :d_k] for w in W] for d_k in WIDTHS}


@pytest.fixture(scope="module")
def fresh_losses():
    """Final losses of fresh seeds, for every arm and width: more of them where only some seeds learn."""
    losses = {}
    for d_k in WIDTHS:
        W = turn_axes(*start(d_k, seeds=SEEDS[d_k], rng_seed=1))
        for arm in FINAL_LOSS:
            losses[arm, d_k] = trained(W, scale(arm, d_k))[1]
    return losses


@pytest.mark.parametrize("arm", FINAL_LOSS)
def test_gradients_against_finite_differences(arm):
    step, factor = 1e-5, scale(arm, 3)
    W = start(3, seeds=2)
    _, *gradients = loss_and_gradients(*W, factor)
    for which, gradient in enumerate(gradients):
        for index in np.ndindex(gradient.shape[1:]):
            nudged = [np.copy(W) for _ in range(2)]
            nudged[0][(which, slice(None), *index)] += step
            nudged[1][(which, slice(None), *index)] -= step
            up, down = (loss_and_gradients(*pair, factor)[0] for pair in nudged)
            np.testing.assert_allclose(gradient[(slice(None), *index)], (up - down) / (2 * step), atol=1e-8)


def test_the_people_have_unit_normal_queries_and_a_place_of_their_own():
    np.testing.assert_array_equal(X @ X.T, 16 * np.eye(8))
    queries = X @ start(1024)[0]
    assert abs(queries.var() - 1) < 4 * np.sqrt(2 / queries.size)
    np.testing.assert_allclose(np.linalg.norm(V - V.mean(axis=0), axis=1), np.sqrt(2))
    np.testing.assert_allclose(targets, V[(np.arange(8) + 3) % 8])


def test_the_two_reference_lines():
    """Pointing at the middle costs 1; at a random person, 2: the mean over all eight choices."""
    zero = np.zeros((16, 4))
    assert loss_and_gradients(zero, zero, 1.0)[0] == pytest.approx(1)
    choices = [((np.roll(V, shift, axis=0) - targets) ** 2).mean() for shift in range(8)]
    assert np.mean(choices) == pytest.approx(2)


@pytest.mark.long
@pytest.mark.parametrize("arm", FINAL_LOSS)
def test_median_final_losses(fresh_losses, arm):
    """Each figure is a median of five seeds: its rank among the others follows Beta(3, 3), in .04 … .96 but
    for one case in a thousand; half a unit is the figure's rounding."""
    for d_k, expected in zip(WIDTHS, FINAL_LOSS[arm]):
        losses = fresh_losses[arm, d_k]
        assert (losses < expected + 0.005).mean() > 0.04, d_k
        assert (losses < expected - 0.005).mean() < 0.96, d_k


@pytest.mark.long
@pytest.mark.parametrize("arm", LEARNED)
def test_how_many_of_a_hundred_seeds_learn(fresh_losses, arm):
    """The figures are counts out of a hundred seeds: four standard errors of the difference, at least .02."""
    for d_k, expected in zip(WIDTHS, LEARNED[arm]):
        share = (fresh_losses[arm, d_k] < 0.1).mean()
        pooled = (share + expected / 100) / 2
        noise = np.sqrt(pooled * (1 - pooled) * (1 / 100 + 1 / SEEDS[d_k]))
        assert abs(share - expected / 100) <= max(0.02, 4 * noise), d_k


@pytest.mark.long
def test_what_the_lesson_prints_stands_clear_of_a_rounding_edge(five):
    """Other machines add in another order: a loss then differs by up to 5e-4, a median by 2e-8."""
    for d_k, W in five.items():
        for arm in FINAL_LOSS:
            (W_q, W_k), losses = trained(turn_axes(*W), scale(arm, d_k))
            tenths = np.median(losses) * 10
            assert abs(tenths - np.floor(tenths) - 0.5) > 0.05, (arm, d_k)
            right = right_spots(forward(W_q, W_k, scale(arm, d_k))[3]).sum()
            assert right == 40 if arm != "raw" else right < 40, (arm, d_k)


def test_one_row_holds_the_gradient_at_the_start():
    """Medians of 200 starts against 5.7 and 1.2, and a top row of 99 %: four standard errors of a rank."""
    slack = 4 * 0.5 / np.sqrt(200)
    W = start(1024, seeds=200, rng_seed=2)
    sizes, shares = {}, {}
    for arm in ("raw", "root"):
        _, d_W_q, d_W_k = loss_and_gradients(*W, scale(arm, 1024))
        sizes[arm] = np.sqrt((d_W_q**2).sum(axis=(1, 2)) + (d_W_k**2).sum(axis=(1, 2)))
        rows = ((X @ d_W_q) ** 2).sum(axis=2)
        shares[arm] = rows.max(axis=1) / rows.sum(axis=1)
    assert abs((sizes["raw"] < 5.7).mean() - 0.5) < slack
    assert (sizes["root"] < 1.25).mean() > 0.5 > (sizes["root"] < 1.15).mean() - slack
    assert abs((shares["raw"] < 0.99).mean() - 0.5) < slack
    assert np.median(shares["root"]) < 0.3


@pytest.mark.parametrize("d_k", [4, 16, 64, 256])
def test_scaled_descent_is_raw_descent_from_a_smaller_start(five, d_k):
    W_q, W_k = turn_axes(*five[d_k])
    scaled = train(W_q, W_k, d_k**-0.5)[2]
    raw = train(W_q * d_k**-0.25, W_k * d_k**-0.25, 1.0, rate=0.5 * d_k**-0.5)[2]
    np.testing.assert_allclose(raw[:50], scaled[:50], rtol=0, atol=1e-9)
    np.testing.assert_allclose(np.median(raw, axis=1), np.median(scaled, axis=1), rtol=0, atol=1e-9)


def test_turned_axes_change_nothing(five):
    for arm in ("root", "full"):
        straight, turned = (trained(W, scale(arm, 64))[1] for W in (five[64], turn_axes(*five[64])))
        np.testing.assert_allclose(turned, straight, rtol=0, atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize(
    "d_k, least, most",
    [
        (4, {"raw": 3, "root": 4, "full": 4}, {"raw": 5, "root": 5, "full": 5}),
        (16, {"raw": 1, "root": 5, "full": 5}, {"raw": 5, "root": 6, "full": 5}),
        (64, {"raw": 0, "root": 5, "full": 5}, {"raw": 2, "root": 6, "full": 5}),
    ],
)
def test_how_many_of_ten_rates_learn(five, d_k, least, most):
    """Rates 4⁻⁵ … 4⁴, median of five below ¼; the bounds are the range of forty other groups of five."""
    rates = 4.0 ** np.arange(-5, 5)[:, None, None, None]
    W = [np.broadcast_to(w, (10, *w.shape)) for w in turn_axes(*five[d_k])]
    for arm in FINAL_LOSS:
        count = (np.median(trained(W, scale(arm, d_k), rate=rates)[1], axis=-1) < 0.25).sum()
        assert least[arm] <= count <= most[arm], arm
