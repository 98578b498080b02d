"""What training returned: a `Fit` predicts, gives one cell of its grid, saves itself. Numpy only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from bdlviz import checkpoints
from bdlviz.errors import InvalidInput
from bdlviz.methods import method as find_method
from bdlviz.methods.common import record_every
from bdlviz.models.autoencoder import RECORD
from bdlviz.models.likelihoods import Gaussian
from bdlviz.models.model import Model
from bdlviz.models.scaling import Scaling
from bdlviz.predictive import bounds, estimators, latent
from bdlviz.predictive.convergence import Convergence, convergence_of
from bdlviz.predictive.functions import evaluate
from bdlviz.predictive.length_scale import length_scale_for
from bdlviz.predictive.summaries import summarise_classification, summarise_regression
from bdlviz.types import Array, Draws, FitConfig, MethodSpec, Predictive

MAX_KEPT_NUMBERS = 20_000_000  # of draws in a Predictive: 80 MB
NAIVE = {"dropout_rate": 0.0}  # a method draws its one pass without masks
MAX_SAMPLES = 100_000  # codes of one image, or images drawn


@dataclass(frozen=True, eq=False)
class Fit:
    """Trained parameters of R seeds x C cells, and what is needed to predict with them.

    Attributes:
        config: everything that determined the fit.
        params: arrays (R, C, ...) by name; C runs over the grid axes in the order of ``config.axes``.
        history: ``step`` (T,), and ``loss`` (T, R, C); of one cell and one seed, (T,).
        snapshots: parameters at the recorded steps, (T, R, C, ...), when ``num_snapshots`` asked for them.
        num_steps_done: fewer than ``config.num_steps`` when the fit was stopped.
        diverged: (R, C), true where the parameters or the loss became infinite or not a number.
    """

    config: FitConfig
    model: Model
    scaling: Scaling
    noise_std: float
    num_data: int
    params: Mapping[str, Array]
    losses: Mapping[str, Array] = field(default_factory=dict)
    snapshots: Mapping[str, Array] = field(default_factory=dict)
    num_steps_done: int = 0
    seconds: float = 0.0

    @property
    def spec(self) -> MethodSpec:
        """The method's entry in the registry."""
        return find_method(self.config.method)

    @property
    def is_single(self) -> bool:
        """Is this one cell of one seed?"""
        return len(self.config.seeds) == 1 and all(size == 1 for size in self.config.grid_shape)

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

    def cell(self, *, seed: int | None = None, **values: float) -> Fit:
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
            if seed not in seeds:
                raise InvalidInput(f"This fit has no seed {seed}; its seeds are {', '.join(map(str, seeds))}.")
            index[0] = slice(seeds.index(seed), seeds.index(seed) + 1)
            seeds = (seed,)
        config = replace(self.config, axes=tuple(axes), seeds=seeds)
        return replace(
            self,
            config=config,
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

    def at_snapshot(self, index: int) -> Fit:
        """This fit as it was at one of its snapshots."""
        params = {name: np.asarray(array[index], np.float32) for name, array in self.snapshots.items()}
        return replace(self, params=params, num_steps_done=int(self.snapshot_steps[index]), snapshots={})

    @property
    def length_scale(self) -> float:
        """Length-scale of the prior that the weight decay amounts to (one cell; standardised units)."""
        self._require_single("length_scale")
        if "length_scale" in dict(self.config.axes):
            return self.config.hyperparameter("length_scale")
        rate = dict(self.config.axes).get("dropout_rate", (0.0,))[0]
        decay = self.config.hyperparameter("weight_decay")
        return length_scale_for(decay, self.precision, self.num_data, rate)

    @property
    def precision(self) -> float:
        """Model precision tau in standardised units: the inverse variance of the observation noise.

        1 for classes and for a likelihood of your own, which knows its noise itself.
        """
        if not isinstance(self.model.likelihood, Gaussian):
            return 1.0
        return float((self.scaling.y_scale.ravel()[0] / self.noise_std) ** 2)

    def convergence(self, x: Any) -> Convergence:
        """Whether the chains of a sampled fit agree on the functions at x (N, D), in the user's units."""
        if self.spec.inference != "sampled":
            raise InvalidInput(f"{self.spec.title} has no chains that could agree.")
        self._require_single("convergence")
        self._require_finite()
        params = {name: array[0, 0] for name, array in self.params.items()}
        inputs = self.scaling.standardise_x(_as_inputs(x, self.scaling.x_mean.size))
        return convergence_of(self.model, params, int(dict(self.config.options)["num_chains"]), inputs)

    def masks(self, num_samples: int, *, seed: int = 0) -> tuple[Array, ...]:
        """The masks of the first draws that `predict` uses with this seed, (S, H) for each hidden layer."""
        return self._draws(num_samples, seed, {}).masks

    def _draws(self, num_samples: int, seed: int, changed: Mapping[str, float]) -> Draws:
        self._require_single("predict")
        params = {name: array[0, 0] for name, array in self.params.items()}
        rng = np.random.Generator(np.random.SFC64([seed, *b"draws"]))
        values = {name: stops[0] for name, stops in self.config.axes} | dict(changed)
        return self.spec.sample(self.model.network, params, values, rng, num_samples)

    def draw_outputs(self, x: Any, num_samples: int, *, seed: int = 0, with_dropout: bool = True) -> Array:
        """Network outputs of S draws at x (N, D), in standardised units: (S, N, K). One cell of one seed.

        ``with_dropout=False`` gives the naive approximation instead: one pass with the mean weights, no masks.
        """
        inputs = _as_inputs(x, self.scaling.x_mean.size)
        draws = self._draws(num_samples, seed, {} if with_dropout else NAIVE)
        return evaluate(self.model.network, draws, self.scaling.standardise_x(inputs))

    def predict(self, x: Any, num_samples: int = 1000, *, seed: int = 0, with_dropout: bool = True) -> Predictive:
        """The predictive distribution at x, in the user's units.

        Args:
            x: (N,) or (N, D) inputs in the user's units.
            num_samples: posterior samples S; methods with fewer functions (one network, M members) use all they have.
            seed: of the draws. The same seed gives the same masks at every setting.
            with_dropout: False for the naive approximation, one pass without masks.

        Raises:
            InvalidInput: the fit holds several cells or seeds (pick one with `cell`), or diverged.
        """
        if not 1 <= num_samples <= 100_000:
            raise InvalidInput(f"num_samples must be between 1 and 100000, not {num_samples}.")
        self._require_finite()
        x = _as_inputs(x, self.scaling.x_mean.size)
        draws = self._draws(num_samples, seed, {} if with_dropout else NAIVE)
        inputs = self.scaling.standardise_x(x)
        outputs = evaluate(self.model.network, draws, inputs)
        likelihood = self.model.likelihood
        keep = int(np.clip(MAX_KEPT_NUMBERS // max(1, outputs[0].size), 1, len(outputs)))
        if likelihood.task == "classification":
            return summarise_classification(x, likelihood.mean(outputs), keep)
        means = likelihood.mean(outputs) * self.scaling.y_scale + self.scaling.y_mean
        variances = likelihood.variance(outputs)
        if variances is not None:
            variances = variances * self.scaling.y_scale**2
        summary = summarise_regression(x, means.astype(np.float32), variances, self.noise_std, keep)
        if draws.moments is None:
            return summary
        mean, variance = draws.moments(inputs)  # exact, instead of estimated from the draws
        mean, std = mean * self.scaling.y_scale + self.scaling.y_mean, np.sqrt(variance) * self.scaling.y_scale
        return replace(summary, mean=mean, epistemic_std=std)

    def _require_single(self, what: str) -> None:
        if not self.is_single:
            cells, seeds = int(np.prod(self.config.grid_shape)), len(self.config.seeds)
            raise InvalidInput(
                f"{what} needs one cell of one seed; this fit has {cells} x {seeds}: pick with fit.cell()."
            )

    def _require_finite(self) -> None:
        if not self.params:
            raise InvalidInput("The weights of this fit were not kept, only its scores: train it again.")
        if self.diverged.any():
            raise InvalidInput("This fit diverged: its weights are no longer finite. Try a smaller learning rate.")

    def save(self, path: Any) -> None:
        """Write this fit to one .safetensors file."""
        checkpoints.save(self, path)


@dataclass(frozen=True, eq=False)
class GenerativeFit(Fit):
    """A trained model of x itself: from images (N, D) to codes (N, Z) and back. One cell of one seed at a time.

    Images may come as (N, height, width); one image alone as (D,) or (1, D). Everything in nats is per image.
    """

    @property
    def is_variational(self) -> bool:
        """Has it a distribution over codes, and so a bound? A plain autoencoder has not."""
        return self.model.network.is_variational

    @property
    def num_classes(self) -> int:
        """Of a fit that is told the class of every image; 0 for others, and once it is known (see `given`)."""
        return self.model.network.num_classes

    def given(self, label: int) -> GenerativeFit:
        """This fit told the class: it encodes, decodes and draws images of that class. See `latent.given_class`."""
        if not self.num_classes:
            raise InvalidInput("Only a conditional VAE that has not been told the class can be told it.")
        network, params = latent.given_class(self.model.network, self.params, label)
        snapshots = latent.given_class(self.model.network, self.snapshots, label)[1] if self.snapshots else {}
        return replace(
            self,
            config=replace(self.config, options=(*self.config.options, ("given", float(label)))),
            model=replace(self.model, network=network),
            params=params,
            snapshots=snapshots,
        )

    @property
    def history(self) -> dict[str, Array]:
        """As in `Fit`, one value per epoch, the mean over the epoch's minibatches, in nats per image.

        ``reconstruction`` (T,), and of a VAE ``elbo`` = reconstruction - ``kl`` and ``kl_per_dimension`` (T, Z).
        """
        history = super().history
        if not history:
            return {}
        if not self.is_variational:
            return history | {"reconstruction": -history["loss"]}
        per_dimension = self._recorded_kl(history["step"])
        kl, elbo = per_dimension.sum(-1), -history["loss"]
        return history | {"elbo": elbo, "reconstruction": elbo + kl, "kl": kl, "kl_per_dimension": per_dimension}

    def _recorded_kl(self, steps: Array) -> Array:
        """The record's rows, which are epochs, as means over the history's; (T, R, C, Z), or (T, Z)."""
        rows = np.moveaxis(np.asarray(self.params[RECORD], np.float64), 2, 0)
        batch_size = self.config.batch_size or self.num_data
        ends = -(-steps // record_every(self.num_data, batch_size, self.config.num_steps))
        starts = np.concatenate([[0], ends])[:-1]
        means = [rows[min(start, end - 1) : end].mean(0) for start, end in zip(starts, ends, strict=True)]
        per_dimension = np.array(means).reshape(-1, *rows.shape[1:])
        return per_dimension[:, 0, 0] if self.is_single else per_dimension

    def at_snapshot(self, index: int) -> Fit:
        """This fit as it was at one of its snapshots; its history stays whole."""
        then = super().at_snapshot(index)
        record = {name: array for name, array in self.params.items() if name == RECORD}
        return replace(then, params={**then.params, **record})

    def encode(self, images: Any) -> tuple[Array, Array]:
        """Mean and standard deviation of the code of every image, (N, Z) each."""
        return latent.encode(self.model.network, self._params_of("encode"), self._images(images))

    def decode(self, codes: Any) -> Array:
        """The expected image of every code (M, Z): pixels in [0, 1], (M, D)."""
        codes = self._codes(codes)
        return self.model.likelihood.mean(latent.decode_logits(self.model.network, self._params_of("decode"), codes))

    def reconstruct(self, images: Any) -> Array:
        """What the decoder makes of the mean of every image's code, (N, D)."""
        return self.decode(self.encode(images)[0])

    def reconstruction(self, images: Any) -> Array:
        """The logarithm of p(x | z) at the mean of every image's code, (N,), in nats: how good `reconstruct` is."""
        params, rows = self._params_of("reconstruction"), self._images(images)
        codes, _ = latent.encode(self.model.network, params, rows)
        return bounds.log_likelihood(self.model, params, codes, rows)

    def sample(self, num_samples: int, *, seed: int = 0, like: Any = None) -> Array:
        """Images (M, D) of codes drawn from the prior; fewer samples are the first of more.

        With ``like``, codes (N, Z), they are drawn from a Gaussian of the same mean and covariance instead.
        """
        if not 1 <= num_samples <= MAX_SAMPLES:
            raise InvalidInput(f"num_samples must be between 1 and {MAX_SAMPLES}, not {num_samples}.")
        like = None if like is None else self._codes(like)
        return self.decode(latent.draw_codes(num_samples, self.model.network.latent_dim, _rng(seed, b"codes"), like))

    def traverse(self, image: Any, dimension: int, values: Any) -> Array:
        """Images (M, D) as one coordinate of an image's code takes the M values, the others staying."""
        return self.decode(latent.traverse(self.encode(image)[0][0], dimension, values))

    def interpolate(self, start: Any, end: Any, num_steps: int = 10) -> Array:
        """Images (M, D) along the straight line between the codes of two images."""
        mean, _ = self.encode(np.concatenate([self._images(start)[:1], self._images(end)[:1]]))
        return self.decode(latent.interpolate(mean[0], mean[1], num_steps))

    def elbo(self, images: Any, num_samples: int = 10, *, importance: bool = False, seed: int = 0) -> Array:
        """Evidence lower bound of every image in nats, (N,), over ``num_samples`` codes each.

        ``importance=True`` gives the importance-weighted bound of so many codes, which is tighter.
        """
        params, rng = self._bounded("elbo", num_samples), _rng(seed, b"elbo")
        compute = bounds.importance_bound if importance else bounds.elbo
        return compute(self.model, params, self._images(images), rng, num_samples)

    def bound(self, images: Any, num_samples: int = 10, *, seed: int = 0) -> bounds.Bound:
        """The bound of every image with its parts: reconstruction, and KL of each code dimension."""
        params = self._bounded("bound", num_samples)
        return bounds.bound(self.model, params, self._images(images), _rng(seed, b"elbo"), num_samples)

    def plug_in(self, images: Any) -> Array:
        """The ELBO's expression at the mean of each code, (N,): it reads too good and is **no bound**."""
        return bounds.plug_in(self.model, self._bounded("plug_in"), self._images(images))

    def identity(self, image: Any, num_samples: int = 5000, *, seed: int = 0) -> bounds.Identity:
        """The terms of log p(x) = reconstruction - KL + KL[q || p(z|x)] for one image."""
        params = self._bounded("identity", num_samples)
        return bounds.identity(self.model, params, self._images(image)[0], _rng(seed, b"identity"), num_samples)

    def importance_curve(
        self,
        image: Any,
        num_samples: Sequence[int] = (1, 2, 5, 10, 20, 50, 100),
        *,
        num_draws: int = 5000,
        seed: int = 0,
    ) -> bounds.ImportanceCurve:
        """The importance-weighted bound of one image against K, all from the same codes."""
        params, rng = self._bounded("importance_curve", num_draws), _rng(seed, b"curve")
        return bounds.importance_curve(self.model, params, self._images(image)[0], rng, num_samples, num_draws)

    def posterior_grid(
        self, image: Any, *, num_steps: int = bounds.GRID_STEPS, box: tuple[float, float, float, float] | None = None
    ) -> bounds.PosteriorGrid:
        """The posterior of one image over a plane of codes, and q beside it; see `bounds.posterior_grid`."""
        params = self._bounded("posterior_grid")
        return bounds.posterior_grid(self.model, params, self._images(image)[0], num_steps=num_steps, box=box)

    def gradient_variance(
        self, image: Any, num_samples: Sequence[int] = (1, 2, 5, 10, 20, 50, 100), *, seed: int = 0
    ) -> estimators.GradientVariance:
        """Variance of the reparameterisation trick and of the score function, against the number of codes S."""
        params, rng = self._bounded("gradient_variance"), _rng(seed, b"gradient")
        return estimators.gradient_variance(self.model, params, self._images(image)[0], rng, num_samples)

    def held_out_history(self, images: Any, num_samples: int = 1, *, seed: int = 0) -> dict[str, Array]:
        """The bound of other images at each snapshot: as `history`, with the snapshots' ``step`` (T,)."""
        each = [cast(GenerativeFit, self.at_snapshot(i)) for i in range(len(self.snapshot_steps))]
        found = [fit.bound(images, num_samples, seed=seed) for fit in each]
        parts = ("elbo", "reconstruction", "kl", "kl_per_dimension")
        return {"step": self.snapshot_steps} | {
            name: np.array([getattr(one, name).mean(0) for one in found]) for name in parts
        }

    def _images(self, images: Any) -> Array:
        """Images as rows (N, D), as the likelihood observes them."""
        num_pixels = self.model.network.num_inputs
        try:
            rows = np.asarray(images, np.float32)
        except (TypeError, ValueError):
            raise InvalidInput("Images must be arrays of numbers, one row for each.") from None
        rows = rows.reshape(1, -1) if rows.size == num_pixels else np.atleast_2d(rows)
        found = int(np.prod(rows.shape[1:]))
        if found != num_pixels:
            raise InvalidInput(f"This fit knows images of {num_pixels} pixels, not {found}.")
        if not (len(rows) and rows.min() >= 0 and rows.max() <= 1):
            raise InvalidInput("Images need pixels between 0 and 1, and there must be at least one.")
        rows = rows.reshape(len(rows), num_pixels)
        return self.model.likelihood.observe(rows)

    def _codes(self, codes: Any) -> Array:
        codes, width = np.atleast_2d(np.asarray(codes, np.float32)), self.model.network.latent_dim
        if codes.ndim != 2 or codes.shape[1] != width:
            raise InvalidInput(f"This fit's codes have {width} dimensions, not {codes.shape[-1]}.")
        return codes

    def _bounded(self, what: str, num_samples: int = 1) -> dict[str, Array]:
        """The parameters, for something that only a model with a distribution over codes has."""
        if not self.is_variational:
            raise InvalidInput(f"{what} needs a distribution over codes, which a plain autoencoder has not: fit a VAE.")
        if not 1 <= num_samples <= MAX_SAMPLES:
            raise InvalidInput(f"num_samples must be between 1 and {MAX_SAMPLES}, not {num_samples}.")
        return self._params_of(what)

    def _params_of(self, what: str) -> dict[str, Array]:
        if self.num_classes:
            raise InvalidInput(f"{what} needs a class, 0 to {self.num_classes - 1}: take fit.given(3), say.")
        self._require_single(what)
        self._require_finite()
        return {name: array[0, 0] for name, array in self.params.items()}


def _rng(seed: int, purpose: bytes) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64([seed, *purpose]))


def fit_of(config: FitConfig, **fields: Any) -> Fit:
    """A `Fit` of these fields, or a `GenerativeFit` where the method is one of x itself."""
    kind = GenerativeFit if find_method(config.method).is_generative else Fit
    return kind(config, **fields)


def load(path: Any) -> Fit:
    """Read a fit that `Fit.save` wrote.

    Raises:
        CheckpointError: the file is missing, truncated, altered or of another kind.
    """
    path = Path(path)
    fields, _ = checkpoints.from_bytes(checkpoints.read(path), path.name)
    return fit_of(**fields)


def _as_inputs(x: Any, num_inputs: int) -> Array:
    try:
        array = np.asarray(x)
        array = array if array.dtype.kind == "f" else array.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("x must be an array of numbers.") from None
    array = array.reshape(-1, 1) if array.ndim <= 1 else array
    if array.ndim != 2 or array.shape[1] != num_inputs:
        raise InvalidInput(f"x must have shape (N, {num_inputs}), not {array.shape}.")
    if len(array) == 0 or not np.isfinite(array).all():
        raise InvalidInput("x must be finite numbers, at least one.")
    return array


def _position(name: str, stops: Sequence[float], value: float) -> int:
    gaps = [abs(stop - value) for stop in stops]
    best = int(np.argmin(gaps))
    if gaps[best] > 1e-6 * max(abs(value), abs(stops[best])):
        raise InvalidInput(f"{name}={value:g} is not on this fit's grid: {', '.join(f'{stop:g}' for stop in stops)}.")
    return best
