"""`Fit`, the result of training: it predicts, selects cells of its grid, and can be saved. Numpy only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from bdlviz.checks import in_order, number, prediction_inputs, whole_number
from bdlviz.errors import USUAL_ERRORS, InvalidInput
from bdlviz.fitted import checkpoints
from bdlviz.methods import method as find_method
from bdlviz.models.likelihoods import Gaussian, has_gaussian_noise
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.models.own_density import OwnDensity
from bdlviz.models.scaling import Scaling
from bdlviz.predictive.convergence import Convergence, convergence_of
from bdlviz.predictive.functions import evaluate
from bdlviz.predictive.length_scale import layer_length_scales, length_scale_for
from bdlviz.predictive.summaries import in_pieces, summarise_classification, summarise_regression
from bdlviz.types import Array, Draws, FitConfig, MethodSpec, Predictive

MAX_KEPT_NUMBERS = 20_000_000  # outputs of draws at once: 80 MB of class probabilities, 160 MB of functions
LEARNED_NOISE = "learned_noise"  # among the snapshots: (T, R, C, K), in y's units
NAIVE = {"dropout_rate": 0.0}  # one pass without masks


@dataclass(frozen=True, eq=False)
class Fit:
    """Trained parameters of R seeds x C cells, and what is needed to predict with them.

    Attributes:
        config: everything that determined the fit.
        params: arrays (R, C, ...) by name; C runs over the grid axes in the order of ``config.axes``.
        history: ``step`` (T,), and ``loss`` (T, R, C); of one cell and one seed, (T,).
        snapshots: parameters at the recorded steps, (T, R, C, ...), when ``num_snapshots`` asked for them.
        num_steps_done: fewer than ``config.num_steps`` when the fit was stopped. Where it was cancelled, those of the
            networks that got furthest: others of a grid may be up to 0.2 seconds of training behind.
        diverged: (R, C), true where the parameters or the loss became infinite or not a number.
        classes: the labels of classification in ascending order, that of probability k at place k.
        columns: the names of x's columns, where the training data were a table.
        image_shape: height and width, where they were images; None in files written before it was kept.
    """

    config: FitConfig
    model: Model
    scaling: Scaling
    noise_std: float | Array  # in y's units; (K,) for several outputs; (R, C, K) where each network learned its own
    num_data: int
    params: Mapping[str, Array]
    losses: Mapping[str, Array] = field(default_factory=dict)
    snapshots: Mapping[str, Array] = field(default_factory=dict)
    num_steps_done: int = 0
    seconds: float = 0.0
    classes: tuple[Any, ...] = ()
    columns: tuple[str, ...] = ()
    image_shape: tuple[int, int] | None = None

    @property
    def spec(self) -> MethodSpec:
        """The method's entry in the registry."""
        return find_method(self.config.method)

    @property
    def is_single(self) -> bool:
        """True if this fit has one cell and one seed."""
        return len(self.config.seeds) == 1 and all(size == 1 for size in self.config.grid_shape)

    @property
    def is_done(self) -> bool:
        """True if training took all of its steps.

        It is false for a fit that was stopped or cancelled, for a snapshot before the last step, and for a fit that
        ended early because all of its networks diverged. A grid of which only some diverged is done: see `diverged`.
        """
        return self.num_steps_done >= self.config.num_steps

    @property
    def diverged(self) -> Array:
        """Where parameters or the loss are not finite, (R, C)."""
        finite = np.logical_and.reduce([np.isfinite(a).all(tuple(range(2, a.ndim))) for a in self.params.values()])
        recorded = np.searchsorted(self.losses["step"], self.num_steps_done, "right") if self.losses else 0
        return ~finite if recorded == 0 else ~(finite & np.isfinite(self.losses["loss"][recorded - 1]))

    @property
    def history(self) -> dict[str, Array]:
        """Recorded values per recorded step, squeezed to (T,) for one seed and one cell."""
        single = self.is_single
        recorded = {name: array for name, array in self.losses.items() if name != "snapshot_step"}
        return {name: a[:, 0, 0] if single and a.ndim > 1 else a for name, a in recorded.items()}

    @property
    def snapshot_steps(self) -> Array:
        """The steps of the snapshots, (T,)."""
        return self.losses["snapshot_step"] if self.snapshots else np.empty(0, int)

    def cell(self, *, seed: int | None = None, **values: float) -> Self:
        """The part of a grid fit with these hyper-parameter values (the nearest grid value must be equal to 1e-6)."""
        index: list[Any] = [slice(None)]
        axes = []
        for name, stops in self.config.axes:
            chosen = _position(name, stops, values.pop(name)) if name in values else None
            index.append(slice(None) if chosen is None else slice(chosen, chosen + 1))
            axes.append((name, stops if chosen is None else (stops[chosen],)))
        if values:
            known = ", ".join(name for name, _ in self.config.axes)
            raise InvalidInput(f"This fit has no axis {', '.join(values)}; its axes are {known}.")
        seeds = self.config.seeds
        if seed is not None:
            if whole_number("seed", seed) not in seeds:
                raise InvalidInput(f"This fit has no seed {seed}; its seeds are {', '.join(map(str, seeds))}.")
            index[0] = slice(seeds.index(seed), seeds.index(seed) + 1)
            seeds = (seed,)
        config = replace(self.config, axes=tuple(axes), seeds=seeds)
        noise_std = self.noise_std
        if np.ndim(noise_std) == 3:
            noise_std = self._pick(np.asarray(noise_std), index, 0)
        return replace(
            self,
            config=config,
            noise_std=of_one_network(noise_std),
            params={name: self._pick(array, index, 0) for name, array in self.params.items()},
            losses={n: a if a.ndim == 1 else self._pick(a, index, 1) for n, a in self.losses.items()},
            snapshots={name: self._pick(array, index, 1) for name, array in self.snapshots.items()},
        )

    def _pick(self, array: Array, index: Sequence[slice], lead: int) -> Array:
        grid = array.reshape(*array.shape[: lead + 1], *self.config.grid_shape, *array.shape[lead + 2 :])
        picked = grid[(slice(None),) * lead + tuple(index)]
        end = lead + 1 + len(self.config.grid_shape)
        return picked.reshape(
            *picked.shape[: lead + 1], int(np.prod(picked.shape[lead + 1 : end])), *picked.shape[end:]
        )

    def single(self, dtype: Any = None) -> dict[str, Array]:
        """The parameters of a fit of one network by name, without the axes of seeds and cells.

        Args:
            dtype: the type of the numbers, such as ``float``; by default that of `params`, which are not copied then.

        Raises:
            InvalidInput: the fit holds several cells or seeds (pick one with `cell`), or its weights were not kept.
        """
        self._require_single("single")
        self._require_weights()
        arrays = {name: array[0, 0] for name, array in self.params.items()}
        return arrays if dtype is None else {name: array.astype(dtype) for name, array in arrays.items()}

    def at_snapshot(self, index: int) -> Self:
        """This fit as it was at one of its snapshots, by its place from 0.

        Raises:
            InvalidInput: there is no snapshot at that place.
        """
        kept, index = len(self.snapshot_steps), whole_number("index", index)
        if not 0 <= index < kept:
            raise InvalidInput(f"There is no snapshot {index}: this fit keeps {kept}, counted from 0.")
        params = {name: np.asarray(array[index], np.float32) for name, array in self.snapshots.items()}
        learned = params.pop(LEARNED_NOISE, None)
        noise_std = self.noise_std if learned is None else of_one_network(self.snapshots[LEARNED_NOISE][index])
        step = int(self.snapshot_steps[index])
        return replace(self, params=params, noise_std=noise_std, num_steps_done=step, snapshots={})

    @property
    def length_scale(self) -> float:
        """Length-scale of the prior that corresponds to the weight decay (one cell; standardised units).

        It holds for the layers with dropout on their input; `length_scales` has one for every layer.

        Raises:
            InvalidInput: several cells, or a method without weight decay and length-scale.
        """
        self._require_single("length_scale")
        axes = dict(self.config.axes)
        if "length_scale" in axes:
            return axes["length_scale"][0]
        if "weight_decay" not in axes:
            raise InvalidInput(f"{self.spec.title} has no weight decay, so no length-scale of a prior belongs to it.")
        rate = axes.get("dropout_rate", (0.0,))[0]
        return length_scale_for(axes["weight_decay"][0], self.precision, self.num_data, rate)

    @property
    def length_scales(self) -> tuple[float, ...]:
        """Length-scale of the prior over each layer's weights that corresponds to the weight decay (one cell).

        In standardised units, the first layer first: its input is not dropped. Biases are not penalised and have none.

        Raises:
            InvalidInput: several cells, a network of your own, or a method without weight decay.
        """
        self._require_single("length_scales")
        axes = dict(self.config.axes)
        if "weight_decay" not in axes or not isinstance(self.model.network, MLP):
            raise InvalidInput("Only the built-in network with a weight decay has a length-scale for every layer.")
        decay, rate = axes["weight_decay"][0], axes.get("dropout_rate", (0.0,))[0]
        return layer_length_scales(decay, self.precision, self.num_data, rate, self.model.network.num_layers)

    @property
    def precision(self) -> float:
        """Model precision tau in standardised units: the inverse variance of the noise, averaged over outputs.

        1 for classes and for a likelihood of your own, which knows its noise itself.
        """
        if not isinstance(self.model.likelihood, Gaussian):
            return 1.0
        return self.scaling.precision(self.noise_std)

    @np.errstate(**USUAL_ERRORS)
    def convergence(self, x: Any) -> Convergence:
        """Split R-hat and effective sample size of the chains' functions at x (N, D), in the user's units."""
        if self.spec.inference != "sampled":
            raise InvalidInput(f"{self.spec.title} has no chains that could agree.")
        self._require_single("convergence")
        self._require_finite()
        params = self.single()
        inputs = self.scaling.standardise_x(self._inputs(x))
        return convergence_of(self.model, params, int(dict(self.config.options).get("num_chains", 1)), inputs)

    def masks(self, num_samples: int, *, seed: int = 0) -> tuple[Array, ...]:
        """The masks of the first draws that `predict` uses with this seed, (S, H) for each hidden layer."""
        return self._draws(num_samples, seed, {}).masks

    def _draws(self, num_samples: int, seed: int, changed: Mapping[str, float]) -> Draws:
        self._require_single("predict")
        num_samples, seed = whole_number("num_samples", num_samples, 1, 100_000), whole_number("seed", seed, 0)
        params = self.single()
        rng = np.random.Generator(np.random.SFC64([seed, *b"draws"]))
        values = {name: stops[0] for name, stops in self.config.axes} | dict(changed)
        return self.spec.sample(self.model.network, params, values, rng, num_samples)

    @np.errstate(**USUAL_ERRORS)
    def draw_outputs(self, x: Any, num_samples: int, *, seed: int = 0, with_dropout: bool = True) -> Array:
        """Network outputs of S draws at x (N, D), in standardised units: (S, N, K). One cell of one seed.

        ``with_dropout=False`` gives the naive approximation instead: one pass with the mean weights, no masks.
        """
        inputs = self._inputs(x)
        draws = self._draws(num_samples, seed, {} if with_dropout else NAIVE)
        return evaluate(self.model.network, draws, self.scaling.standardise_x(inputs))

    @np.errstate(**USUAL_ERRORS)
    def predict(self, x: Any, num_samples: int = 1000, *, seed: int = 0, with_dropout: bool = True) -> Predictive:
        """The predictive distribution at x, in the user's units.

        Args:
            x: (N,) or (N, D) inputs in the user's units.
            num_samples: posterior samples S; methods with fewer functions (one network, M members) use all they have.
            seed: of the draws. The same seed gives the same masks at every setting.
            with_dropout: False for the naive approximation, one pass without masks.

        Raises:
            InvalidInput: the fit holds several cells or seeds (pick one with `cell`), or diverged; x, num_samples or
                seed cannot be used.
        """
        self._require_finite()
        x = self._inputs(x)
        draws = self._draws(num_samples, seed, {} if with_dropout else NAIVE)
        num_outputs = self.model.likelihood.num_outputs(len(self.classes) or self.scaling.y_mean.size)
        num_rows = max(1, MAX_KEPT_NUMBERS // (draws.num_samples * num_outputs))
        num_kept = max(1, MAX_KEPT_NUMBERS // (len(x) * num_outputs))
        return in_pieces(x, num_rows, num_kept, lambda part: self._predict_at(part, draws))

    def _predict_at(self, x: Array, draws: Draws) -> Predictive:
        inputs = self.scaling.standardise_x(x)
        found = self._summarise(x, evaluate(self.model.network, draws, inputs))
        summary = replace(found, has_all_draws=draws.are_all)
        if draws.moments is None or summary.is_classification:  # they are moments of the outputs, not of probabilities
            return summary
        mean, variance = draws.moments(inputs)  # exact, instead of estimated from the draws
        mean, std = mean * self.scaling.y_scale + self.scaling.y_mean, np.sqrt(variance) * self.scaling.y_scale
        exact = replace(summary, mean=mean, epistemic_std=std)
        if not self.spec.is_gaussian or exact.variances is not None or exact.density is not None:
            return exact
        if draws.covariance is None:
            return replace(exact, covariance=np.square(std)[..., None] * np.eye(std.shape[1]))
        return replace(exact, covariance=draws.covariance(inputs) * self.scaling.y_scale.T * self.scaling.y_scale)

    def _summarise(self, x: Array, outputs: Array) -> Predictive:
        """From the network's outputs (S, N, K) of every draw to the predictive distribution in the user's units."""
        likelihood, scaling = self.model.likelihood, self.scaling
        if likelihood.task == "classification":
            return replace(summarise_classification(x, likelihood.mean(outputs)), classes=self.classes)
        means, variances = likelihood.mean(outputs), likelihood.variance(outputs)
        units = {"offset": scaling.y_mean, "scale": scaling.y_scale}
        summary = summarise_regression(x, means, variances, self.noise_std, **units)
        if has_gaussian_noise(likelihood):
            return summary
        return replace(summary, density=OwnDensity(likelihood, outputs, scaling.y_mean, scaling.y_scale))

    def _inputs(self, x: Any) -> Array:
        """Inputs (N, D) in the user's units; of a table, its columns in the order of training."""
        return prediction_inputs(in_order(x, self.columns), self.scaling.x_mean.size)

    def _require_single(self, what: str) -> None:
        if not self.is_single:
            cells, seeds = int(np.prod(self.config.grid_shape)), len(self.config.seeds)
            raise InvalidInput(
                f"{what} needs one cell of one seed; this fit has {cells} x {seeds}: pick with fit.cell()."
            )

    def _require_weights(self) -> None:
        if not self.params:
            raise InvalidInput("The weights of this fit were not kept, only its scores: train it again.")

    def _require_finite(self) -> None:
        self._require_weights()
        if self.diverged.any():
            smaller = "step size" if self.spec.hyperparameter("step_size") else "learning rate"
            raise InvalidInput(f"This fit diverged: its weights are no longer finite. Try a smaller {smaller}.")

    def save(self, path: Any) -> None:
        """Write this fit to one .safetensors file."""
        checkpoints.save(self, path)


def of_one_network(noise_std: float | Array) -> float | Array:
    """Noise (R, C, K) of one network as (K,), or as a number where there is one output; other noise as it is."""
    if np.ndim(noise_std) < 3 or np.shape(noise_std)[:2] != (1, 1):
        return noise_std
    learned = np.asarray(noise_std)[0, 0]
    return float(learned[0]) if len(learned) == 1 else learned


def _position(name: str, stops: Sequence[float], value: float) -> int:
    value = number(name, value)
    gaps = [abs(stop - value) for stop in stops]
    best = int(np.argmin(gaps))
    if not (np.isfinite(value) and gaps[best] <= 1e-6 * max(abs(value), abs(stops[best]))):
        raise InvalidInput(f"{name}={value:g} is not on this fit's grid: {', '.join(f'{stop:g}' for stop in stops)}.")
    return best
