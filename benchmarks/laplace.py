"""Laplace's approximation: curvature and predictive around given weights, by bdlviz and by laplace-torch."""

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import bdlviz
from bdlviz.data import from_points
from bdlviz.fits import Fit
from bdlviz.types import Array
from benchmarks.peers import compared, imported
from benchmarks.report import Row
from benchmarks.timing import Contender, Runs, interleave
from benchmarks.workload import NOISE_STD, Workload

LIBRARY = "laplace"
HIDDEN, NUM_INPUTS = (50, 50), 1000
LENGTH_SCALE = 1.0
MODE_STEPS = 1000
TOLERANCE = 0.02  # as a share of the largest standard deviation; the library computes in single precision
BACKENDS = ("BackPackGGN", "AsdlGGN")  # with all weights, Curvlinops is several times slower than either


@dataclass(frozen=True)
class Mode:
    """A network at its posterior mode. If ``all_layers`` is False, only the last layer has a distribution."""

    all_layers: bool

    @cached_property
    def fit(self) -> Fit:
        """The fit of bdlviz, with the same prior for every weight, as in the library."""
        x, y = Workload().data
        return bdlviz.fit(
            "laplace", from_points(x, y, held_out=False), hidden=HIDDEN, activation="tanh", num_steps=MODE_STEPS,
            noise_std=NOISE_STD, length_scale=LENGTH_SCALE, prior_by_width=0, all_layers=int(self.all_layers),
        )  # fmt: skip

    @cached_property
    def net(self) -> nn.Sequential:
        """The same weights in a torch module."""
        layers: list[nn.Module] = []
        for layer, (before, after) in enumerate(itertools.pairwise((1, *HIDDEN, 1))):
            linear = nn.Linear(before, after)
            linear.weight.data = torch.from_numpy(self.fit.single()[f"weight{layer}"].T.copy())
            linear.bias.data = torch.from_numpy(self.fit.params[f"bias{layer}"][0, 0, 0].copy())
            layers += [linear, nn.Tanh()]
        return nn.Sequential(*layers[:-1])

    @property
    def x(self) -> Array:
        """The inputs of predictions, (N,)."""
        return np.linspace(-3, 3, NUM_INPUTS)


def predictive(rounds: int, cores: int) -> list[Row]:
    """Rows for curvature and prediction at a thousand inputs: last layer, then all weights; one thread each."""
    rows: list[Row] = []
    library = imported(LIBRARY)
    if library is None:
        return rows
    for mode, what in ((Mode(False), "the last layer"), (Mode(True), "all weights")):
        contenders: dict[str, Contender] = {"bdlviz": lambda seed, mode=mode: _ours(mode)}
        runs = interleave(contenders | _peers(library, mode), rounds)
        mine = runs.pop("bdlviz")
        what = f"Laplace, {what} of 1-{'-'.join(map(str, HIDDEN))}-1, {NUM_INPUTS} inputs"
        for name, theirs in runs.items():
            _check(f"{what}: {name}", mine, theirs)
        rows += compared(what, mine, runs, ">= 1.8", 1e3, "ms")
    return rows


def _ours(mode: Mode) -> Array:
    """Standardised mean and standard deviation of bdlviz, (2, N)."""
    fit = mode.fit
    predicted = fit.predict(mode.x, 1)  # one draw is enough, because the moments are exact
    scale = fit.scaling.y_scale
    return np.stack([(predicted.mean - fit.scaling.y_mean) / scale, predicted.epistemic_std / scale]).reshape(2, -1)


def _peers(library: Any, mode: Mode) -> dict[str, Contender]:
    """The library's methods for the full curvature: its backends, in the space of weights and of functions."""
    subset = "all" if mode.all_layers else "last_layer"
    by_name: dict[str, Contender] = {}
    for structure, backend in itertools.product(("full", "gp"), BACKENDS):
        kind = getattr(library.curvature, backend, None)
        if kind is not None:
            name = f"laplace-torch, {structure}, {backend.removesuffix('GGN')}"
            net = copy.deepcopy(mode.net)  # a backend adds hooks to the layers and does not remove them
            by_name[name] = lambda seed, way=(net, subset, structure, kind): _theirs(library, mode, *way)
    return by_name


def _theirs(library: Any, mode: Mode, net: nn.Module, subset: str, structure: str, backend: Any) -> Array:
    """Standardised mean and standard deviation of the library, (2, N)."""
    torch.set_num_threads(1)
    scaling = mode.fit.scaling
    x, y = (torch.from_numpy(a.astype(np.float32)[:, None]) for a in Workload().data)
    settings = {"n_subset": len(x)} if structure == "gp" else {}
    approximation = library.Laplace(
        net, "regression", subset_of_weights=subset, hessian_structure=structure, backend=backend,
        sigma_noise=NOISE_STD, prior_precision=LENGTH_SCALE**2, **settings,
    )  # fmt: skip
    approximation.fit(DataLoader(TensorDataset(x, y), batch_size=len(x)))
    where = torch.from_numpy(scaling.standardise_x(mode.x[:, None]))
    mean, variance = approximation(where, pred_type="gp" if structure == "gp" else "glm")
    return np.stack([_numbers(mean), np.sqrt(_numbers(variance))])


def _numbers(values: Tensor) -> Array:
    return values.detach().numpy().reshape(-1)


def _check(what: str, mine: Runs, theirs: Runs) -> None:
    """Fail unless mean and standard deviation agree at every input."""
    for ours, rival in zip(mine.reached, theirs.reached, strict=True):
        if not np.all(np.abs(ours - rival) <= TOLERANCE * ours[1].max()):
            raise AssertionError(f"{what} and bdlviz differ by {np.abs(ours - rival).max():.3g}.")
