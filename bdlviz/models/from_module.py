"""Your own torch module as a network: a deep copy whose weights and dropout masks are arguments.

The copy has no random state. Starting weights come from ``reset_parameters`` of its layers with a seed. Every
`torch.nn.Dropout` is replaced by a product with a given mask. With ``torch.func`` one copy evaluates a stack of
networks. With one mask set for all x, a draw is a function.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd

from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Draws

CHUNK_NUMBERS = 2**20  # masked units and outputs of the draws that are evaluated at once
TRIAL_POINTS = 3  # rows of the input with which a module is tested

Forward = Callable[[Mapping[str, Tensor], Sequence[Tensor], Tensor], Tensor]

_seeding = threading.Lock()


class MaskedUnits(nn.Module):
    """Replaces one `torch.nn.Dropout`: the units times a mask; each use in a forward pass has its own mask."""

    def __init__(self, positions: Sequence[int]) -> None:
        """``positions`` of this layer's masks among those of the network, in the order of use."""
        super().__init__()
        self.positions, self.uses = positions, 0
        for position in positions:
            self.register_buffer(f"mask{position}", torch.ones(()))

    def forward(self, h: Tensor) -> Tensor:
        """Units (B, ...) times the next mask, (B, ...) or (1, ...)."""
        mask = self.get_buffer(f"mask{self.positions[self.uses]}")
        self.uses += 1
        return h * mask


