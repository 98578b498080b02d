"""Whether the fields of a file make a fit: their types, shapes and ranges, before anything relies on them.

`bdlviz.fitted.checkpoints` reads a file's format. Whether the numbers belong together is checked here, because a file
may come from anybody: a configuration whose method exists, arrays of its grid, scales that can be divided by.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.methods import METHODS
from bdlviz.models.autoencoder import Autoencoder
from bdlviz.models.mlp import MAX_WIDTH, MLP
from bdlviz.models.model import Model
from bdlviz.models.scaling import Scaling
from bdlviz.types import Array, FitConfig, Schedule, Task

MAX_COUNT = 10**9  # steps, points and seeds: above any that can have been
WORDS = ("method", "dataset", "data_fingerprint", "activation", "likelihood")
MAX_WORD = 200  # characters


def is_sound(fields: Mapping[str, Any]) -> bool:
    """True if these fields, as `bdlviz.fitted.checkpoints.from_bytes` returns them, make a valid fit."""
    config, model = fields["config"], fields["model"]
    if not _is_config(config) or not _is_network(model.network) or model.likelihood.name != config.likelihood:
        return False
    counts = (fields["num_data"], fields["num_steps_done"])
    return (
        all(0 <= count <= MAX_COUNT for count in counts)
        and 0 <= fields["seconds"] < math.inf
        and _is_noise(fields["noise_std"], (len(config.seeds), math.prod(config.grid_shape)))
        and _are_names(fields["classes"], (str, int))
        and _are_names(fields["columns"], str)
        and (fields["image_shape"] is None or (_are_counts(fields["image_shape"]) and len(fields["image_shape"]) == 2))
        and _is_scaling(fields["scaling"], model)
        and _are_weights(getattr(model.likelihood, "output_weights", ()), fields["scaling"].y_scale.size)
        and _are_arrays(config, model, fields)
    )


def _is_config(config: FitConfig) -> bool:
    words = (getattr(config, name) for name in WORDS)
    return (
        all(isinstance(word, str) and len(word) <= MAX_WORD for word in words)
        and config.task in get_args(Task)
        and config.schedule in get_args(Schedule)
        and all(_is_count(count) for count in (config.num_steps, config.num_snapshots))
        and (config.batch_size is None or (_is_count(config.batch_size) and config.batch_size > 0))
        and _is_number(config.learning_rate)
        and (config.noise_std is None or all(map(_is_number, _several(config.noise_std))))
        and _are_counts(config.hidden)
        and max(config.hidden, default=0) <= MAX_WIDTH
        and _are_counts(config.seeds)
        and len(config.seeds) > 0
        and _are_hyperparameters(config)
    )


def _are_hyperparameters(config: FitConfig) -> bool:
    """True if the method exists and has these axes and all its options are given."""
    spec = METHODS.get(config.method)
    if spec is None or not (_are_pairs(config.axes) and _are_pairs(config.options)):
        return False
    known = {parameter.name: parameter.is_axis for parameter in spec.hyperparameters}
    axes, options = dict(config.axes), dict(config.options)
    return (
        len(axes) == len(config.axes)
        and axes.keys() == {name for name, is_axis in known.items() if is_axis}
        and options.keys() >= {name for name, is_axis in known.items() if not is_axis}
        and all(isinstance(stops, tuple) and stops and all(map(_is_number, stops)) for stops in axes.values())
        and all(map(_is_number, options.values()))
    )


def _are_pairs(pairs: Any) -> bool:
    return isinstance(pairs, tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and -math.inf < value < math.inf


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MAX_COUNT


def _are_counts(values: Any) -> bool:
    return isinstance(values, tuple) and all(map(_is_count, values))


def _is_network(network: MLP | Autoencoder) -> bool:
    """True if the sizes of the network are whole numbers from which its parts can be built."""
    if isinstance(network, MLP):
        return _are_counts(network.sizes)
    widths = (network.num_inputs, network.latent_dim, network.num_outputs, network.num_classes)
    if not (_are_counts(widths) and _are_counts(network.hidden) and isinstance(network.activation, str)):
        return False
    try:
        return network.encoder.num_layers == network.decoder.num_layers
    except InvalidInput:
        return False


def _several(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _are_names(values: Any, kinds: Any) -> bool:
    """Labels of classes, or names of columns, each once."""
    return (
        isinstance(values, tuple)
        and all(isinstance(value, kinds) for value in values)
        and len(set(values)) == len(values)
    )


def _is_noise(noise: Any, stack: tuple[int, int]) -> bool:
    """One number or one for each output, above 0; or of every network, where NaN is that of a diverged one."""
    values = np.asarray(noise)
    if values.ndim == 3:
        return values.shape[:2] == stack and not ((values < 0) | np.isinf(values)).any()
    return values.ndim <= 1 and bool(((values >= 0) & np.isfinite(values)).all())


def _is_scaling(scaling: Scaling, model: Model) -> bool:
    """Rows of finite numbers, as many for x as the network has inputs; scales above 0."""
    network = model.network
    num_inputs = network.sizes[0] if isinstance(network, MLP) else network.num_inputs
    rows = (scaling.x_mean, scaling.x_scale, scaling.y_mean, scaling.y_scale)
    if any(row.dtype.kind != "f" or row.ndim != 2 or len(row) != 1 or not np.isfinite(row).all() for row in rows):
        return False
    is_wide_enough = scaling.x_mean.size == scaling.x_scale.size == num_inputs
    is_pair = scaling.y_mean.shape == scaling.y_scale.shape and scaling.y_mean.size > 0
    return is_wide_enough and is_pair and bool((scaling.x_scale > 0).all() and (scaling.y_scale > 0).all())


def _are_weights(weights: tuple[Any, ...], num_outputs: int) -> bool:
    """None, or a positive number for each output."""
    return not weights or (len(weights) == num_outputs and all(_is_number(weight) and weight > 0 for weight in weights))


def _are_arrays(config: FitConfig, model: Model, fields: Mapping[str, Any]) -> bool:
    """True if all arrays have the axes of this grid, and the parameters the shapes of the network."""
    stack = (len(config.seeds), math.prod(config.grid_shape))
    losses, snapshots, params = fields["losses"], fields["snapshots"], fields["params"]
    all_arrays = (*losses.values(), *snapshots.values(), *params.values())
    if any(array.dtype.kind not in "fiu" for array in all_arrays):
        return False
    if losses and not ("step" in losses and "loss" in losses and losses["loss"].ndim == 3):
        return False
    if any(losses[name].ndim != 1 for name in ("step", "snapshot_step") if name in losses):
        return False
    moments = len(losses.get("snapshot_step", ()))
    histories = [array for name, array in losses.items() if name != "snapshot_step"]
    return (
        all(_is_history(array, len(losses.get("step", ())), stack) for array in histories)
        and all(array.shape[:3] == (moments, *stack) for array in snapshots.values())
        and all(array.shape[:2] == stack for array in params.values())
        and (not params or _has_shapes(model.network, params))
    )


def _is_history(array: Array, length: int, stack: tuple[int, int]) -> bool:
    """One value per recorded step, or one for each network."""
    return array.shape[:1] == (length,) and (array.ndim == 1 or array.shape[1:3] == stack)


def _has_shapes(network: MLP | Autoencoder, params: Mapping[str, Array]) -> bool:
    if isinstance(network, MLP):
        shapes = {} if "y" in params else network.shapes()  # a solved fit keeps its data
    else:
        parts = {"encoder": network.encoder, "decoder": network.decoder}
        shapes = {f"{part}.{name}": shape for part, mlp in parts.items() for name, shape in mlp.shapes().items()}
    return all(name in params and params[name].shape[-2:] == shape for name, shape in shapes.items())
