"""The network that is made small: its fit, what of it is left, and how well that still answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
import streamlit as st

from bdlviz import data
from bdlviz.fits import Fit, configure
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import METHODS, prunable
from bdlviz.predictive import compression
from bdlviz.topics.weights.sparsity import study as sparsity_study
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.controls.control import Control
from bdlviz.ui.jobs.memory import remembered
from bdlviz.ui.jobs.obtain import Wanted, obtain
from bdlviz.ui.jobs.shipped import SHAPES

ALL, NOTHING = "all", "nothing"
METHOD = Control(
    "compressed_by",
    "Method",
    tuple(prunable.PRUNERS),
    "group_normal_jeffreys",
    "menu",
    "The first two remove whole units, the others single weights.",
    {name: METHODS[name].title for name in prunable.PRUNERS},
)
IMAGES = Control(
    "compressed_images",
    "Images",
    ("mnist", "digits"),
    "digits",
    "buttons",
    "LeNet-300-100 on all of MNIST, shipped; or a small network on scikit-learn's digits, trained here if need be.",
    {"mnist": "MNIST", "digits": "8×8 digits"},
)
SHIFT = Control(
    "prune_at",
    "Threshold on log α, above the usual one",
    (ALL, *(f"{shift}" for shift in range(-6, 7)), NOTHING),
    "0",
    "slider",
    "What has a larger log α than the threshold leaves. At the ends everything or nothing does.",
    {ALL: "prune all", NOTHING: "prune nothing"} | {f"{shift}": f"{shift:+d}" for shift in range(-6, 7) if shift},
)
CONTROLS = (METHOD, IMAGES, SHIFT)


@dataclass(frozen=True, eq=False)
class Source:
    """A prunable network, finished or still training, cut at a threshold that is ``shift`` above the usual one."""

    images: str  # an option of `IMAGES`
    fit: Fit
    dataset: Dataset  # images that come with the package
    shift: float
    extra: Mapping[str, Array] = field(default_factory=dict)  # beside a shipped fit on all of MNIST

    @property
    def threshold(self) -> float:
        """On log alpha."""
        return prunable.pruner(self.method).threshold + self.shift

    @property
    def method(self) -> str:
        """Its name in the registry."""
        return self.fit.config.method

    @property
    def is_done(self) -> bool:
        """Has it been trained to the end?"""
        return self.fit.num_steps_done == self.fit.config.num_steps

    @property
    def sizes(self) -> tuple[int, ...]:
        """Units of all layers, before anything is removed."""
        return self.fit.model.network.sizes

    @property
    def layer_names(self) -> list[str]:
        """What its layers are called."""
        hidden = [f"hidden {layer}" for layer in range(1, len(self.sizes) - 1)]
        return ["pixels", *hidden, "classes"]

    @cached_property
    def params(self) -> dict[str, Array]:
        """All parameters, without the axes of seeds and cells."""
        return {name: array[0, 0].astype(np.float32) for name, array in self.fit.params.items()}

    @cached_property
    def whole(self) -> dict[str, Array]:
        """The mean weights with nothing removed."""
        return prunable.pruner(self.method).pruned(self.params, np.inf)

    @cached_property
    def pruned(self) -> dict[str, Array]:
        """The mean weights that are left at the threshold."""
        return prunable.pruner(self.method).pruned(self.params, self.threshold)

    @cached_property
    def alive(self) -> list[Array]:
        """Which units of every layer the pruned network needs."""
        return compression.living_units(self.pruned)

    @cached_property
    def precisions(self) -> dict[str, compression.Precision]:
        """Bits of the weights of every layer."""
        return compression.precisions(self.pruned, prunable.pruner(self.method).variances(self.params))

    @property
    def weights_left(self) -> list[tuple[int, int]]:
        """Weights between living units that are not 0, and weights there were, of every layer."""
        weights = [self.pruned[name] for name in compression.weight_names(self.pruned)]
        between = zip(weights, pairwise(self.alive), strict=True)
        return [(int(np.count_nonzero(weight[np.ix_(*units)])), weight.size) for weight, units in between]

    @property
    def num_left(self) -> int:
        """Weights that are left in all layers."""
        return sum(left for left, _ in self.weights_left)

    @property
    def num_weights(self) -> int:
        """Weights there were."""
        return sum(size for _, size in self.weights_left)

    @cached_property
    def accuracies(self) -> sparsity_study.Accuracies:
        """On the held-out images: shipped for all of MNIST, else computed."""
        if self.images == "mnist":
            return sparsity_study.Accuracies.shipped(self.extra, self.shift)

        def compute() -> sparsity_study.Accuracies:
            return sparsity_study.Accuracies.of(self.fit, self.dataset, self.threshold)

        return remembered(self.fit, ("compress", self.threshold), compute)

    @property
    def only_answer(self) -> int:
        """The class that every image gets where no pixel is read any more."""
        nothing = np.zeros((1, self.sizes[0]), np.float32)
        return int(compression.dense_outputs(self.pruned, self.fit.config.activation, nothing).argmax())


def choose() -> None:
    """Draw the controls of the network and of the threshold."""
    choose_network()
    SHIFT.show()


def choose_network() -> None:
    """Draw the controls of the network."""
    METHOD.show()
    IMAGES.show()


def show(draw: Callable[[Source], None]) -> Source | None:
    """Get the network that the controls ask for and draw it; None while it trains, or where it is not shipped."""
    method, shift = METHOD.present(), _shift()
    if IMAGES.present() == "mnist":
        found, problem = mnist(method, shift)
        if found is None:
            st.warning(problem)
        else:
            draw(found)
        return found

    def source(fit: Fit) -> Source:
        return Source("digits", fit, loaded("digits"), shift)

    fit = obtain(Wanted(digits_config(method), loaded("digits")), lambda fit: draw(source(fit)))
    return source(fit) if fit is not None and not fit.diverged.any() else None


def _shift() -> float:
    """Of the chosen threshold, from the usual one."""
    chosen = SHIFT.present()
    ends = {ALL: -np.inf, NOTHING: np.inf}
    return ends[chosen] if chosen in ends else float(chosen)


def mnist(method: str, shift: float = 0.0) -> tuple[Source | None, str]:
    """The shipped LeNet-300-100, or why there is none to show."""
    name = sparsity_study.name_of(method, "mnist")
    try:
        fit, extra = shelf.shipped(name)
    except CheckpointError as error:
        return None, f"{error} `python -m bdlviz train {name}` makes it."
    if "compressed_accuracy" not in extra:
        return None, f"The checkpoint {name} is of an older version: `python -m bdlviz train {name}` makes it again."
    return Source("mnist", fit, loaded("mnist-1000"), shift, extra), ""


def digits_config(method: str) -> FitConfig:
    """The configuration of the small network."""
    return configure(method, loaded("digits"), **sparsity_study.settings_of(method, "digits"))


@lru_cache(maxsize=2)
def loaded(name: str) -> Dataset:
    """A data set, read once."""
    return data.load(name)


def shape_of(source: Source) -> tuple[int, int]:
    """Of an image, in pixels."""
    return SHAPES[source.images]


def snippet(source: Source, *lines: str) -> str:
    """Code that trains the same network and cuts it at the same threshold."""
    cut = {np.inf: 'float("inf")', -np.inf: '-float("inf")'}.get(source.threshold, f"{source.threshold:g}")
    return "\n".join(
        [
            "import bdlviz",
            "from bdlviz.topics.weights.sparsity import study",
            "from bdlviz.methods import prunable",
            "from bdlviz.predictive import compression",
            "",
            f"method, threshold = {source.method!r}, {cut}",
            f"data = bdlviz.dataset({sparsity_study.IMAGES[source.images]!r})",
            f"fit = bdlviz.fit(method, data, **study.settings_of(method, {source.images!r}))",
            "params = study.single_params(fit)",
            "pruned = prunable.pruner(method).pruned(params, threshold)",
            *lines,
        ]
    )
