"""Convergence of chains: the default HMC fit to 40 points, compared with the samplers of numpyro and Pyro.

Two numbers are measured: the seconds until split R-hat of the predicted function is below 1.05 at all inputs of a
figure, and the effective samples per second, with warm-up, at the worst of a few inputs. The estimators are those of
bdlviz for all samplers, and all samplers must predict the same means.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import bdlviz
from bdlviz.predictive.chains import FEWEST_KEPT, effective_sample_size, split_r_hat
from bdlviz.types import Array
from benchmarks.report import Row
from benchmarks.timing import Contender, Runs, Spread, interleave

NUM_HIDDEN, NOISE_STD = 50, 0.1
LARGEST_R_HAT = 1.05
PICTURE = np.linspace(-5, 5, 100)
PLACES = np.array([-4.5, -2.5, 0.0, 2.5, 4.5])
ERRORS = 5  # number of standard errors by which means may differ
PYRO_SECONDS, PYRO_WARM_UP, PYRO_KEPT = 20.0, 50, 200
SHAPES = {"w0": (1, NUM_HIDDEN), "b0": (1, NUM_HIDDEN), "w1": (NUM_HIDDEN, 1), "b1": (1, 1)}
NOTE = "a trajectory length tuned for such networks is another thing than NUTS, which finds its own"


@dataclass(frozen=True)
class Plan:
    """The settings of a sampler of numpyro; ``num_leapfrog`` is None for NUTS, which adapts it."""

    num_chains: int
    warm_up: int
    kept: int
    num_leapfrog: int | None = None


FEWEST = "bdlviz's fewest trajectories"
FEWEST_TRAJECTORIES = {"tanh": 80, "relu": 120}  # about the smallest numbers that reach the R-hat in every run
PLANS = {  # about the smallest numbers of steps that reach the R-hat
    "NUTS, 4 chains as one program": Plan(4, 50, 50),
    "HMC of 60 leapfrog steps, 32 chains": Plan(32, 100, 100, num_leapfrog=60),
}


@dataclass(frozen=True)
class Posterior:
    """Two clusters of 20 points, and a network with one hidden layer as the model."""

    activation: str

    @property
    def points(self) -> tuple[Array, Array]:
        """The points in the user's units."""
        rng = np.random.default_rng(0)
        x = np.concatenate([rng.uniform(-4, -1, 20), rng.uniform(1, 4, 20)])
        return x, np.sin(1.5 * x) + NOISE_STD * rng.standard_normal(40)

    def standardised(self, at: Array) -> Array:
        """Inputs of the network."""
        x = self.points[0]
        return (at - x.mean()) / x.std()

    def model(self, language: Any, dist: Any, act: Callable[[Any], Any], inputs: Any, targets: Any) -> None:
        """The prior and the likelihood of bdlviz, written for numpyro and Pyro."""
        weights = {}
        for name, shape in SHAPES.items():
            std = shape[0] ** -0.5 if name.startswith("w") else 1.0
            weights[name] = language.sample(name, dist.Normal(0.0, std).expand(shape).to_event(2))
        noise = NOISE_STD / self.points[1].std()
        language.sample("y", dist.Normal(network(weights, act, inputs), noise).to_event(1), obs=targets)

    def judged(self, outputs: Array) -> Array:
        """Diagnostics of the function at `PICTURE`, then at `PLACES`, from outputs (chains, kept, N) of the network."""
        y = self.points[1]
        chains = np.asarray(outputs, np.float64) * y.std() + y.mean()
        at_places = chains[:, :, len(PICTURE) :]
        r_hat, effective = split_r_hat(chains).max(), effective_sample_size(at_places)
        return _diagnostics(r_hat, effective, at_places.mean((0, 1)), at_places.std((0, 1)))


def _diagnostics(r_hat: float, effective: Array, mean: Array, std: Array) -> Array:
    """The largest R-hat (repeated), effective samples, means and standard deviations at N inputs, (4, N)."""
    return np.stack([np.full(len(PLACES), r_hat), effective, mean, std])


def network(weights: Mapping[str, Any], act: Callable[[Any], Any], at: Any) -> Any:
    """Outputs (N,) of one network."""
    return (act(at[:, None] @ weights["w0"] + weights["b0"]) @ weights["w1"] + weights["b1"])[:, 0]


def tanh(rounds: int, cores: int) -> list[Row]:
    """Rows for the tanh network, with Pyro's NUTS."""
    posterior = Posterior("tanh")
    return [*_compared(posterior, rounds), *_of_pyro(posterior)]


def relu(rounds: int, cores: int) -> list[Row]:
    """Rows for the ReLU network."""
    return _compared(Posterior("relu"), rounds)