@dataclass(frozen=True, eq=False)
class ModuleNetwork:
    """A module that maps (N, D) to (N, K); holds no trained weights.

    Attributes:
        num_outputs: K.
        shapes: of every trainable parameter, by its name in the module.
        mask_shapes: of one data point's units, for every use of a dropout layer in the order of the forward pass.
    """

    num_outputs: int
    shapes: Mapping[str, tuple[int, ...]]
    mask_shapes: tuple[tuple[int, ...], ...]
    _module: nn.Module
    _mask_names: tuple[str, ...]

    @classmethod
    def wrap(cls, module: Any, num_inputs: int) -> ModuleNetwork:
        """Copy a module with D inputs and test the copy.

        Raises:
            InvalidInput: the module cannot be used as a network; the message says why.
        """
        if not isinstance(module, nn.Module):
            raise InvalidInput(f"network must be a torch.nn.Module, not {type(module).__name__}.")
        own = copy.deepcopy(module).float().cpu().train()  # eval mode would hide functional.dropout
        _check_layers(own)
        x = torch.linspace(-1, 1, TRIAL_POINTS * num_inputs).reshape(TRIAL_POINTS, num_inputs)
        outputs, dropped = _try(own, x)
        mask_names = _replace_dropout(own, [layer for layer, _ in dropped])
        shapes = {name: tuple(p.shape) for name, p in own.named_parameters() if p.requires_grad}
        network = cls(outputs.shape[1], shapes, tuple(shape for _, shape in dropped), own, mask_names)
        network._try_stack(x)
        return network

    @property
    def hidden(self) -> tuple[int, ...]:
        """Number of units that each mask acts on."""
        return tuple(int(np.prod(shape)) for shape in self.mask_shapes)

    @property
    def num_numbers(self) -> int:
        """Number of trainable numbers."""
        return sum(int(np.prod(shape)) for shape in self.shapes.values())

    def init(self, rng: np.random.Generator) -> dict[str, Array]:
        """Draw the starting weights of one network, float32, as its layers do. Torch's random state is unchanged."""
        module = copy.deepcopy(self._module)
        with _seeded(int(rng.integers(2**63))):
            for layer in reversed(list(module.modules())):  # children first: parents may change them
                if (reset := _reset_of(layer)) is not None:
                    reset()
        return {name: p.detach().numpy() for name, p in module.named_parameters() if name in self.shapes}

    def forward(self) -> Forward:
        """The forward pass of a stack of M networks, on a copy of the module: for one thread at a time.

        ``forward(params, masks, x)`` gives (M, B, K). Arguments have a leading axis M or are shared by all networks:
        parameters (M, ...) or as the module has them, x (M, B, D) or (B, D); masks are (M, B or 1, units), or there
        are none.
        """
        module = copy.deepcopy(self._module)
        masked = [layer for layer in module.modules() if isinstance(layer, MaskedUnits)]

        def one(params: dict[str, Tensor], masks: list[Tensor], x: Tensor) -> Tensor:
            for layer in masked:
                layer.uses = 0
            pairs = zip(self._mask_names, masks, self.mask_shapes, strict=False)
            buffers = {name: mask.reshape(-1, *shape) for name, mask, shape in pairs}
            return torch.func.functional_call(module, params | buffers, (x,))

        def stack(params: Mapping[str, Tensor], masks: Sequence[Tensor], x: Tensor) -> Tensor:
            axes = {name: 0 if p.ndim > len(self.shapes[name]) else None for name, p in params.items()}
            in_dims = (axes, [0] * len(masks), 0 if x.ndim == 3 else None)
            return torch.func.vmap(one, in_dims)(dict(params), list(masks), x)

        return stack

    def evaluate(self, draws: Draws, x: Array) -> Array:
        """Outputs of every draw: standardised x (N, D) -> (S, N, K) float32."""
        forward, inputs = self.forward(), torch.tensor(x)
        params = {name: torch.tensor(draws.params[name]) for name in self.shapes}
        masks = [torch.tensor(mask)[:, None] for mask in draws.masks]
        is_shared = all(params[name].ndim == len(shape) for name, shape in self.shapes.items())
        with torch.no_grad():
            if is_shared and not masks:
                one = forward({name: p[None] for name, p in params.items()}, (), inputs)
                return one.expand(draws.num_samples, -1, -1).numpy()
            size = max(1, CHUNK_NUMBERS // (len(x) * (sum(self.hidden) + self.num_outputs)))
            pieces = [slice(start, start + size) for start in range(0, draws.num_samples, size)]
            outputs = [
                forward(
                    params if is_shared else {name: p[piece] for name, p in params.items()},
                    [mask[piece] for mask in masks],
                    inputs,
                )
                for piece in pieces
            ]
        return torch.cat(outputs).numpy()

    def _try_stack(self, x: Tensor) -> None:
        params = {n: p.detach().expand(2, *p.shape) for n, p in self._module.named_parameters() if n in self.shapes}
        try:
            with torch.no_grad(), _seeded(0):
                self.forward()(params, [torch.ones(2, len(x), n) for n in self.hidden], x.expand(2, *x.shape))
        except Exception as error:
            if "random operation" in str(error):
                raise InvalidInput("Your network draws random numbers of its own; use nn.Dropout instead.") from error
            raise InvalidInput(f"Your network does not work with torch.func.vmap: {_first_line(error)}") from error


def _check_layers(module: nn.Module) -> None:
    for layer in module.modules():
        name = type(layer).__name__
        if isinstance(layer, _BatchNorm):
            raise InvalidInput(f"{name} lets points of a batch see each other; use LayerNorm, or no normalisation.")
        if isinstance(layer, _DropoutNd) and not isinstance(layer, nn.Dropout):
            raise InvalidInput(f"Your network has {name}; of the dropout layers only nn.Dropout is supported.")
        if any(p.requires_grad for p in layer.parameters(recurse=False)) and _reset_of(layer) is None:
            raise InvalidInput(
                f"Give {name} a method reset_parameters() that draws new weights, since every seed needs its own."
            )
    if not any(p.requires_grad for p in module.parameters()):
        raise InvalidInput("Your network has no trainable parameters.")


def _reset_of(layer: nn.Module) -> Callable[[], None] | None:
    return getattr(layer, "reset_parameters", None) or getattr(layer, "_reset_parameters", None)


def _try(module: nn.Module, x: Tensor) -> tuple[Tensor, list[tuple[nn.Module, tuple[int, ...]]]]:
    """The outputs, and every use of a dropout layer with the shape of one data point's units there."""
    dropped: list[tuple[nn.Module, tuple[int, ...]]] = []

    def note(layer: nn.Module, inputs: Any, units: Tensor) -> None:
        dropped.append((layer, tuple(units.shape)))

    hooks = [layer.register_forward_hook(note) for layer in module.modules() if isinstance(layer, nn.Dropout)]
    try:
        with torch.no_grad(), _seeded(0):
            outputs = module(x)
    except Exception as error:
        raise InvalidInput(f"Your network fails on x of shape {tuple(x.shape)}: {_first_line(error)}") from error
    finally:
        for hook in hooks:
            hook.remove()
    shape = tuple(outputs.shape) if isinstance(outputs, Tensor) else type(outputs).__name__
    if not isinstance(outputs, Tensor) or outputs.ndim != 2 or len(outputs) != len(x):
        raise InvalidInput(f"Your network must turn (N, D) into (N, K); it turned {tuple(x.shape)} into {shape}.")
    for _, shape in dropped:
        if len(shape) < 2 or shape[0] != len(x):
            raise InvalidInput(f"Dropout must act on (N, ...), one row for each data point; here it acts on {shape}.")
    return outputs, [(layer, shape[1:]) for layer, shape in dropped]


def _replace_dropout(module: nn.Module, dropped: Sequence[nn.Module]) -> tuple[str, ...]:
    """Replace every dropout layer by `MaskedUnits`; returns the names of the masks in the order of use."""
    layers: list[nn.Module] = [layer for layer in module.modules() if isinstance(layer, nn.Dropout)]
    replaced = {layer: _masked_units(layer, dropped) for layer in layers}
    for parent in list(module.modules()):
        for name, child in list(parent._modules.items()):  # named_children skips modules with a second name
            if child is not None and child in replaced:
                setattr(parent, name, replaced[child])
    names = {
        position: f"{name}.mask{position}"
        for name, layer in module.named_modules()
        if isinstance(layer, MaskedUnits)
        for position in layer.positions
    }
    return tuple(names[position] for position in range(len(dropped)))


def _masked_units(layer: nn.Module, dropped: Sequence[nn.Module]) -> MaskedUnits:
    return MaskedUnits([position for position, other in enumerate(dropped) if other is layer])


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed torch's global generator, from which layers draw, and restore its state afterwards."""
    with _seeding, torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        yield


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
