"""The network that is made small: its fit, what is left of it at a threshold, and its accuracy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from bdlviz import data
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, configure
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import prunable
from bdlviz.predictive import compression
from bdlviz.topics.weights.compression.controls import ALL, IMAGES, METHOD, NOTHING, SHIFT
from bdlviz.topics.weights.sparsity import study as sparsity_study
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.cache import remembered
from bdlviz.ui.jobs.obtain import known_fit, value_need
from bdlviz.ui.jobs.shipped import SHAPES
from bdlviz.ui.model import Need, Setting


@dataclass(frozen=True, eq=False)
class Network:
    """A prunable network, finished or still training, pruned at a threshold ``shift`` above the usual one."""

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
        """True once it has been trained to the end."""
        return self.fit.num_steps_done == self.fit.config.num_steps

    @property
    def sizes(self) -> tuple[int, ...]:
        """Units of all layers, before anything is removed."""
        return self.fit.model.network.sizes

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of an image in pixels."""
        return SHAPES[self.images]

    @property
    def layer_names(self) -> list[str]:
        """The names of its layers of units."""
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
    def kept(self) -> dict[str, Array]:
        """Which weights are left, (in, out) by name; also those that half precision makes 0."""
        noise = prunable.pruner(self.method).log_alphas(self.params)  # of weights, or of the units that they leave
        left = {name: log_alpha <= self.threshold for name, log_alpha in noise.items()}
        weights = {name: self.pruned[name] for name in compression.weight_names(self.pruned)}
        return {name: np.broadcast_to(left[name].reshape(len(w), -1), w.shape) for name, w in weights.items()}

    @cached_property
    def alive(self) -> list[Array]:
        """Which units of every layer the pruned network needs."""
        return compression.living_units(self.kept)

    @cached_property
    def precisions(self) -> dict[str, compression.Precision]:
        """Bits of the weights that are left, by layer."""
        return compression.precisions(self.pruned, prunable.pruner(self.method).variances(self.params))

    @property
    def weights_left(self) -> list[tuple[int, int]]:
        """For every layer: weights between living units that are left, and all its weights."""
        between = zip(self.kept.values(), pairwise(self.alive), strict=True)
        return [(int(np.count_nonzero(is_kept[np.ix_(*units)])), is_kept.size) for is_kept, units in between]

    @property
    def rates(self) -> tuple[float, float]:
        """How many times smaller it is without dead units, and with fewer bits besides."""
        return compression.compression_rates(self.kept, self.precisions)

    @property
    def num_left(self) -> int:
        """Weights that are left in all layers."""
        return sum(left for left, _ in self.weights_left)

    @property
    def num_weights(self) -> int:
        """All weights, before anything is removed."""
        return sum(size for _, size in self.weights_left)

    @property
    def ratio(self) -> float:
        """All weights divided by those that are left; infinite where none is."""
        return self.num_weights / self.num_left if self.num_left else float("inf")

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
        """The class of every image where no pixel has a weight left."""
        nothing = np.zeros((1, self.sizes[0]), np.float32)
        return int(compression.dense_outputs(self.pruned, self.fit.config.activation, nothing).argmax())


# How a view gets it ---------------------------------------------------------------------------------------------------


def needed(setting: Setting) -> Need[Network]:
    """The chosen network: the shipped LeNet-300-100, or a small one that is trained where it is not shipped."""
    method, shift = setting[METHOD], shift_of(setting)
    if setting[IMAGES] == "mnist":
        name = sparsity_study.name_of(method, "mnist")
        make = f"`python -m bdlviz train {name}` makes it."
        return Need((name, shift), shipped=lambda: on_mnist(method, shift), missing=make)
    return value_need(digits_config(method), loaded("digits"), lambda fit: on_digits(fit, shift))


def shift_of(setting: Setting) -> float:
    """How far the chosen threshold lies above the usual one."""
    chosen = setting[SHIFT]
    ends = {ALL: -np.inf, NOTHING: np.inf}
    return ends[chosen] if chosen in ends else float(chosen)


def on_digits(fit: Fit, shift: float = 0.0) -> Network:
    """The small network.

    Raises:
        InvalidInput: it diverged.
    """
    if fit.diverged.any():
        raise InvalidInput("This fit diverged: its weights are no longer finite.")
    return Network("digits", fit, loaded("digits"), shift)


def on_mnist(method: str, shift: float = 0.0) -> Network:
    """The shipped LeNet-300-100.

    Raises:
        CheckpointError: it is missing, damaged or of an older version.
    """
    name = sparsity_study.name_of(method, "mnist")
    fit, extra = shelf.shipped(name)
    if "compressed_accuracy" not in extra:
        raise CheckpointError(f"The checkpoint {name} is of an older version.")
    return Network("mnist", fit, loaded("mnist-1000"), shift, extra)


def at_hand(method: str, images: str) -> Network | None:
    """The network of a method at the usual threshold; None where it would have to be trained, or has diverged."""
    if images == "mnist":
        try:
            found = on_mnist(method)
        except CheckpointError:
            return None
        return None if found.fit.diverged.any() else found
    fit = known_fit(digits_config(method))
    return None if fit is None or fit.diverged.any() else on_digits(fit)


def digits_config(method: str) -> FitConfig:
    """The configuration of the small network."""
    return configure(method, loaded("digits"), **sparsity_study.settings_of(method, "digits"))


@lru_cache(maxsize=2)
def loaded(name: str) -> Dataset:
    """A data set, read once."""
    return data.load(name)


def call_of(network: Network, *lines: str) -> str:
    """Python that trains the same network, prunes it at the same threshold and goes on with these lines."""
    cut = {np.inf: 'float("inf")', -np.inf: '-float("inf")'}.get(network.threshold, f"{network.threshold:g}")
    return "\n".join(
        [
            "import bdlviz",
            "from bdlviz.topics.weights.sparsity import study",
            "from bdlviz.methods import prunable",
            "from bdlviz.predictive import compression",
            "",
            f"method, threshold = {network.method!r}, {cut}",
            f"data = bdlviz.dataset({sparsity_study.IMAGES[network.images]!r})",
            f"fit = bdlviz.fit(method, data, **study.settings_of(method, {network.images!r}))",
            "params = fit.single()",
            "pruned = prunable.pruner(method).pruned(params, threshold)",
            *lines,
        ]
    )
