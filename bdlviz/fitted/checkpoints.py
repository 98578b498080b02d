"""The file format of fits: safetensors for numbers, JSON for what made them. Never pickle.

A saved fit is one file: arrays, and in its metadata the configuration, the network and how it was made. This module
knows files and fields; `bdlviz.fitted` makes a `Fit` of them, `bdlviz.fitted.shelf` keeps the shipped ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from bdlviz.errors import InvalidInput
from bdlviz.models.autoencoder import Autoencoder
from bdlviz.models.likelihoods import Gaussian, likelihood
from bdlviz.models.likelihoods import is_built_in as is_built_in_likelihood
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.models.scaling import Scaling
from bdlviz.types import Array, FitConfig
from bdlviz.writing import write_atomically

FORMAT = 1
NETWORKS = {"MLP": MLP, "Autoencoder": Autoencoder}
SCALES = ("x_mean", "x_scale", "y_mean", "y_scale")
MAX_BYTES = 200_000_000
# What reading altered bytes may raise: JSON nested too deep is a RecursionError.
DAMAGE = (SafetensorError, LookupError, ValueError, TypeError, AttributeError, OverflowError, RecursionError)


class CheckpointError(InvalidInput):
    """A checkpoint that cannot be used; the message names the file and the reason."""


def config_to_json(config: FitConfig) -> dict[str, Any]:
    """A configuration as plain JSON."""
    return json.loads(json.dumps(asdict(config)))


def config_from_json(values: dict[str, Any]) -> FitConfig:
    """The configuration that `config_to_json` wrote."""
    return FitConfig(**{name: _tuples(value) for name, value in values.items()})


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def is_built_in(model: Model) -> bool:
    """Can the model be written down, being made of parts of bdlviz alone?"""
    network = type(model.network)
    return NETWORKS.get(network.__name__) is network and is_built_in_likelihood(model.likelihood)


def model_to_json(model: Model) -> dict[str, Any]:
    """A built-in model as plain JSON."""
    return {
        "network": {"kind": type(model.network).__name__, **asdict(model.network)},
        "likelihood": model.likelihood.name,
        "output_weights": list(getattr(model.likelihood, "output_weights", ())),
    }


def model_from_json(values: dict[str, Any]) -> Model:
    """The model that `model_to_json` wrote; other keys are passed over."""
    settings = {name: _tuples(value) for name, value in values["network"].items()}
    chosen, weights = likelihood(values["likelihood"]), values.get("output_weights", [])
    if weights and isinstance(chosen, Gaussian):
        chosen = Gaussian(weights)
    return Model(NETWORKS[settings.pop("kind")](**settings), chosen)


def to_bytes(fit: Any, *, half: bool = False, extra: dict[str, Array] | None = None) -> bytes:
    """A `bdlviz.fitted.Fit` as the bytes of a .safetensors file. ``half`` stores parameters as float16."""
    if not is_built_in(fit.model):
        raise InvalidInput("Only fits with a built-in likelihood and network can be saved: code is not stored.")
    arrays = {f"param.{n}": a.astype(np.float16 if half else np.float32) for n, a in fit.params.items()}
    arrays |= {f"history.{n}": a for n, a in fit.losses.items()}
    arrays |= {f"snapshot.{n}": a for n, a in fit.snapshots.items()}
    arrays |= {f"scaling.{n}": getattr(fit.scaling, n) for n in SCALES}
    arrays |= {f"extra.{n}": a for n, a in (extra or {}).items()}
    header = {
        "format": FORMAT,
        "config": config_to_json(fit.config),
        **model_to_json(fit.model),
        "noise_std": np.asarray(fit.noise_std).tolist(),
        "num_data": fit.num_data,
        "num_steps_done": fit.num_steps_done,
        "seconds": round(fit.seconds, 3),
        "is_without_weights": not fit.params,
        "classes": fit.classes,
        "columns": fit.columns,
        "image_shape": fit.image_shape,
    }
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return save_arrays(arrays, metadata={"bdlviz": json.dumps(header)})


def save(fit: Any, path: Any, *, half: bool = False, extra: dict[str, Array] | None = None) -> None:
    """Write a fit to one file, all of it or nothing.

    Raises:
        InvalidInput: the disk is full or may not be written to, or the fit has parts that cannot be saved.
    """
    write_atomically(Path(path), to_bytes(fit, half=half, extra=extra))


def read(path: Path) -> bytes:
    """The bytes of a checkpoint file."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise CheckpointError(f"{path.name} is larger than any checkpoint of bdlviz; it was not read.")
        return path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"The checkpoint {path.name} cannot be read: {error.strerror}.") from None


