"""Networks that remove their own weights: the shipped ones, or one trained while the visitor watches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np
import streamlit as st

from bdlviz.data import load
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, Snapshot
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import ard, sparse_variational_dropout
from bdlviz.models import divergences
from bdlviz.topics.weights.sparsity import study
from bdlviz.topics.weights.sparsity.study import NUM_MOMENTS, THRESHOLDS
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.look import numbers
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.jobs import shipped
from bdlviz.ui.jobs.memory import remembered
from bdlviz.ui.jobs.obtain import Wanted, obtain
from bdlviz.ui.jobs.shipped import SHAPES

METHODS: dict[str, ModuleType] = {"sparse_variational_dropout": sparse_variational_dropout, "ard": ard}
METHOD = Control(
    "method",
    "Method",
    tuple(METHODS),
    "sparse_variational_dropout",
    "buttons",
    "They differ in the prior: log-uniform, or one learned variance for each weight.",
    {"sparse_variational_dropout": "Sparse VD", "ard": "ARD"},
)
IMAGES = replace(
    shipped.IMAGES,
    help="LeNet-300-100 on 60,000 images of MNIST, or a network of 64 and 32 units on scikit-learn's 8x8 digits.",
    names={"mnist": "MNIST", "digits": "8×8 digits"},
)
WARM_UP = Control(
    "warm_up",
    "Warm-up of the KL term",
    ("0", "0.1"),
    "0.1",
    "buttons",
    "The first tenth of training: off for a quarter of it, then a straight line up to its full weight.",
    {"0": "none", "0.1": "first tenth"},
)
THRESHOLD = number_control(
    "threshold",
    "Threshold of log α",
    THRESHOLDS,
    divergences.PRUNED,
    "A weight with more noise than this is removed. 3, the papers' choice: 20 times as much variance as squared mean.",
)
CONTROLS = (IMAGES, METHOD, WARM_UP, THRESHOLD)


@dataclass(frozen=True, eq=False)
class Run:
    """One training, its first seed: the network, and what was recorded of it (see `study`)."""

    fit: Fit
    images: str
    extra: dict[str, Array]

    @property
    def method(self) -> str:
        """How its noise was learned."""
        return self.fit.config.method

    @property
    def params(self) -> dict[str, Array]:
        """The parameters of the one network, by name."""
        single = study.single_params(self.fit)
        return {name: np.asarray(single[name], np.float32) for name in sorted(single)}

    @property
    def layers(self) -> list[str]:
        """The layers of weights by name, the first first."""
        return [f"layer {number}" for number in range(1, len(self.fit.config.hidden) + 2)]

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of an image."""
        return SHAPES[self.images]

    @property
    def warm_up_steps(self) -> float:
        """After so many steps the KL term has its full weight."""
        return dict(self.fit.config.options)["kl_warm_up"] * self.fit.config.num_steps

    def left(self, threshold: float) -> list[float]:
        """The share of each layer's weights that is left at a threshold."""
        at = int(np.abs(THRESHOLDS - threshold).argmin())
        return [1 - float(share) for share in self.extra["threshold_sparsity"][at]]

    def compression(self, threshold: float) -> float:
        """Weights there are for each that is left."""
        sizes = self.extra["histograms"][-1].sum(-1)
        remaining = float(np.dot(sizes, self.left(threshold)))
        return float(sizes.sum()) / remaining if remaining >= 0.5 else float("inf")

    def accuracy(self, threshold: float) -> float:
        """On the held-out images, pruned at a threshold."""
        return float(self.extra["threshold_accuracy"][np.abs(THRESHOLDS - threshold).argmin()])


def present_images() -> str:
    """The chosen images, or the 8x8 digits where no network on the others is shipped."""
    images = IMAGES.present()
    return images if study.name_of(METHOD.present(), images) in shelf.manifest() else "digits"


def choose() -> None:
    """Draw the controls of the runs."""
    IMAGES.show()
    METHOD.show()
    if present_images() == "digits":
        WARM_UP.show()


def choose_with_threshold() -> None:
    """Draw the controls of a view that prunes."""
    choose()
    THRESHOLD.show()


def present_threshold() -> float:
    """The chosen threshold of log alpha."""
    return float(THRESHOLD.present())


def with_run(draw: Callable[[Run], None]) -> Run | None:
    """Draw a view of the chosen run: the shipped one, or one trained now. Returns it when it is finished."""
    images, method = present_images(), METHOD.present()
    if images != IMAGES.present():
        st.caption(f"{_make_it(method, IMAGES.present())} Meanwhile: the 8×8 digits.")
    warm_up = None if images != "digits" or WARM_UP.present() == WARM_UP.default else float(WARM_UP.present())
    name = study.name_of(method, images, warm_up)
    try:
        run = Run(*_checked(name, images))
        draw(run)
        return run
    except CheckpointError as error:
        if images != "digits":
            st.warning(f"{error} {_make_it(method, images)}")
            return None
        if name in shelf.manifest():
            st.info(f"{error} Training instead.")
    return _trained(method, draw, warm_up)


def _checked(name: str, images: str) -> tuple[Fit, str, dict[str, Array]]:
    fit, extra = shelf.shipped(name)
    if "threshold_accuracy" not in extra:
        raise CheckpointError(f"The checkpoint {name} is of an older version.")
    return fit, images, extra