def _compared(posterior: Posterior, rounds: int) -> list[Row]:
    contenders: dict[str, Contender] = {
        "bdlviz": lambda seed: ours(posterior, seed),
        FEWEST: lambda seed: ours(posterior, seed, num_steps=FEWEST_TRAJECTORIES[posterior.activation]),
    }
    if find_spec("numpyro"):
        contenders |= {name: Compiled(posterior, plan) for name, plan in PLANS.items()}
    runs = interleave(contenders, rounds)
    _check_means(runs)
    what = f"hmc, 1-{NUM_HIDDEN}-1 {posterior.activation}, 40 points"
    rows = [Row(what, Spread.of(runs["bdlviz"].seconds), "<= 3", "s")]
    notes = {FEWEST: f"{FEWEST_TRAJECTORIES[posterior.activation]} instead of 200"}
    for name, run in runs.items():
        target = f"<= {LARGEST_R_HAT}" if name in ("bdlviz", FEWEST) else ""
        rows.append(Row(f"{what}: R-hat, {name}", Spread.of(_r_hats(run)), target, "", notes.get(name, "")))
        rows.append(Row(f"{what}: effective samples a second, {name}", Spread.of(_speeds(run)), "", "/s"))
    rivals = {name: contender for name, contender in contenders.items() if isinstance(contender, Compiled)}
    return rows + _ratios(what, runs, rivals) if rivals else rows


def _ratios(what: str, runs: Mapping[str, Runs], rivals: Mapping[str, Compiled]) -> list[Row]:
    """Ratios to bdlviz; the target is for the fastest peer that reaches the R-hat."""
    mine = runs["bdlviz"]
    soonest = min(rivals, key=lambda name: (_is_late(runs[name]), np.median(runs[name].seconds)))
    fastest = max(rivals, key=lambda name: np.median(_speeds(runs[name])))
    rows = []
    for name, rival in rivals.items():
        note = f"compilation not counted, first run {rival.first_seconds:.0f} s"
        note += f"; R-hat above {LARGEST_R_HAT}" if _is_late(runs[name]) else ""
        note += f"; numpyro's soonest; {NOTE}" if name == soonest else ""
        target = ">= 1.5" if name == soonest else ""
        rows.append(Row(f"{what}: numpyro's {name} / {FEWEST}", runs[name].over(runs[FEWEST]), target, note=note))
    ratio = [our / their for our, their in zip(_speeds(mine), _speeds(runs[fastest]), strict=True)]
    rows.append(Row(f"{what}: effective samples a second, bdlviz / numpyro's best", Spread.of(ratio), note=fastest))
    return rows


def _r_hats(run: Runs) -> list[float]:
    return [float(reached[0, 0]) for reached in run.reached]


def _is_late(run: Runs) -> bool:
    """True if the chains did not converge."""
    return bool(np.median(_r_hats(run)) > LARGEST_R_HAT)


def _speeds(run: Runs) -> list[float]:
    """Effective samples per second, at the input with the fewest, and at least one sample."""
    return [
        max(1.0, float(reached[1].min())) / seconds for reached, seconds in zip(run.reached, run.seconds, strict=True)
    ]


def _check_means(runs: Mapping[str, Runs]) -> None:
    """Fail unless the means at every input agree within `ERRORS` standard errors, from the effective samples."""
    reached = {name: np.array(run.reached) for name, run in runs.items()}
    means = {name: values[:, 2].mean(0) for name, values in reached.items()}
    variances = {name: np.square(values[:, 3]).mean(0) / values[:, 1].sum(0) for name, values in reached.items()}
    for name in runs:
        allowed = ERRORS * np.sqrt(variances["bdlviz"] + variances[name])
        if np.any(np.abs(means["bdlviz"] - means[name]) > allowed):
            raise AssertionError(f"{name}: means {means[name]}, and bdlviz's {means['bdlviz']} +- {allowed}.")


def ours(posterior: Posterior, seed: int, **changed: Any) -> Array:
    """Diagnostics of the default fit of bdlviz, or of a fit with other settings."""
    settings: dict[str, Any] = {"hidden": (NUM_HIDDEN,), "activation": posterior.activation, "noise_std": NOISE_STD}
    settings["prior_by_width"] = 1
    fit = bdlviz.fit("hmc", posterior.points, seed=seed, **settings, **changed)
    agreement = fit.convergence(np.concatenate([PICTURE, PLACES]))
    predictive = fit.predict(PLACES, agreement.num_draws)
    effective = agreement.effective_samples[len(PICTURE) :]
    return _diagnostics(agreement.worst, effective, predictive.mean[:, 0], predictive.epistemic_std[:, 0])


