"""MC dropout of a given network by the wrappers of libraries.

Torch is imported only in functions that need it, because the process of bdlviz predicts without torch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bdlviz.fits import Fit
from bdlviz.types import Array
from benchmarks.peers import imported
from benchmarks.timing import Contender

if TYPE_CHECKING:
    from torch import Tensor, nn

ROOT = Path(__file__).resolve().parents[1]
LOOP = "loop of passes"


@dataclass(frozen=True)
class Task:
    """A prediction with ``num_draws`` stochastic passes of a network."""

    net: nn.Module
    num_draws: int
    is_classifier: bool

    def moments(self, outputs: Tensor) -> Array:
        """Mean and standard deviation of the outputs (S, N, K), or of a classifier's probabilities: (2, N, K)."""
        draws = outputs.softmax(-1) if self.is_classifier else outputs
        return np.stack([draws.mean(0).numpy(), draws.std(0).numpy()])


Predict = Callable[["Tensor"], Array]  # inputs (N, D) -> mean and, if the wrapper returns it, standard deviation


class Wrapper(NamedTuple):
    """A library's module, and its prediction function for a task; ``in_batch``: all draws are one large batch."""

    module: str
    make: Callable[[Any, Task, bool], Predict]
    in_batch: bool = False


def _loop(torch: Any, task: Task, in_batch: bool) -> Predict:
    task.net.train()

    def predict(x: Tensor) -> Array:
        with torch.no_grad():
            return task.moments(torch.stack([task.net(x) for _ in range(task.num_draws)]))

    return predict


def _torch_uncertainty(library: Any, task: Task, in_batch: bool) -> Predict:
    import torch

    kind = {"task": "classification"} if task.is_classifier else {"task": "regression", "probabilistic": False}
    wrapped = library.mc_dropout(task.net, task.num_draws, on_batch=in_batch, **kind).eval()

    def predict(x: Tensor) -> Array:
        with torch.no_grad():
            return task.moments(wrapped(x).unflatten(0, (task.num_draws, len(x))))

    return predict


def _lightning_uq_box(library: Any, task: Task, in_batch: bool) -> Predict:
    from torch import nn

    if task.is_classifier:
        wrapped = library.MCDropoutClassification(task.net, task.num_draws, nn.CrossEntropyLoss())
        return lambda x: wrapped.predict_step(x)["pred"].numpy()[None]  # it returns no standard deviation
    wrapped = library.MCDropoutRegression(task.net, task.num_draws, nn.MSELoss())

    def predict(x: Tensor) -> Array:
        prediction = wrapped.predict_step(x)
        return np.stack([prediction["pred"].numpy(), prediction["pred_uct"].numpy().reshape(-1, 1)])

    return predict


def _baal(library: Any, task: Task, in_batch: bool) -> Predict:
    dropout = imported("baal.bayesian.dropout")
    wrapper = library.ModelWrapper(
        dropout.patch_module(task.net), library.TrainingArgs(use_cuda=False, replicate_in_memory=in_batch)
    )
    wrapper.eval()
    return lambda x: task.moments(wrapper.predict_on_batch(x, task.num_draws).movedim(-1, 0))


WRAPPERS = {
    LOOP: Wrapper("torch", _loop),
    "torch-uncertainty, one batch": Wrapper("torch_uncertainty.methods", _torch_uncertainty, in_batch=True),
    "torch-uncertainty, a loop": Wrapper("torch_uncertainty.methods", _torch_uncertainty),
    "lightning-uq-box": Wrapper("lightning_uq_box.uq_methods", _lightning_uq_box),
    "baal, one batch": Wrapper("baal.modelwrapper", _baal, in_batch=True),
    "baal, a loop": Wrapper("baal.modelwrapper", _baal),
}


def module(fit: Fit) -> nn.Sequential:
    """The weights of a fit by MC dropout in a torch module: Linear, ReLU, Dropout, ..., Linear."""
    import torch
    from torch import nn

    (rate,) = dict(fit.config.axes)["dropout_rate"]
    layers: list[nn.Module] = []
    for layer in range(len(fit.config.hidden) + 1):
        weight, bias = (fit.single()[f"{kind}{layer}"] for kind in ("weight", "bias"))
        linear = nn.Linear(*weight.shape)
        linear.weight.data, linear.bias.data = torch.from_numpy(weight.T.copy()), torch.from_numpy(bias[0].copy())
        layers += [linear, nn.ReLU(), nn.Dropout(rate)]
    return nn.Sequential(*layers[:-2])


def predictor(name: str, task: Task) -> Predict | None:
    """The prediction function of one wrapper, with its own network; None if the library is not installed."""
    wrapper = WRAPPERS[name]
    library = imported(wrapper.module)
    if library is None:
        return None
    return wrapper.make(library, Task(copy.deepcopy(task.net), task.num_draws, task.is_classifier), wrapper.in_batch)


def contender(predict: Predict, x: Tensor, threads: int) -> Contender:
    """A contender that predicts on ``threads`` threads with a seed."""
    import torch

    def run(seed: int) -> Array:
        torch.set_num_threads(threads)
        torch.manual_seed(seed)
        return predict(x)

    return run


def contenders(task: Task, x: Tensor, threads: int, cores: int) -> dict[str, Contender]:
    """All wrappers that are installed; a loop runs on ``threads`` threads, one large batch on all cores."""
    predictors = {name: predictor(name, task) for name in WRAPPERS}
    count = {name: cores if wrapper.in_batch else threads for name, wrapper in WRAPPERS.items()}
    return {name: contender(predict, x, count[name]) for name, predict in predictors.items() if predict}
