"""A VAE as it learns: the bound and its parts over the epochs, images and their reconstructions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bdlviz import data, published
from bdlviz.methods import vae
from bdlviz.predictive import bounds, estimators, latent
from bdlviz.predictive.latent import COLLAPSED
from bdlviz.published import VAE_LOG
from bdlviz.topics.generative.vae import figures, figures_learning, views_bounds
from bdlviz.topics.generative.vae.controls import EPOCH, NUM_DATA
from bdlviz.topics.generative.vae.figures import History
from bdlviz.topics.generative.vae.figures_learning import Codes, Dimensions, Rows
from bdlviz.topics.generative.vae.run import Run, num_data_of
from bdlviz.topics.shared import autoencoders
from bdlviz.topics.shared.autoencoders import DATASETS, IMAGES
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Numbers, Part, Result, Screen, Setting, Stops, Table, Words

NUM_SHOWN, NUM_COLUMNS = 25, 12  # images whose reconstructions are shipped, and those that are drawn
REACH = 4.0  # of the axes of a plane of codes
PARTS = {"train": "training", "test": "held out"}


def training(setting: Setting, screen: Screen, run: Run) -> Result:
    """The terms of the bound, the reconstructions and the codes at the chosen epoch, then numbers."""
    return Result(
        [*_picture(setting, screen, run), *_remarks(setting)],
        formulas=(vae.negative_elbo, latent.kl_to_prior, bounds.identity, bounds.importance_bound),
        code=(vae.negative_elbo, bounds.bound, bounds.plug_in, estimators.gradient_variance, figures_learning.learning),
        call=autoencoders.snippet(run.fit, "print(fit.history['elbo'])", "print(fit.elbo(data.x_test, 10).mean())"),
        tabs={
            "KL per dimension": lambda: dimensions(screen, run),
            "Lecture's log": lambda: lectures_log(screen, run),
            **views_bounds.tabs(setting, screen, run),
        },
    )


def _remarks(setting: Setting) -> list[Part]:
    """A sentence where fewer images are there than asked for."""
    if setting[NUM_DATA] == "all" or int(setting[NUM_DATA]) <= num_data_of(setting):
        return []
    spec = data.DATASETS[DATASETS[setting[IMAGES]]]
    return [Words(f"{spec.title} has {spec.max_num_data:,} training images: using all of them.")]


def _picture(setting: Setting, screen: Screen, run: Run) -> list[Part]:
    train = run.train_history()
    if train is None:
        return [Words("No epoch is done yet: nothing to draw.")]
    test, epochs = run.test_history(), run.epochs
    has_slider = len(epochs) > 1 and run.is_done
    stops = Stops(EPOCH, "Epoch", epochs)
    epoch = stops.chosen(setting) if has_slider else None
    return [
        _learning(screen, run, train, test, epoch),
        *([stops] if has_slider else []),
        _numbers(train, test),
    ]


def _learning(screen: Screen, run: Run, train: History, test: History | None, epoch: int | None) -> Figure:
    """The main picture after an epoch; None means what has been learned so far."""
    shown = float(train.epoch[-1]) if epoch is None else float(epoch)
    fig = figures_learning.learning(
        train,
        test,
        [pair for part, name in PARTS.items() if (pair := _rows(run, part, name, epoch)) is not None],
        _space(run, train, shown, epoch),
        num_epochs=run.num_epochs,
        epoch=shown,
        published=VAE_LOG if run.is_lectures else (),
        theme=screen.theme,
        stacked=screen.is_narrow,
        height=screen.by_width(560, 1000),
    )
    last = {part: train.values[part][-1] for part in ("elbo", "reconstruction", "kl")}
    alt = (
        f"Training over {len(train.epoch)} epochs: ELBO {last['elbo']:.1f}, reconstruction "
        f"{last['reconstruction']:.1f}, KL {last['kl']:.1f} nats per image at the end; images with their "
        f"reconstructions, and the codes, after epoch {shown:g}."
    )
    return Figure("elbo_curves", fig, alt)


def _rows(run: Run, part: str, name: str, epoch: int | None) -> Rows | None:
    """The first images of a part and their reconstructions; None where there are no images."""
    originals = run.originals(part, NUM_SHOWN)
    if originals is None:
        return None
    restored = run.restored(part, originals, epoch)
    return Rows(name, *(images[:NUM_COLUMNS].reshape(-1, *run.shape) for images in (originals, restored)))


def _space(run: Run, train: History, shown: float, epoch: int | None) -> Codes | Dimensions:
    """The codes of training images where they are in a plane, else the KL term of every dimension."""
    if run.fit.model.network.latent_dim == 2:
        positions, labels = run.codes(epoch)
        return Codes(positions, labels, REACH)
    kl = train.values["kl_per_dimension"]
    settled = kl[train.epoch > figures.UNSEEN_EPOCHS] if len(kl) > 1 else kl
    top = max(0.5, 1.08 * float(np.nan_to_num(settled).max(initial=0.0)))
    return Dimensions(kl[int(np.abs(train.epoch - shown).argmin())], top)


def _numbers(train: History, test: History | None) -> Numbers:
    per_dimension = train.values["kl_per_dimension"][-1]
    shown = [("Training ELBO (nats)", _signed(train.values["elbo"][-1]), "Mean over the last epoch's minibatches.")]
    if test is not None:
        told = "Monte Carlo over codes: a true bound, unlike the value at the mean code."
        shown.append(("Held-out ELBO (nats)", _signed(test.values["elbo"][-1]), told))
    shown.append(("KL (nats)", f"{train.values['kl'][-1]:.1f}", "KL[q(z|x) ‖ p(z)], training images."))
    used = int((per_dimension > COLLAPSED).sum())
    shown.append(("Dimensions in use", f"{used} of {len(per_dimension)}", "KL above 0.05 nats; the others collapsed."))
    return Numbers(shown)


def _signed(value: float) -> str:
    return f"{value:.1f}".replace("-", "−")


# Tabs -----------------------------------------------------------------------------------------------------------------


def dimensions(screen: Screen, run: Run) -> list[Part]:
    """The KL term of every code dimension over the epochs."""
    train = run.train_history()
    if train is None:
        return [Words("This checkpoint holds no record of its training.")]
    kl = train.values["kl_per_dimension"]
    fig = figures.kl_by_dimension(train.epoch, kl, num_epochs=run.num_epochs, theme=screen.theme)
    used = int((kl[-1] > COLLAPSED).sum())
    alt = f"KL of {kl.shape[1]} code dimensions over the epochs; {used} are in use."
    told = (
        "A dimension whose posterior is the prior has no KL term and holds no information about the image: it has "
        "collapsed. With a larger β more dimensions collapse."
    )
    return [Figure("kl_by_dimension", fig, alt), Words(told)]


def lectures_log(screen: Screen, run: Run) -> list[Part]:
    """The curves with the lecture's log, and both as a table."""
    train = run.train_history()
    if not run.is_lectures or train is None:
        return [Words("The lecture's log is of Z = 20 on MNIST-1000, all settings at their defaults.")]
    fig = figures.elbo_curves(
        train,
        run.test_history(),
        published=VAE_LOG,
        num_epochs=run.num_epochs,
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    told = "Training ELBO, mean over the minibatches of an epoch, one seed; the page *Register* has more seeds."
    heads = ("epoch", "lecture (nats)", "here (nats)", "difference")
    return [
        Figure("lectures_log", fig, "ELBO, reconstruction and KL over the epochs; rings are the lecture's ELBO."),
        Table(heads, log_rows(train.values["elbo"])),
        Words(f"{told} {after_the_log()}"),
    ]


def log_rows(ours: Array) -> Sequence[Sequence[str]]:
    """The rows of the lecture's log, as far as this training has come: the epoch, both values, their difference."""
    pairs = zip(VAE_LOG, ours, strict=False)
    return [
        (str(epoch), f"{printed:.2f}", f"{here:.2f}", f"{here - printed:+.2f}")
        for epoch, (printed, here) in enumerate(pairs, 1)
    ]


def after_the_log() -> str:
    """The results of our own runs after the last epoch of the lecture's log."""
    found = {row.name: row for row in published.rows()}
    train, test = found["vae_train_100"], found["vae_test_100"]
    if train.ours is None or test.ours is None:
        return ""
    return (
        f"The lecture's log ends at epoch {len(VAE_LOG)}. Plain re-runs, which no source prints, reach "
        f"{train.ours:.1f} in training after 100 epochs, and {test.ours:.1f} held out by Monte Carlo over codes "
        f"(means over {train.seeds} seeds)."
    )
