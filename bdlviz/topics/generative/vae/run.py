"""One VAE of the page: the shipped one of a setting, or one that is trained for the visitor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from bdlviz import data
from bdlviz.fits import Fit, GenerativeFit, configure
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.models.likelihoods import Bernoulli
from bdlviz.settings import steps_per_epoch
from bdlviz.topics.generative.vae import controls as c
from bdlviz.topics.generative.vae.download import download_needed
from bdlviz.topics.generative.vae.figures import History
from bdlviz.topics.generative.vae.figures_learning import Average
from bdlviz.topics.shared import autoencoders
from bdlviz.topics.shared.autoencoders import DATASETS, IMAGES, Autoencoder, shape_of
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.cache import DATA, RESULTS, memoised, remembered
from bdlviz.ui.jobs.obtain import value_need
from bdlviz.ui.model import Need, Setting

NUM_SNAPSHOTS, NUM_HELD_OUT = 10, 300
NUM_CODES = 1000  # codes that are drawn in a plane
WIDTHS = {"digits": 256}
EPOCHS_OF_60000 = {2: 30}
TERMS = ("elbo", "reconstruction", "kl")
PARTS = (*TERMS, "kl_per_dimension")


@dataclass(frozen=True, eq=False)
class Run:
    """A VAE so far, its images, and what is shipped beside it."""

    fit: GenerativeFit
    images: str
    dataset: Dataset
    extra: Mapping[str, Array]

    @property
    def is_done(self) -> bool:
        """True if the training has ended, and was not stopped before."""
        return self.fit.num_steps_done >= self.fit.config.num_steps

    @property
    def epoch_steps(self) -> int:
        """Steps of an epoch."""
        return steps_per_epoch(self.fit.num_data, self.fit.config.batch_size)

    @property
    def num_epochs(self) -> int:
        """Of the whole training."""
        return max(1, self.fit.config.num_steps // self.epoch_steps)

    @property
    def shape(self) -> tuple[int, int]:
        """Of an image."""
        return shape_of(self.fit)

    @property
    def is_lectures(self) -> bool:
        """True for the VAE whose training log the lecture prints."""
        config = self.fit.config
        return (
            config.dataset == "mnist-1000"
            and self.fit.num_data == 1000
            and config.likelihood == "bernoulli"
            and config.hidden == (500, 500)
            and dict(config.axes) == {"beta": (1.0,)}
            and dict(config.options) == {"latent_dim": 20.0, "warm_up": 0.0}
        )

    @property
    def epochs(self) -> list[int]:
        """The epochs at which something was kept; none before the training has ended."""
        if "scrub_epoch" in self.extra:
            return [int(epoch) for epoch in self.extra["scrub_epoch"]]
        if not self.is_done:
            return []
        return [int(epoch) for epoch in (self.fit.snapshot_steps / self.epoch_steps).round()]

    def train_history(self) -> History | None:
        """The recorded training bound and its parts."""
        try:
            history = self.fit.history
        except KeyError:  # a checkpoint from before the KL term was recorded
            return None
        if not history or not len(history["step"]):
            return None
        seen = history["step"] <= self.fit.num_steps_done
        values = {part: history[part][seen] for part in PARTS}
        return History(history["step"][seen] / self.epoch_steps, values) if seen.any() else None

    def test_history(self) -> History | None:
        """The bound of held-out images: shipped, from the snapshots, or computed now and then while it trains."""
        if "test_elbo" in self.extra:
            return History(self.extra["scrub_epoch"].astype(int), {part: self.extra[f"test_{part}"] for part in PARTS})
        if not len(self.dataset.x_test):
            return None
        held_out = self.dataset.x_test[:NUM_HELD_OUT]
        if self.is_done and len(self.fit.snapshot_steps) > 1:
            found = remembered(self.fit, "held out", lambda: self.fit.held_out_history(held_out))
            return History(found["step"] / self.epoch_steps, {part: found[part] for part in PARTS})
        return self._history_so_far(held_out)

    def _history_so_far(self, held_out: Array) -> History:
        """The bounds at the steps at which anybody has looked at this training."""
        log: dict[int, list[float]] = RESULTS.obtain(("held-out log", self.fit.config), dict)
        now = self.fit.num_steps_done
        if now not in log:
            bound = self.fit.bound(held_out, 1)
            log[now] = [float(getattr(bound, term).mean()) for term in TERMS]
        steps = sorted(step for step in list(log) if step <= now)
        columns = np.array([log[step] for step in steps]).T
        return History(np.array(steps) / self.epoch_steps, dict(zip(TERMS, columns, strict=True)))

    def originals(self, part: str, count: int) -> Array | None:
        """The first images of the "train" or the "test" part, (N, D), as the likelihood observes them."""
        found = (self.dataset.x if part == "train" else self.dataset.x_test)[:count]
        return self.fit.model.likelihood.observe(found) if len(found) else None

    def average(self) -> Average | None:
        """The average training image as an answer for all held-out images; None where the bound is of other pixels."""
        likelihood, images = self.fit.model.likelihood, self.originals("test", len(self.dataset.x_test))
        if images is None or not isinstance(likelihood, Bernoulli):
            return None
        seen = likelihood.observe(self.dataset.x)
        mean = (seen.sum(0, dtype=float) + 1) / (len(seen) + 2)  # no pixel is certain
        log_odds = np.log(mean) - np.log1p(-mean)
        return Average(mean.reshape(self.shape), float(likelihood.log_likelihood(log_odds, images).mean()))

    def restored(self, part: str, originals: Array, epoch: int | None) -> Array:
        """The reconstructions of these images after one of `epochs`, or with what has been learned so far."""
        at = -1 if epoch is None else self.epochs.index(epoch)
        if f"{part}_scrub" in self.extra:
            return self.extra[f"{part}_scrub"][at] / 255
        then = self.fit if epoch is None else cast(GenerativeFit, self.fit.at_snapshot(at))
        return then.reconstruct(originals)

    def codes(self, epoch: int | None) -> tuple[Array, Array]:
        """Codes (N, Z) and classes (N,) of training images after one of `epochs`, or as they are now."""
        labels = self.dataset.y[:NUM_CODES].astype(int)
        at = -1 if epoch is None else self.epochs.index(epoch)
        if "train_path" in self.extra:
            return self.extra["train_path"][at, :NUM_CODES].astype(np.float32), labels
        then = self.fit if epoch is None else cast(GenerativeFit, self.fit.at_snapshot(at))
        return then.encode(self.dataset.x[:NUM_CODES])[0], labels


# How a view gets it ---------------------------------------------------------------------------------------------------


def needed(setting: Setting) -> Need[Any]:
    """The VAE of a setting, or first the download of its images.

    Raises:
        InvalidInput: the files of the images are damaged.
    """
    images = setting[IMAGES]
    if is_shipped(setting):
        codes = f"{setting[c.DIM]}d"
        return autoencoders.needed_together(images, ("vae", codes), read=lambda found: _of_shipped(found[0]))
    name = DATASETS[images]
    if not data.available(name):
        return download_needed(name, "No VAE with these settings is shipped: it is trained here. That needs")
    dataset = load(name, num_data_of(setting))
    config = config_of(setting, dataset)
    if "scrub_epoch" in _extra(config):  # its reconstructions at several epochs are shipped beside it
        config = replace(config, num_snapshots=0)
    return value_need(config, dataset, lambda fit: _of_fit(fit, images, dataset))


def is_shipped(setting: Setting) -> bool:
    """True if the VAE of exactly these settings is one of those that other pages show, too."""
    others = [control for control in (*c.MAIN, *c.MORE) if control is not c.DIM]
    is_usual = all(setting.is_default(control) for control in others)
    return is_usual and setting[IMAGES] != c.FASHION and setting[c.DIM] in ("2", "20")


def _of_shipped(model: Autoencoder) -> Run:
    return Run(model.fit, model.images, autoencoders.dataset(DATASETS[model.images]), model.extra)


def _of_fit(fit: Fit, images: str, dataset: Dataset) -> Run:
    return Run(cast(GenerativeFit, fit), images, dataset, _extra(fit.config))


def _extra(config: FitConfig) -> dict[str, Array]:
    try:
        return shelf.extra(replace(config, num_snapshots=0)) or {}
    except CheckpointError:
        return {}


def num_data_of(setting: Setting) -> int:
    """How many images to train on: as many as asked for, at most all."""
    most = data.DATASETS[DATASETS[setting[IMAGES]]].max_num_data
    return most if setting[c.NUM_DATA] == "all" else min(int(setting[c.NUM_DATA]), most)


@memoised(DATA)
def load(name: str, num_data: int) -> Dataset:
    """The first of all images, to train on."""
    return data.load(name, num_data=num_data)


def config_of(setting: Setting, dataset: Dataset) -> FitConfig:
    """The training that a setting asks for, with snapshots of it."""
    dim, usual_width = int(setting[c.DIM]), WIDTHS.get(setting[IMAGES], 500)
    width = usual_width if setting[c.WIDTH] == c.USUAL else int(setting[c.WIDTH])
    is_large = setting[IMAGES] in ("mnist60000", c.FASHION)
    usual_epochs = EPOCHS_OF_60000.get(dim, 60) if is_large else 100
    config = configure(
        "vae",
        dataset,
        latent_dim=dim,
        beta=setting.number(c.KL_WEIGHT),
        warm_up=setting.number(c.WARMING),
        likelihood=setting[c.LIKELIHOOD],
        hidden=(width, width),
        num_epochs=usual_epochs if setting[c.EPOCHS] == c.USUAL else int(setting[c.EPOCHS]),
        seed=int(setting[c.SEED]),
    )
    return replace(config, num_snapshots=NUM_SNAPSHOTS)
