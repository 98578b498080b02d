"""One network that removes its own weights, as the views draw it: the shipped one, or one trained for a visitor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from bdlviz.data import load
from bdlviz.digits import factor
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, Snapshot
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import ard, sparse_variational_dropout
from bdlviz.topics.shared.calls import fit_snippet, load_snippet
from bdlviz.topics.weights.sparsity import study
from bdlviz.topics.weights.sparsity.controls import IMAGES, METHOD, WARM_UP
from bdlviz.topics.weights.sparsity.study import NUM_MOMENTS, THRESHOLDS
from bdlviz.types import Array
from bdlviz.ui.cache import remembered
from bdlviz.ui.jobs.obtain import fit_work
from bdlviz.ui.jobs.shipped import SHAPES
from bdlviz.ui.model import Formula, Function, Need, Numbers, Part, Result, Setting, Words

METHODS: dict[str, ModuleType] = {"sparse_variational_dropout": sparse_variational_dropout, "ard": ard}
NOISE = Formula(
    sparse_variational_dropout.log_alphas,
    "How noisy a weight is, relative to its size. Weights above the threshold are removed.",
    {r"\theta": "mean of the weight", r"\sigma": "standard deviation of its noise, in the same unit"},
)
PENALTIES = {
    name: Formula(
        divergence,
        "What training pays for one weight: less, the more noise the weight has.",
        {r"\operatorname{KL}": "in nats", r"\alpha": "variance of the noise over the squared mean", **more},
        {r"\operatorname{KL}": "prior"},
    )
    for (name, divergence), more in zip(
        study.DIVERGENCES.items(),
        ({"k_1, k_2, k_3": "constants of the approximation"}, {r"\theta, \sigma": "mean and noise of the weight"}),
        strict=True,
    )
}
OBJECTIVES = {
    name: Formula(
        module.build,
        "Training minimises the data term plus the penalty of all weights, in nats per image.",
        {"B": "images in a minibatch", "N": "training images", r"\beta": "weight of the KL term, 1 after the warm-up"},
    )
    for name, module in METHODS.items()
}


@dataclass(frozen=True, eq=False)
class Run:
    """One training, its first seed: the fit, and the arrays recorded of it (see `study`)."""

    fit: Fit
    images: str
    extra: dict[str, Array]

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.fit.config.method

    @property
    def params(self) -> dict[str, Array]:
        """The parameters of the one network, by name."""
        single = self.fit.single()
        return {name: np.asarray(single[name], np.float32) for name in sorted(single)}

    @property
    def layers(self) -> list[str]:
        """The names of the layers of weights."""
        return [f"layer {number}" for number in range(1, len(self.fit.config.hidden) + 2)]

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of an image in pixels."""
        return SHAPES[self.images]

    @property
    def warm_up_steps(self) -> float:
        """The step from which the KL term has its full weight."""
        return dict(self.fit.config.options)["kl_warm_up"] * self.fit.config.num_steps

    def left(self, threshold: float) -> list[float]:
        """The share of each layer's weights that is left at a threshold of log alpha."""
        at = int(np.abs(THRESHOLDS - threshold).argmin())
        return [1 - float(share) for share in self.extra["threshold_sparsity"][at]]

    def compression(self, threshold: float) -> float:
        """Number of weights divided by the number of weights that are left."""
        sizes = self.extra["histograms"][-1].sum(-1)
        remaining = int(np.rint(sizes * np.array(self.left(threshold))).sum())  # whole weights: shares are rounded
        return float(sizes.sum()) / remaining if remaining else float("inf")

    def removed(self, threshold: float) -> float:
        """The share of all weights that is removed at a threshold."""
        return 1 - 1 / self.compression(threshold)

    @property
    def removed_over_training(self) -> Array:
        """The share of all weights that is removed at each moment of the training, (T,)."""
        return 1 - 1 / self.extra["compression"].astype(float)

    @cached_property
    def whole(self) -> float:
        """Held-out accuracy with all weights at the end; shipped for MNIST, whose images may be absent."""
        if "compressed_accuracy" in self.extra:
            return study.Accuracies.shipped(self.extra, 0.0).whole
        return study.pruned_accuracy(self.fit, load(study.IMAGES[self.images]), np.inf)

    @property
    def num_held_out(self) -> int:
        """The number of held-out images; shipped for MNIST."""
        shipped = self.extra.get("compressed_images")
        return len(load(study.IMAGES[self.images]).x_test) if shipped is None else int(shipped[0])

    @property
    def done(self) -> Array:
        """The share of the training that is done at each moment, (T,)."""
        return self.extra["step"] / self.fit.config.num_steps

    def accuracy(self, threshold: float) -> float:
        """Accuracy on the held-out images, pruned at a threshold."""
        return float(self.extra["threshold_accuracy"][np.abs(THRESHOLDS - threshold).argmin()])


# What a view needs ---------------------------------------------------------------------------------------------------


def images_of(setting: Setting) -> str:
    """The chosen images, or the 8x8 digits where no network on the others is shipped."""
    images = setting[IMAGES]
    return images if study.name_of(setting[METHOD], images) in shelf.manifest() else "digits"


