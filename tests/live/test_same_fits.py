"""Trained with the same settings, the networks of the browser and of the library have the same predictions.

Their random numbers differ, so means over ten seeds are compared, within four Monte Carlo standard errors.
"""

import numpy as np
import pytest

import bdlviz
from tests.live.in_node import ask

SEEDS = 10
SAMPLES = 200
AT = np.linspace(-4, 4, 50)[:, None]
NOISE = 0.2
CASES = {
    "map": {"weight_decay": 1e-3},
    "mc_dropout": {"dropout_rate": 0.2, "weight_decay": 1e-3},
    "deep_ensemble": {"weight_decay": 1e-3, "num_members": 3},
    "bayes_by_backprop": {"length_scale": 1.0},
}
PROGRAM = """
return [...Array(given.seeds).keys()].map((seed) => {
  const trainer = new live.Trainer({ ...given.settings, seed }, given.x, given.y);
  for (let i = 0; i < given.steps; i += 1) trainer.step();
  const [set, there] = [given.at, given.x].map((x) => trainer.sample(x, given.samples, seed));
  return { count: set.num_samples, outputs: set.samples, at_data: there.samples };
});
"""


def data() -> tuple[np.ndarray, np.ndarray]:
    """Fifteen points of a sine with a gap."""
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.uniform(-3, -1, 8), rng.uniform(0.5, 2.5, 7)])
    return x[:, None], (np.sin(2 * x) + NOISE * rng.standard_normal(15))[:, None]


def summary(outputs: np.ndarray, at_data: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mean and standard deviation of (S, 50) draws at every input, and the NLL of the mixture at the data (S, N)."""
    densities = np.exp(-0.5 * ((y - at_data) / NOISE) ** 2) / (NOISE * np.sqrt(2 * np.pi))
    return np.concatenate([outputs.mean(0), outputs.std(0), [-np.log(densities.mean(0)).mean()]])


def errors(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Differences of means over seeds (rows), in their standard errors; 0 where neither varies."""
    error = np.sqrt((first.var(0, ddof=1) + second.var(0, ddof=1)) / SEEDS)
    return np.abs(first.mean(0) - second.mean(0)) / np.maximum(error, 1e-6)


@pytest.mark.parametrize("batch_size", [None, 5])
@pytest.mark.parametrize("method", CASES)
def test_likelihood_and_band_after_training(method: str, batch_size: int | None):
    x, y = data()
    shared = {"hidden": [16, 16], "activation": "tanh", "learning_rate": 0.01, "noise_std": NOISE}
    shared |= {"batch_size": batch_size, **CASES[method]}
    fitted = bdlviz.fit(method, (x, y), seed=range(SEEDS), num_steps=500, **shared)
    theirs = []
    for seed in range(SEEDS):
        network = fitted.cell(seed=seed)
        scale, center = network.scaling.y_scale[0, 0], network.scaling.y_mean[0, 0]
        both = center + scale * network.draw_outputs(np.concatenate([AT, x]), SAMPLES)[..., 0]
        theirs.append(summary(both[:, :50], both[:, 50:], y[:, 0]))
    settings = {"method": method, **shared}
    given = {"x": x, "y": y, "at": AT, "seeds": SEEDS, "samples": SAMPLES, "steps": 500, "settings": settings}
    ours = [
        summary(np.reshape(one["outputs"], (one["count"], 50)), np.reshape(one["at_data"], (one["count"], 15)), y[:, 0])
        for one in ask(PROGRAM, **given)
    ]
    assert errors(np.array(theirs), np.array(ours)).max() < 4


def test_langevin_dynamics_agrees_with_hmc():
    """On a small network its kept states have the mean and the standard deviation of the library's exact chains."""
    x, y = data()
    shared = {"hidden": [5], "activation": "tanh", "noise_std": 0.5, "length_scale": 1.0}
    exact = bdlviz.fit("hmc", (x, y), num_steps=400, num_chains=16, **shared)
    draws = exact.scaling.y_mean[0, 0] + exact.scaling.y_scale[0, 0] * exact.draw_outputs(AT, 2000)[..., 0]
    settings = {"method": "sgld", "step_size": 0.06, "num_kept": 1000, "thinning": 100, **shared}
    given = {"x": x, "y": y, "at": AT, "seeds": SEEDS, "samples": 1000, "steps": 100_000, "settings": settings}
    ours = np.array([np.reshape(one["outputs"], (one["count"], 50)) for one in ask(PROGRAM, **given)])
    for of_draws in (np.mean, np.std):
        by_seed = of_draws(ours, axis=1)
        error = by_seed.std(0, ddof=1) / np.sqrt(SEEDS)
        tolerance = 4 * np.hypot(error, error.mean()) + 0.03 * draws.std(0)  # of the finite step
        assert (np.abs(by_seed.mean(0) - of_draws(draws, axis=0)) < tolerance).all()
