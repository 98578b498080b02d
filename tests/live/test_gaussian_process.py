"""The exact Gaussian process in the browser has the mean, the standard deviation and the evidence of the library's."""

import numpy as np
import pytest

from bdlviz.models.gaussian_process import Posterior
from bdlviz.models.infinite_mlp import InfiniteMLP
from bdlviz.models.mlp import MLP
from tests.live.in_node import ask, assert_near

PROGRAM = """
const settings = { method: "gaussian_process", hidden: given.hidden, activation: given.activation, noise_std: 0.3,
  length_scale: 1.3, prior_by_width: given.by_width };
const trainer = new live.Trainer(settings, given.x, given.y);
const { mean, sd, samples } = trainer.sample(given.at, 400, 0);
return { mean, sd, samples, loss: trainer.loss };
"""


@pytest.mark.parametrize("count", [0, 1, 20, 200])
@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu"])
@pytest.mark.parametrize(("hidden", "by_width"), [((30,), 0), ((20, 10), 1), ((20, 10, 10), 1)])
def test_mean_and_standard_deviation(activation: str, hidden: tuple[int, ...], by_width: int, count: int):
    rng = np.random.default_rng(1)
    x, at = rng.uniform(-3, 3, (count, 1)).astype(np.float32), np.linspace(-5, 5, 50).astype(np.float32)[:, None]
    y = (np.sin(x) + 0.3 * rng.standard_normal(x.shape)).astype(np.float32)
    center, scale = (x.mean(dtype=float), x.std(dtype=float)) if count > 1 else (x.sum(), 1.0)
    low, size = (y.mean(dtype=float), y.std(dtype=float)) if count > 1 else (y.sum(), 1.0)
    prior = InfiniteMLP.of(MLP((1, *hidden, 1), activation), 1.3, by_width == 1)
    standard = [((values - center) / scale).astype(np.float32) for values in (x, at)]
    posterior = Posterior(prior, standard[0], ((y - low) / size).astype(np.float32), (size / 0.3) ** 2)
    answer = ask(PROGRAM, hidden=list(hidden), activation=activation, by_width=by_width, x=x, y=y, at=at)
    sd = size * np.sqrt(posterior.variance(standard[1]))
    mean = low + size * posterior.mean(standard[1])[:, 0]
    assert np.abs(answer["mean"] - mean).max() <= 1e-4 * max(1, np.abs(mean).max())
    assert_near(answer["sd"], sd, 1e-4)
    if count:
        assert answer["loss"] == pytest.approx(posterior.negative_log_evidence / count, rel=1e-4, abs=1e-4)
    draws = np.array(answer["samples"]).reshape(400, 50)
    assert (np.abs(draws.mean(0) - mean) < 5 * sd / 20).all()
    np.testing.assert_allclose(draws.std(0), sd, rtol=0.2)


def test_more_points_than_it_takes_are_refused():
    program = """
    const session = new live.Session((message) => posts.push(message), () => {});
    const posts = [];
    session.take({ type: "start", settings: { method: "gaussian_process" }, x: given.x, y: given.x });
    return posts;
    """
    assert "at most 200" in ask(program, x=np.arange(201.0))[0]["message"]


def test_equations_that_are_singular_in_double_precision_still_have_finite_answers():
    """Little noise, equal inputs, wide data and wide priors: pivots are rounding errors, and draws have no spread."""
    program = """
    const random = new live.Random(3);
    const between = (low, high) => 10 ** (low + (high - low) * random.uniform());
    const failed = [];
    for (let i = 0; i < 300; i += 1) {
      const [count, reach] = [random.below(30), between(-2, 6)];
      const settings = { method: "gaussian_process", length_scale: between(-4, 3), noise_std: between(-6, 3),
        hidden: Array(1 + random.below(3)).fill(50), activation: ["relu", "tanh", "gelu"][random.below(3)],
        prior_by_width: random.below(2) };
      const value = () => (random.uniform() - 0.5) * reach;
      const x = Float32Array.from({ length: count }, () => (random.below(3) ? value() : 1));
      const at = Float32Array.from({ length: 61 }, (_, q) => (q / 3 - 10) * (random.below(2) ? 1 : reach));
      try {
        const { samples, mean, sd } = new live.Trainer(settings, x, x.map(value)).sample(at, 5, 0);
        if (![...samples, ...mean, ...sd].every(Number.isFinite)) failed.push(settings);
      } catch (error) {
        failed.push([error.message, settings]);
      }
    }
    return failed;
    """
    assert ask(program) == []