def run_needed(setting: Setting) -> Need[Run]:
    """The chosen network: the shipped one, or one trained on the 8x8 digits."""
    images, method = images_of(setting), setting[METHOD]
    warm_up = None if images != "digits" or setting.is_default(WARM_UP) else setting.number(WARM_UP)
    name = study.name_of(method, images, warm_up)
    if images != "digits":
        return Need(name, shipped=lambda: _shipped(name, images), missing=_make_it(method, images))
    usual = study.SETTINGS["digits"]["kl_warm_up"]
    config = study.config_of(
        method, "digits", num_snapshots=NUM_MOMENTS, kl_warm_up=usual if warm_up is None else warm_up
    )
    return Need(
        config,
        shipped=lambda: _shipped(name, images) if name in shelf.manifest() else None,
        work=fit_work(config, load("digits")),
        read=recorded,
        num_steps=config.num_steps,
    )


def _shipped(name: str, images: str) -> Run:
    fit, extra = shelf.shipped(name)
    if "threshold_accuracy" not in extra:
        raise CheckpointError(f"The checkpoint {name} is of an older version.")
    return Run(fit, images, extra)


def _make_it(method: str, images: str) -> str:
    name = study.name_of(method, images)
    return f"No network on {IMAGES.name(images)} is at hand: `python -m bdlviz train {name}` makes it, given the data."


def recorded(fit: Fit) -> Run:
    """A fit that was trained here, with the arrays that are stored beside a shipped one.

    Raises:
        InvalidInput: it diverged.
    """
    refuse_diverged(fit)
    in_order = {name: fit.params[name] for name in sorted(fit.params)}  # the first layer first
    fit = replace(fit, params=in_order, snapshots={n: fit.snapshots[n] for n in in_order if n in fit.snapshots})
    return Run(fit, "digits", remembered(fit, "recorded", lambda: _record(fit)))


def refuse_diverged(fit: Fit) -> None:
    """Raises InvalidInput for a fit whose weights are no longer finite."""
    if fit.diverged.any():
        raise InvalidInput("This fit diverged: its weights are no longer finite. Try a smaller weight of the KL term.")


def _record(fit: Fit) -> dict[str, Array]:
    """The arrays of `study` for the snapshots of a fit and for its end."""
    dataset = load("digits")
    watch = study.Watch(fit.config.method, dataset)
    before = (fit.at_snapshot(index) for index in range(len(fit.snapshot_steps)))
    for moment in [*(each for each in before if each.num_steps_done < fit.num_steps_done), fit]:
        watch(Snapshot(moment.num_steps_done, fit.config.num_steps, fit.seconds, lambda moment=moment: moment))
    last = watch.arrays() | study.by_threshold(fit, dataset)
    return last | {"seed_accuracy": last["accuracy"][-1:], "seed_compression": last["compression"][-1:]}


# What every view says of it -------------------------------------------------------------------------------------------


def result_of(setting: Setting, run: Run, parts: list[Part], code: tuple[Function, ...]) -> Result:
    """The result of a view of a run, with the equations of its divergence and its objective."""
    if run.images != setting[IMAGES]:
        told = f"{_make_it(run.method, setting[IMAGES])} Meanwhile: the 8×8 digits."
        parts = [Words(told), *parts]
    return Result(
        parts,
        formulas=(NOISE, PENALTIES[run.method], OBJECTIVES[run.method]),
        code=(study.DIVERGENCES[run.method], sparse_variational_dropout.WeightPruner, study.by_threshold, *code),
        call=call_of(run),
    )


def numbers_of(run: Run, threshold: float) -> Numbers:
    """Accuracy, compression, what is left of each layer, and the standard deviation over the seeds."""
    accuracy, compression = run.extra["seed_accuracy"], run.extra["seed_compression"]
    told = _seeds(accuracy, compression)
    return Numbers(
        [
            ("Held-out accuracy", f"{100 * run.accuracy(threshold):.1f} %", f"Of the means that are left. {told}"),
            ("Compression", times(run.compression(threshold)), "Number of weights / number left, without biases."),
            ("Left in layers 1 · 2 · 3", percents(run.left(threshold)), "Of each layer's weights."),
            ("Seeds: accuracy", _mean_and_std(accuracy), f"Mean ± sd over {len(accuracy)}. {told}"),
        ]
    )


def _seeds(accuracy: Array, compression: Array) -> str:
    if len(accuracy) == 1:
        return "One seed was trained."
    accuracies = ", ".join(f"{100 * value:.1f} %" for value in accuracy)
    compressions = ", ".join(times(float(value)) for value in compression)
    return f"{len(accuracy)} seeds at log α = 3: accuracy {accuracies}; compression {compressions}."


def _mean_and_std(accuracy: Array) -> str:
    mean = float(np.mean(accuracy))
    return f"{100 * mean:.1f} %" if len(accuracy) == 1 else f"{100 * mean:.1f} ± {100 * np.std(accuracy, ddof=1):.1f} %"


def percents(shares: Iterable[float]) -> str:
    """Shares as short as a phone needs them: 1.1 · 2.8 · 38 %."""
    return " · ".join(f"{100 * share:.{0 if share >= 0.0995 else 1}f}" for share in shares) + " %"


def times(compression: float) -> str:
    """A compression as text: ×20; ∞ where nothing is left."""
    return factor(compression) if np.isfinite(compression) else "∞"


def call_of(run: Run) -> str:
    """Python that trains the same network and prunes it."""
    fields: dict[str, Any] = {"num_snapshots": 0}
    lines = [
        "import bdlviz",
        "from bdlviz.methods.prunable import pruner",
        "",
        load_snippet(study.IMAGES[run.images]),
        fit_snippet(replace(run.fit.config, **fields)),
        "params = fit.single()",
        f"prune = pruner({run.method!r})",
        "print(prune.compression(params, prune.threshold))",
        "print(prune.sparsity(params, prune.threshold))",
    ]
    return "\n".join(lines)
