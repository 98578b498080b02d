"""A VAE as it learns: which one, the bound and its parts over the epochs, images and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import streamlit as st

from bdlviz import data, plots, published
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, GenerativeFit, configure
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods.common import LATENT_DIM
from bdlviz.methods.vae import BETA, WARM_UP
from bdlviz.published import VAE_LOG
from bdlviz.settings import steps_per_epoch
from bdlviz.topics.generative.vae import views_fetch
from bdlviz.topics.shared import generative_source
from bdlviz.topics.shared.generative_source import Source
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.cache import remembered
from bdlviz.ui.controls.control import Control, hyperparameter_control, number_control
from bdlviz.ui.frame.images import sheet
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.window import is_narrow
from bdlviz.ui.jobs.obtain import fit_need, obtain
from bdlviz.ui.places import link

USUAL = "usual"
FASHION = "fashion"  # offered where its files are: it needs 30 MB of them, and nothing of it is shipped
DIM = replace(hyperparameter_control(LATENT_DIM), label="Code dimensions Z", default="20")
KL_WEIGHT = hyperparameter_control(BETA)
LIKELIHOOD = Control(
    "likelihood",
    "Likelihood p(x|z)",
    ("bernoulli", "binarised_bernoulli", "continuous_bernoulli", "gaussian_pixels"),
    "bernoulli",
    "menu",
    "Bounds of different likelihoods are not comparable: they are densities of different things.",
    {
        "bernoulli": "Bernoulli on grey pixels",
        "binarised_bernoulli": "Bernoulli, pixels binarised",
        "continuous_bernoulli": "continuous Bernoulli",
        "gaussian_pixels": "Gaussian, σ learned",
    },
)
NUM_DATA = Control(
    "num_data",
    "Training images N",
    ("100", "200", "500", "1000", "5000", "20000", "60000", "all"),
    "all",
    help="The first N of the training images; more than there are means all.",
)
EPOCHS = Control(
    "epochs",
    "Epochs",
    ("5", "10", "20", "50", USUAL, "200"),
    USUAL,
    help="100; of all of MNIST 60, in a plane 30.",
)
WIDTH = Control(
    "width",
    "Hidden units per layer",
    ("64", "128", "256", USUAL, "500"),
    USUAL,
    help="Two layers in the encoder and two in the decoder: 500 units each, 256 for the 8×8 digits.",
)
WARMING = hyperparameter_control(WARM_UP)
SEED = number_control("seed", "Seed", range(5), 0)
MAIN, MORE = (DIM, KL_WEIGHT, LIKELIHOOD), (NUM_DATA, EPOCHS, WIDTH, WARMING, SEED)

MAX_EPOCH = 10**6  # that a link may name; the kept epoch nearest to it is shown
EPOCH = "shown_epoch"  # key in the session state and in the link
LIVE = "held_out_log"  # key in the session state: (configuration, {step: values})
NUM_SNAPSHOTS, NUM_HELD_OUT, NUM_SHOWN, ROW = 10, 300, 25, 5
WIDTHS = {"digits": 256}
EPOCHS_OF_60000 = {2: 30}


@dataclass(frozen=True, eq=False)
class Run:
    """One VAE of the page: its fit so far, the images, and what is shipped beside it."""

    fit: GenerativeFit
    images: str
    dataset: Dataset
    extra: Mapping[str, Array]

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
        return Source(self.images, self.fit, {}).shape

    @property
    def is_lectures(self) -> bool:
        """Is this the VAE whose log the lecture prints?"""
        config = self.fit.config
        return (
            config.dataset == "mnist-1000"
            and self.fit.num_data == 1000
            and config.likelihood == "bernoulli"
            and config.hidden == (500, 500)
            and dict(config.axes) == {"beta": (1.0,)}
            and dict(config.options) == {"latent_dim": 20.0, "warm_up": 0.0}
        )

    def train_course(self) -> plots.Course | None:
        """The recorded training bound and its parts."""
        try:
            history = self.fit.history
        except KeyError:  # a checkpoint from before the KL term was recorded
            return None
        if not history or not len(history["step"]):
            return None
        seen = history["step"] <= self.fit.num_steps_done
        values = {part: history[part][seen] for part in ("elbo", "reconstruction", "kl", "kl_per_dimension")}
        return plots.Course(history["step"][seen] / self.epoch_steps, values) if seen.any() else None


def images_control() -> Control:
    """The images there are to train on."""
    shipped = generative_source.IMAGES
    if not data.available(generative_source.DATASETS[FASHION]):
        return shipped
    names = {**shipped.names, FASHION: "Fashion-MNIST"}
    options = (*shipped.options, FASHION)
    return replace(shipped, options=options, kind="menu", names=names, help=f"{shipped.help} Or clothes.")


def controls() -> tuple[Control, ...]:
    """All controls of a training."""
    return (images_control(), *MAIN, *MORE)


def choose() -> dict[str, str]:
    """Draw the controls."""
    values = {control.key: control.show() for control in (images_control(), *MAIN)}
    with st.expander("Size and training"):
        return values | {control.key: control.show() for control in MORE}


def show(values: Mapping[str, str]) -> Run | None:
    """Get the VAE that these settings ask for, and draw it, as it trains if it has to; None while it does.

    Where its images cannot be had, that is said in its place.
    """
    if name := _shipped_name(values):
        return _show_shipped(name)
    dataset = _dataset(values)
    if dataset is None:
        return None
    try:
        config = _configure(values, dataset)
    except InvalidInput as error:
        st.error(str(error))
        return None
    if "scrub_epoch" in _extra(config):  # what it was like at its epochs is shipped beside it
        config = replace(config, num_snapshots=0)
    fit = obtain(fit_need(config, dataset), lambda fit: _draw(_run(fit, values, dataset)))
    return None if fit is None else _run(fit, values, dataset)


def _show_shipped(name: str) -> Run | None:
    _, images, codes = name.split("_")
    found = generative_source.find(images, codes)
    if found is None:
        return None
    run = Run(found.fit, images, generative_source.dataset(generative_source.DATASETS[images]), found.extra)
    _draw(run)
    return run


def _run(fit: Fit, values: Mapping[str, str], dataset: Dataset) -> Run:
    return Run(cast(GenerativeFit, fit), values["images"], dataset, _extra(fit.config))


def _extra(config: FitConfig) -> dict[str, Array]:
    try:
        return shelf.extra(replace(config, num_snapshots=0)) or {}
    except CheckpointError:
        return {}


def _shipped_name(values: Mapping[str, str]) -> str | None:
    """The shipped fit of exactly these settings, if there is one."""
    others = [control for control in (*MAIN, *MORE) if control is not DIM]
    if values["images"] == FASHION or values[DIM.key] not in ("2", "20"):
        return None
    if any(values[control.key] != control.default for control in others):
        return None
    return f"vae_{values['images']}_{values[DIM.key]}d"


def _dataset(values: Mapping[str, str]) -> Dataset | None:
    """The images to train on, as many as asked for; None, and the offer to fetch them, where they are not here."""
    name = generative_source.DATASETS[values["images"]]
    if not data.available(name):
        views_fetch.offer(name, "No VAE with these settings is shipped: it is trained here. That needs")
        return None
    most = data.DATASETS[name].max_num_data
    wanted = most if values["num_data"] == "all" else int(values["num_data"])
    if wanted > most:
        st.caption(f"{data.DATASETS[name].title} has {most:,} training images: using all of them.")
    try:
        return generative_source.whole(name, min(wanted, most))
    except InvalidInput as error:
        st.error(str(error))
        return None


def _configure(values: Mapping[str, str], dataset: Dataset) -> FitConfig:
    dim, usual_width = int(values[DIM.key]), WIDTHS.get(values["images"], 500)
    width = usual_width if values["width"] == USUAL else int(values["width"])
    usual = 100 if values["images"] not in ("mnist60000", FASHION) else EPOCHS_OF_60000.get(dim, 60)
    config = configure(
        "vae",
        dataset,
        latent_dim=dim,
        beta=float(values["beta"]),
        warm_up=float(values["warm_up"]),
        likelihood=values["likelihood"],
        hidden=(width, width),
        num_epochs=usual if values["epochs"] == USUAL else int(values["epochs"]),
        seed=int(values["seed"]),
    )
    return replace(config, num_snapshots=NUM_SNAPSHOTS)


# Drawing ----------------------------------------------------------------------------------------------------------


def _draw(run: Run) -> None:
    """Curves, then images and reconstructions at the chosen epoch, then numbers."""
    train = run.train_course()
    if train is None:
        st.caption("No epoch is done yet: nothing to draw.")
        return
    test = _test_course(run)
    epochs = _epochs(run)
    above = st.container()
    chosen = _choose_epoch(run, epochs)
    with above:
        _show_curves(run, train, test, None if chosen is None else int(epochs[chosen]))
    _show_images(run, chosen)
    _show_numbers(run, train, test)


def _show_curves(run: Run, train: plots.Course, test: plots.Course | None, chosen: int | None) -> None:
    settings: dict[str, Any] = {
        "published": VAE_LOG if run.is_lectures else (),
        "num_epochs": run.num_epochs,
        "chosen": chosen,
        "theme": present_theme(),
    }
    fig = plots.elbo_curves(train, test, stacked=is_narrow(), **settings)
    last = {part: train.values[part][-1] for part in ("elbo", "reconstruction", "kl")}
    alt = (
        f"Training over {len(train.epoch)} epochs: ELBO {last['elbo']:.1f}, reconstruction "
        f"{last['reconstruction']:.1f}, KL {last['kl']:.1f} nats per image at the end."
    )
    figure(fig, key="elbo_curves", alt=alt)


def _epochs(run: Run) -> Array:
    """The epochs at which something was kept."""
    if "scrub_epoch" in run.extra:
        return run.extra["scrub_epoch"].astype(int)
    return (run.fit.snapshot_steps / run.epoch_steps).round().astype(int) if run.fit.is_done else np.empty(0, int)


def _choose_epoch(run: Run, epochs: Array) -> int | None:
    """Which of them to show: a slider below the curves, the last one at first."""
    if len(epochs) < 2 or not run.fit.is_done:
        return None
    asked = link.whole_number(link.arrived_with(EPOCH), MAX_EPOCH)
    if asked is not None:
        st.session_state[EPOCH] = asked
    wanted = st.session_state.get(EPOCH, epochs[-1])
    stops = [int(epoch) for epoch in epochs]
    st.session_state[EPOCH] = stops[int(np.abs(epochs - wanted).argmin())]
    chosen = st.select_slider("Epoch of the reconstructions", stops, key=EPOCH)
    if chosen != stops[-1]:
        link.add(EPOCH, str(chosen))
    return stops.index(chosen)


def _test_course(run: Run) -> plots.Course | None:
    """The bound of held-out images: shipped, from the snapshots, or noted while it trains."""
    parts = ("elbo", "reconstruction", "kl", "kl_per_dimension")
    if "test_elbo" in run.extra:
        return plots.Course(run.extra["scrub_epoch"].astype(int), {p: run.extra[f"test_{p}"] for p in parts})
    if not len(run.dataset.x_test):
        return None
    held_out = run.dataset.x_test[:NUM_HELD_OUT]
    if run.fit.is_done and len(run.fit.snapshot_steps) > 1:
        found = remembered(run.fit, "held out", lambda: run.fit.held_out_history(held_out))
        return plots.Course(found["step"] / run.epoch_steps, {part: found[part] for part in parts})
    return _noted(run, held_out)


def _noted(run: Run, held_out: Array) -> plots.Course:
    """The bounds of held-out images at the moments at which this visitor looked."""
    known, log = st.session_state.get(LIVE, (None, {}))
    if known != run.fit.config:
        log = {}
    step = run.fit.num_steps_done
    if step not in log:
        bound = run.fit.bound(held_out, 1)
        log[step] = [float(getattr(bound, part).mean()) for part in ("elbo", "reconstruction", "kl")]
    st.session_state[LIVE] = (run.fit.config, log)
    steps = sorted(log)
    columns = np.array([log[each] for each in steps]).T
    return plots.Course(
        np.array(steps) / run.epoch_steps, dict(zip(("elbo", "reconstruction", "kl"), columns, strict=True))
    )


def _show_images(run: Run, chosen: int | None) -> None:
    """25 images of both parts, each beside what the model makes of them."""
    for place, part, title in zip(
        st.columns(2, gap="medium"), ("train", "test"), ("Training", "Held-out"), strict=True
    ):
        originals = _originals(run, part)
        restored = _restored(run, part, originals, chosen)
        with place:
            if originals is None or restored is None:
                st.caption(f"{title} images: there are none.")
            else:
                _sheet(run, _side_by_side(originals, restored), 2 * ROW + 1, f"{title} images, and reconstructed.")


def _side_by_side(left: Array, right: Array) -> Array:
    """Rows of five images (N, D), an empty place, and the five that belong to them."""
    rows = [images[: len(images) // ROW * ROW].reshape(-1, ROW, images.shape[1]) for images in (left, right)]
    empty = np.zeros_like(rows[0][:, :1])
    return np.concatenate([rows[0], empty, rows[1]], axis=1).reshape(-1, left.shape[1])


def _sheet(run: Run, images: Array, columns: int, caption: str) -> None:
    scale = generative_source.scale_of(run.shape)
    sheet(images.reshape(-1, *run.shape), columns, alt=f"Rows of digits: {caption}", scale=scale)
    st.caption(caption)


def _originals(run: Run, part: str) -> Array | None:
    found = (run.dataset.x if part == "train" else run.dataset.x_test)[:NUM_SHOWN]
    return run.fit.model.likelihood.observe(found) if len(found) else None


def _restored(run: Run, part: str, originals: Array | None, chosen: int | None) -> Array | None:
    """Reconstructions at the chosen epoch, or by what has been learned so far."""
    if f"{part}_scrub" in run.extra:
        return run.extra[f"{part}_scrub"][-1 if chosen is None else chosen] / 255
    if originals is None:
        return None
    then = run.fit if chosen is None else run.fit.at_snapshot(chosen)
    return then.reconstruct(originals)


def _show_numbers(run: Run, train: plots.Course, test: plots.Course | None) -> None:
    per_dimension = train.values["kl_per_dimension"][-1]
    unit = "nats"
    shown = [(f"Training ELBO ({unit})", f"{train.values['elbo'][-1]:.1f}", "Mean over the last epoch's minibatches.")]
    if test is not None:
        told = "Monte Carlo over codes: a true bound, unlike the value at the mean code."
        shown.append((f"Held-out ELBO ({unit})", f"{test.values['elbo'][-1]:.1f}", told))
    shown.append((f"KL ({unit})", f"{train.values['kl'][-1]:.1f}", "KL[q(z|x) ‖ p(z)], training images."))
    used = int((per_dimension > plots.COLLAPSED).sum())
    shown.append(("Dimensions in use", f"{used} of {len(per_dimension)}", "KL above 0.05 nats; the others collapsed."))
    numbers(shown)


def tabs(run: Run) -> dict[str, Callable[[], None]]:
    """What else there is of a training."""
    return {"KL per dimension": lambda: show_dimensions(run), "Lecture's log": lambda: show_log(run)}


def show_dimensions(run: Run) -> None:
    """The KL term of every code dimension over the epochs."""
    train = run.train_course()
    if train is None:
        st.caption("This checkpoint holds no record of its training.")
        return
    kl = train.values["kl_per_dimension"]
    fig = plots.kl_by_dimension(train.epoch, kl, num_epochs=run.num_epochs, theme=present_theme())
    used = int((kl[-1] > plots.COLLAPSED).sum())
    figure(fig, key="kl_by_dimension", alt=f"KL of {kl.shape[1]} code dimensions over the epochs; {used} are in use.")
    st.caption(
        "A dimension whose posterior is the prior costs nothing and says nothing: it has collapsed. "
        "Raise β and watch more of them fall to 0."
    )


def show_log(run: Run) -> None:
    """The lecture's log beside ours."""
    train = run.train_course()
    if not run.is_lectures or train is None:
        st.caption("The lecture's log is of Z = 20 on MNIST-1000, all settings as they are at first.")
        return
    rows = [
        {
            "epoch": epoch,
            "lecture (nats)": f"{printed:.2f}",
            "here (nats)": f"{train.values['elbo'][epoch - 1]:.2f}",
            "difference": f"{train.values['elbo'][epoch - 1] - printed:+.2f}",
        }
        for epoch, printed in enumerate(VAE_LOG, 1)
        if epoch <= len(train.epoch)
    ]
    st.table(rows)
    st.caption(
        f"Training ELBO, mean over the minibatches of an epoch, one seed; *Published numbers* has more seeds. "
        f"{after_the_log()}"
    )


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