def from_bytes(content: bytes, name: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """The fields of the `Fit` in a file called ``name``, and the arrays saved beside it.

    Raises:
        CheckpointError: the bytes are truncated, altered or of another kind.
    """
    try:
        arrays = load_arrays(content)
        header = json.loads(_metadata(content)["bdlviz"])
        if header["format"] != FORMAT:
            raise CheckpointError(f"{name} was written by another version of bdlviz; rebuild or save it again.")
        return _fields(header, arrays), _group(arrays, "extra")
    except DAMAGE as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{name} is not a checkpoint of bdlviz, or it is damaged.") from None


def bundle_to_bytes(arrays: dict[str, Array], settings: Mapping[str, Any]) -> bytes:
    """Arrays that are no fit, and what made them as plain JSON, as the bytes of a .safetensors file."""
    header = {"format": FORMAT, "settings": settings}
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return save_arrays(contiguous, metadata={"bdlviz": json.dumps(header)})


def bundle_from_bytes(content: bytes, name: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """The settings and the arrays that `bundle_to_bytes` wrote to a file called ``name``.

    Raises:
        CheckpointError: the bytes are truncated, altered or of another kind.
    """
    try:
        arrays, header = load_arrays(content), json.loads(_metadata(content)["bdlviz"])
        if header["format"] != FORMAT:
            raise CheckpointError(f"{name} was written by another version of bdlviz; rebuild it.")
        return dict(header["settings"]), arrays
    except DAMAGE as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{name} is not a bundle of bdlviz, or it is damaged.") from None


def _metadata(content: bytes) -> dict[str, str]:
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length])["__metadata__"]


def _group(arrays: dict[str, Array], prefix: str) -> dict[str, Array]:
    return {n.removeprefix(f"{prefix}."): a for n, a in arrays.items() if n.startswith(f"{prefix}.")}


def _check_shapes(config: FitConfig, network: MLP | Autoencoder, params: dict[str, Array]) -> None:
    stack = (len(config.seeds), int(np.prod(config.grid_shape)))
    shapes = network.shapes() if isinstance(network, MLP) and "y" not in params else {}  # a solved fit keeps its data
    if any(array.shape[:2] != stack for array in params.values()):
        raise ValueError("parameters of another grid")
    if any(params[name].shape[-2:] != shape for name, shape in shapes.items()):
        raise ValueError("parameters of another network")


def usual_classes(model: Model) -> list[int]:
    """The classes of a file that does not name them: 0 to K - 1, or none of a regression."""
    return list(range(model.network.sizes[-1])) if model.likelihood.task == "classification" else []


def _fields(header: dict[str, Any], arrays: dict[str, Array]) -> dict[str, Any]:
    model, config = model_from_json(header), config_from_json(header["config"])
    params = {name: array.astype(np.float32) for name, array in _group(arrays, "param").items()}
    if params or not header.get("is_without_weights"):
        _check_shapes(config, model.network, params)
    return dict(
        config=config,
        model=model,
        scaling=Scaling(**_group(arrays, "scaling")),
        noise_std=np.array(noise, float) if isinstance(noise := header["noise_std"], list) else float(noise),
        num_data=int(header["num_data"]),
        params=params,
        losses=_group(arrays, "history"),
        snapshots=_group(arrays, "snapshot"),
        num_steps_done=int(header["num_steps_done"]),
        seconds=float(header["seconds"]),
        classes=_tuples(header.get("classes", usual_classes(model))),
        columns=_tuples(header.get("columns", [])),
        image_shape=_tuples(header.get("image_shape")),
    )
