"""The network that is made small: its fit, what of it is left, and how well that still answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
import streamlit as st

from bdlviz import data, recipes_pruned, shelf
from bdlviz.checkpoints import CheckpointError
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, configure
from bdlviz.methods import METHODS, prunable
from bdlviz.predictive import compression
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.controls import Control
from bdlviz.ui.memory import remembered
from bdlviz.ui.obtain import Wanted, obtain
from bdlviz.ui.shipped import SHAPES

ALL, NOTHING = "all", "nothing"
NO_MNIST = "MNIST's files are not on this computer (put them into `BDLVIZ_DATA/mnist`)"
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
    """A prunable network, finished or still training, cut at the chosen threshold."""

    images: str  # an option of `IMAGES`
    fit: Fit
    dataset: Dataset
    threshold: float

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

    def accuracy(self, what: str, params: Mapping[str, Array]) -> float:
        """Of one pass with these weights over the held-out images; ``what`` names them."""
        return float((self.answers(what, params) == self.dataset.y_test).mean())

    def answers(self, what: str, params: Mapping[str, Array]) -> Array:
        """The most probable class of every held-out image, (N,)."""

        def compute() -> Array:
            x = self.fit.scaling.standardise_x(self.dataset.x_test)
            return compression.dense_outputs(params, self.fit.config.activation, x).argmax(1)

        return remembered(self.fit, ("compress", what, self.threshold), compute)


def choose() -> None:
    """Draw the controls of the network and of the threshold."""
    choose_network()
    SHIFT.show()


def choose_network() -> None:
    """Draw the controls of the network."""
    METHOD.show()
    IMAGES.show()


def show(draw: Callable[[Source], None]) -> Source | None:
    """Get the network that the controls ask for and draw it; None while it trains."""
    wanted = _wanted()

    def source(fit: Fit) -> Source:
        return Source(images_of(fit), fit, wanted.dataset, threshold(fit.config.method))

    fit = obtain(wanted, lambda fit: draw(source(fit)))
    return source(fit) if fit is not None and not fit.diverged.any() else None


def threshold(method: str) -> float:
    """The chosen threshold on log alpha."""
    shift = SHIFT.present()
    ends = {ALL: -np.inf, NOTHING: np.inf}
    return ends[shift] if shift in ends else prunable.pruner(method).threshold + float(shift)


def images_of(fit: Fit) -> str:
    """The option of `IMAGES` that a fit belongs to."""
    return "digits" if fit.config.dataset == "digits" else "mnist"


def _wanted() -> Wanted:
    method, images = METHOD.present(), IMAGES.present()
    if images == "mnist":
        shipped, problem = mnist(method)
        if shipped is not None:
            return Wanted(shipped.config, loaded("mnist"))
        st.caption(f"{problem}: this is the small network on 8×8 digits.")
    return Wanted(digits_config(method), loaded("digits"))


def mnist(method: str) -> tuple[Fit | None, str]:
    """The shipped LeNet-300-100, or why there is none to show."""
    if not has_mnist():
        return None, NO_MNIST
    name = recipes_pruned.name_of(method, "mnist")
    try:
        if name in shelf.manifest():
            return shelf.shipped(name)[0], ""
    except CheckpointError as error:
        return None, str(error).removesuffix(".")
    return None, f"No LeNet-300-100 is shipped for this method (`python -m bdlviz train {name}` makes one)"


def has_mnist() -> bool:
    """Can the images be read?"""
    try:
        return data.available("mnist") and bool(loaded("mnist").num_data)
    except InvalidInput:
        return False


def digits_config(method: str) -> FitConfig:
    """The configuration of the small network."""
    return configure(method, loaded("digits"), **recipes_pruned.settings_of(method, "digits"))


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
            "from bdlviz import recipes_pruned",
            "from bdlviz.methods import prunable",
            "from bdlviz.predictive import compression",
            "",
            f"method, threshold = {source.method!r}, {cut}",
            f"data = bdlviz.dataset({recipes_pruned.IMAGES[source.images]!r})",
            f"fit = bdlviz.fit(method, data, **recipes_pruned.settings_of(method, {source.images!r}))",
            "params = recipes_pruned.single_params(fit)",
            "pruned = prunable.pruner(method).pruned(params, threshold)",
            *lines,
        ]
    )
