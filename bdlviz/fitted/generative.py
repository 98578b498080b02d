"""`GenerativeFit`, a trained model of x: it encodes, decodes, samples and computes bounds. Numpy only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from bdlviz.checks import FARTHEST, coded, finite, is_sequence, reals, whole_number
from bdlviz.errors import InvalidInput
from bdlviz.fitted.fit import Fit
from bdlviz.methods.common import record_every
from bdlviz.models.autoencoder import RECORD
from bdlviz.predictive import bounds, estimators, latent
from bdlviz.types import Array

MAX_SAMPLES = 100_000  # codes of one image, or images drawn


@dataclass(frozen=True, eq=False)
class GenerativeFit(Fit):
    """A trained generative model: from images (N, D) to codes (N, Z) and back. One cell of one seed at a time.

    Images may come as (N, height, width); one image alone as (D,) or (1, D). Everything in nats is per image.
    """

    @property
    def is_variational(self) -> bool:
        """True for a model with a distribution over codes, and so with a bound; false for a plain autoencoder."""
        return self.model.network.is_variational

    @property
    def num_classes(self) -> int:
        """Number of classes of a conditional model; 0 for other models, and after `given` has fixed the class."""
        return self.model.network.num_classes

    def given(self, label: Any) -> Self:
        """This conditional fit with the class fixed: it encodes, decodes and samples images of that class.

        ``label`` is one of `classes`, as in the training data.
        """
        if not self.num_classes:
            raise InvalidInput("Only a conditional VAE takes a class, and only once.")
        try:
            index = int(coded([label], self._labels)[0])
        except InvalidInput:
            known = ", ".join(map(repr, self._labels))
            raise InvalidInput(f"There is no class {label!r}: choose one of {known}.") from None
        network, params = latent.given_class(self.model.network, self.params, index)
        snapshots = latent.given_class(self.model.network, self.snapshots, index)[1] if self.snapshots else {}
        return replace(
            self,
            config=replace(self.config, options=(*self.config.options, ("given", float(index)))),
            model=replace(self.model, network=network),
            params=params,
            snapshots=snapshots,
        )

    @property
    def _labels(self) -> tuple[Any, ...]:
        """The classes; files written before labels were kept have those from 0."""
        return self.classes or tuple(range(self.num_classes))

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

    def at_snapshot(self, index: int) -> Self:
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
        """The decoded mean of every image's code: pixels in [0, 1], (N, D)."""
        return self.decode(self.encode(images)[0])

    def reconstruction(self, images: Any) -> Array:
        """The logarithm of p(x | z) at the mean of every image's code, (N,), in nats: the quality of `reconstruct`."""
        params, rows = self._params_of("reconstruction"), self._images(images)
        codes, _ = latent.encode(self.model.network, params, rows)
        return bounds.log_likelihood(self.model, params, codes, rows)

    def sample(self, num_samples: int, *, seed: int = 0, like: Any = None) -> Array:
        """Images (M, D) of codes drawn from the prior; fewer samples are the first of more.

        With ``like``, codes (N, Z), they are drawn from a Gaussian of the same mean and covariance instead.
        """
        num_samples = whole_number("num_samples", num_samples, 1, MAX_SAMPLES)
        like = None if like is None else self._codes(like)
        return self.decode(latent.draw_codes(num_samples, self.model.network.latent_dim, _rng(seed, b"codes"), like))

    def traverse(self, image: Any, dimension: int, values: Any) -> Array:
        """Images (M, D) as one coordinate of an image's code takes the M values, the others staying."""
        return self.decode(latent.traverse(self.encode(self._image(image))[0][0], dimension, values))

    def interpolate(self, start: Any, end: Any, num_steps: int = 10) -> Array:
        """Images (M, D) along the straight line between the codes of two images."""
        mean, _ = self.encode(np.stack([self._image(start), self._image(end)]))
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
        """The ELBO's expression at the mean of each code, (N,), in nats: too optimistic, and **not a bound**."""
        return bounds.plug_in(self.model, self._bounded("plug_in"), self._images(images))

    def identity(self, image: Any, num_samples: int = 5000, *, seed: int = 0) -> bounds.Identity:
        """The terms of log p(x) = reconstruction - KL + KL[q || p(z|x)] for one image."""
        params = self._bounded("identity", num_samples)
        return bounds.identity(self.model, params, self._image(image), _rng(seed, b"identity"), num_samples)

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
        return bounds.importance_curve(self.model, params, self._image(image), rng, _counts(num_samples), num_draws)

    def posterior_grid(
        self, image: Any, *, num_steps: int = bounds.GRID_STEPS, box: tuple[float, float, float, float] | None = None
    ) -> bounds.PosteriorGrid:
        """The posterior of one image's code on a grid, together with q; see `bounds.posterior_grid`."""
        params = self._bounded("posterior_grid")
        return bounds.posterior_grid(self.model, params, self._image(image), num_steps=num_steps, box=box)

    def gradient_variance(
        self, image: Any, num_samples: Sequence[int] = (1, 2, 5, 10, 20, 50, 100), *, seed: int = 0
    ) -> estimators.GradientVariance:
        """Variance of the reparameterisation trick and of the score function, against the number of codes S."""
        params, rng = self._bounded("gradient_variance"), _rng(seed, b"gradient")
        return estimators.gradient_variance(self.model, params, self._image(image), rng, _counts(num_samples))

    def held_out_history(self, images: Any, num_samples: int = 1, *, seed: int = 0) -> dict[str, Array]:
        """The bound of other images at each snapshot: as `history`, with the snapshots' ``step`` (T,)."""
        each = [self.at_snapshot(i) for i in range(len(self.snapshot_steps))]
        found = [fit.bound(images, num_samples, seed=seed) for fit in each]
        parts = ("elbo", "reconstruction", "kl", "kl_per_dimension")
        return {"step": self.snapshot_steps} | {
            name: np.array([getattr(one, name).mean(0) for one in found]) for name in parts
        }

    def _images(self, images: Any) -> Array:
        """Images as rows (N, D), as the likelihood observes them."""
        num_pixels, shape = self.model.network.num_inputs, self.image_shape
        rows = reals("Images", images)
        if rows.size == num_pixels and rows.shape[:1] != (1,):
            rows = rows[None]
        found = rows.shape[1:]
        if int(np.prod(found)) != num_pixels or rows.ndim < 2:
            raise InvalidInput(f"This fit knows images of {num_pixels} pixels, not {int(np.prod(found))}.")
        if len(found) > 1 and shape is not None and found != shape:
            raise InvalidInput(f"This fit knows images of {_times(shape)} pixels, not {_times(found)}.")
        if not (len(rows) and rows.min() >= 0 and rows.max() <= 1):
            raise InvalidInput("Images need pixels between 0 and 1, and there must be at least one.")
        return self.model.likelihood.observe(rows.reshape(len(rows), num_pixels).astype(np.float32, copy=False))

    def _image(self, image: Any) -> Array:
        """One image (D,), as the likelihood observes it."""
        rows = self._images(image)
        if len(rows) > 1:
            raise InvalidInput(f"This needs one image, not {len(rows)}: give one of them.")
        return rows[0]

    def _codes(self, codes: Any) -> Array:
        codes, width = np.atleast_2d(reals("Codes", codes)), self.model.network.latent_dim
        if codes.ndim != 2 or codes.shape[1] != width:
            raise InvalidInput(f"This fit's codes have {width} dimensions, not {codes.shape[-1]}.")
        if finite("Codes", codes) > FARTHEST:
            raise InvalidInput(f"Codes must lie between -{FARTHEST:g} and {FARTHEST:g}.")
        return codes.astype(np.float32, copy=False)

    def _bounded(self, what: str, num_samples: int = 1) -> dict[str, Array]:
        """The parameters, for something that only a model with a distribution over codes has."""
        if not self.is_variational:
            raise InvalidInput(f"{what} needs a distribution over codes, which a plain autoencoder has not: fit a VAE.")
        whole_number("num_samples", num_samples, 1, MAX_SAMPLES)
        return self._params_of(what)

    def _params_of(self, what: str) -> dict[str, Array]:
        if self.num_classes:
            known = ", ".join(map(repr, self._labels))
            raise InvalidInput(f"{what} needs a class, one of {known}: take fit.given({self._labels[0]!r}), say.")
        self._require_single(what)
        self._require_finite()
        return self.single()


def _counts(num_samples: Any) -> list[int]:
    """Numbers of codes, at least 1 each."""
    return [
        whole_number("num_samples", each, 1) for each in (num_samples if is_sequence(num_samples) else [num_samples])
    ]


def _rng(seed: int, purpose: bytes) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64([whole_number("seed", seed, 0), *purpose]))


def _times(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape))