def _make_it(method: str, images: str) -> str:
    name = study.name_of(method, images)
    return f"No network on {IMAGES.name(images)} is at hand: `python -m bdlviz train {name}` makes it, given the data."


def _trained(method: str, draw: Callable[[Run], None], warm_up: float | None) -> Run | None:
    """A run on the small digits, trained while the visitor watches."""
    usual = study.SETTINGS["digits"]["kl_warm_up"]
    config = study.config_of(
        method, "digits", num_snapshots=NUM_MOMENTS, kl_warm_up=usual if warm_up is None else warm_up
    )
    found: list[Run] = []

    def look(fit: Fit) -> None:
        found[:] = [watched(fit)]
        draw(found[0])

    fit = obtain(Wanted(config, load("digits")), look)
    return found[0] if fit is not None and found else None


def watched(fit: Fit) -> Run:
    """A fit that was trained here, with all that is stored beside a shipped one.

    Raises:
        InvalidInput: it diverged.
    """
    if fit.diverged.any():
        raise InvalidInput("This fit diverged: its weights are no longer finite. Try a smaller weight of the KL term.")
    in_order = {name: fit.params[name] for name in sorted(fit.params)}  # the first layer first
    fit = replace(fit, params=in_order, snapshots={n: fit.snapshots[n] for n in in_order if n in fit.snapshots})
    dataset = load("digits")

    def look() -> dict[str, Array]:
        watch = study.Watch(fit.config.method, dataset)
        for moment in _moments(fit):
            watch(Snapshot(moment.num_steps_done, fit.config.num_steps, fit.seconds, lambda moment=moment: moment))
        last = watch.arrays() | study.by_threshold(fit, dataset)
        return last | {"seed_accuracy": last["accuracy"][-1:], "seed_compression": last["compression"][-1:]}

    return Run(fit, "digits", remembered(fit, "watched", look))


def _moments(fit: Fit) -> list[Fit]:
    """The fit as it was at its snapshots, and as it is."""
    before = (fit.at_snapshot(index) for index in range(len(fit.snapshot_steps)))
    return [*(each for each in before if each.num_steps_done < fit.num_steps_done), fit]


def show_numbers(run: Run, threshold: float) -> None:
    """Accuracy, compression, what is left of each layer, and the seeds' spread."""
    accuracy, seeds = run.extra["seed_accuracy"], len(run.extra["seed_accuracy"])
    compression = run.extra["seed_compression"]
    spread = "One seed was trained." if seeds == 1 else f"{seeds} seeds at log α = 3: {_spread(accuracy, compression)}."
    numbers(
        [
            ("Held-out accuracy", f"{run.accuracy(threshold):.1%}", f"Of the means that are left. {spread}"),
            ("Compression", times(run.compression(threshold)), "Weights there are for each that is left; no biases."),
            (
                "Left in layers 1 · 2 · 3",
                percents(run.left(threshold)),
                "Of each layer's weights.",
            ),
            ("Seeds: accuracy", _seeds(accuracy), f"Mean ± sd over {seeds}. {spread}"),
        ]
    )


def percents(shares: Iterable[float]) -> str:
    """Shares as short as a phone needs them: 1.1 · 2.8 · 38 %."""
    return " · ".join(f"{100 * share:.{0 if share >= 0.0995 else 1}f}" for share in shares) + " %"


def times(compression: float) -> str:
    """A compression as it is written: ×20; ∞ where nothing is left."""
    return f"×{compression:.0f}" if np.isfinite(compression) else "∞"


def _seeds(accuracy: Array) -> str:
    mean = float(np.mean(accuracy))
    return f"{mean:.1%}" if len(accuracy) == 1 else f"{100 * mean:.1f} ± {100 * np.std(accuracy, ddof=1):.1f} %"


def _spread(accuracy: Array, compression: Array) -> str:
    return (
        f"accuracy {', '.join(f'{value:.1%}' for value in accuracy)}; "
        f"compression {', '.join(times(float(value)) for value in compression)}"
    )


def shown(run: Run, *more: Callable[..., object], code: tuple[Callable[..., object], ...] = ()) -> Shown:
    """What a view of a run leaves for the tabs: its divergence, its objective and what the view adds."""
    divergence = study.DIVERGENCES[run.method]
    formulas = (sparse_variational_dropout.log_alphas, divergence, METHODS[run.method].build)
    return Shown(
        (*formulas, *more),
        (divergence, sparse_variational_dropout.WeightPruner, study.by_threshold, *code),
        snippet(run),
    )


def snippet(run: Run) -> str:
    """Code that trains the same network and prunes it."""
    warm_up = dict(run.fit.config.options)["kl_warm_up"]
    usual = study.settings_of(run.method, run.images)["kl_warm_up"]
    changed = "" if warm_up == usual else f", kl_warm_up={warm_up:g}"
    first = [] if run.images == "digits" else ['bdlviz.dataset("mnist", download=True)  # once, where it is not here']
    return "\n".join(
        [
            "import bdlviz",
            "from bdlviz.topics.weights.sparsity import study",
            "from bdlviz.methods.prunable import pruner",
            "",
            *first,
            f"fit, extra = study.prunable({run.method!r}, {run.images!r}{changed})",
            "params = study.single_params(fit)",
            f"prune = pruner({run.method!r})",
            "print(extra['accuracy'][-1], prune.compression(params, prune.threshold))",
            "print(prune.sparsity(params, prune.threshold))",
        ]
    )