class Compiled:
    """A sampler of numpyro for all chains; the first call compiles it.

    The whole run is jitted, because a second call of `MCMC.run` compiled again for seconds.
    """

    def __init__(self, posterior: Posterior, plan: Plan) -> None:
        self._posterior, self._plan = posterior, plan
        self._run: Callable[[Any], Any] | None = None
        self.first_seconds = 0.0

    def __call__(self, seed: int) -> Array:
        """Run warm-up and sampling."""
        start, is_first = time.perf_counter(), self._run is None
        run = self._run = self._run or self._built()
        judged = self._posterior.judged(np.asarray(run(import_module("jax").random.PRNGKey(seed))))
        if is_first:
            self.first_seconds = time.perf_counter() - start
        return judged

    def _built(self) -> Callable[[Any], Any]:
        """A function (key) -> outputs of the network for all draws, (chains, kept, N)."""
        names = ("jax", "jax.numpy", "numpyro", "numpyro.distributions", "numpyro.infer")
        jax, jnp, numpyro, dist, infer = (import_module(name) for name in names)
        posterior, plan = self._posterior, self._plan
        x, y = posterior.points
        act = {"tanh": jnp.tanh, "relu": lambda a: jnp.maximum(a, 0)}[posterior.activation]
        inputs, targets = posterior.standardised(x), (y - y.mean()) / y.std()
        at = posterior.standardised(np.concatenate([PICTURE, PLACES]))
        is_hmc = plan.num_leapfrog is not None

        def model() -> None:
            posterior.model(numpyro, dist, act, inputs, targets)

        def run(key: Any) -> Any:
            kernel = (
                infer.HMC(model, num_steps=plan.num_leapfrog, trajectory_length=None) if is_hmc else infer.NUTS(model)
            )
            sampler = infer.MCMC(
                kernel,
                num_warmup=plan.warm_up,
                num_samples=plan.kept,
                num_chains=plan.num_chains,
                chain_method="vectorized",
                progress_bar=False,
            )
            sampler.run(key)
            predict = jax.vmap(jax.vmap(lambda weights: network(weights, act, at)))
            return predict(sampler.get_samples(group_by_chain=True))

        return jax.jit(run)


def _of_pyro(posterior: Posterior) -> list[Row]:
    """One run of one chain of Pyro's NUTS, for `PYRO_SECONDS`."""
    if not find_spec("pyro"):
        return []
    outputs, seconds = by_pyro(posterior)
    if len(outputs) < FEWEST_KEPT:
        print(f"Pyro's NUTS: left out, {len(outputs)} draws in {seconds:.0f} s.", file=sys.stderr)
        return []
    diagnostics = posterior.judged(outputs[None])
    note = f"one run, {len(outputs)} draws after {PYRO_WARM_UP} in {seconds:.0f} s; R-hat {diagnostics[0, 0]:.2f}"
    what = f"hmc, 1-{NUM_HIDDEN}-1 {posterior.activation}, 40 points: effective samples a second, Pyro's NUTS"
    return [Row(what, Spread.of([float(diagnostics[1].min()) / seconds]), "", "/s", note)]


class _TimeIsUp(Exception):
    """Raised to end a run of Pyro."""


def by_pyro(posterior: Posterior) -> tuple[Array, float]:
    """The outputs (kept, N) of the network for the draws of a chain, and the seconds, with compilation."""
    torch, pyro, dist, infer = (import_module(name) for name in ("torch", "pyro", "pyro.distributions", "pyro.infer"))
    torch.set_num_threads(1)
    pyro.set_rng_seed(0)
    pyro.enable_validation(False)
    act = {"tanh": torch.tanh, "relu": torch.relu}[posterior.activation]
    x, y = posterior.points
    at = np.concatenate([PICTURE, PLACES])
    inputs, places, targets = (
        torch.tensor(values, dtype=torch.float32)
        for values in (posterior.standardised(x), posterior.standardised(at), (y - y.mean()) / y.std())
    )
    outputs: list[Array] = []
    start = time.perf_counter()

    def note(kernel: Any, weights: Mapping[str, Any], stage: str, index: int) -> None:
        if stage == "Sample":
            outputs.append(network(weights, act, places).detach().numpy())
        if time.perf_counter() - start > PYRO_SECONDS:
            raise _TimeIsUp

    kernel = infer.NUTS(
        lambda: posterior.model(pyro, dist, act, inputs, targets), jit_compile=True, ignore_jit_warnings=True
    )
    chain = infer.MCMC(kernel, num_samples=PYRO_KEPT, warmup_steps=PYRO_WARM_UP, hook_fn=note, disable_progbar=True)
    with suppress(_TimeIsUp):
        chain.run()
    return np.array(outputs), time.perf_counter() - start
