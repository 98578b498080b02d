"""All methods and their settings as plain text, read from the registry."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from bdlviz.methods import ordered
from bdlviz.types import CURVE_SETTINGS, IMAGE_SETTINGS, Hyperparameter, MethodSpec, TrainingSettings

WIDTH = 116  # columns


def methods_help() -> str:
    """The defaults of training, and of every method its name, idea and hyper-parameters with range and default."""
    by_method = "\n".join(_method_help(spec) for spec in ordered())
    return (
        "Defaults of training:\n"
        f"    - of curves: {_training_help(CURVE_SETTINGS, {})}\n"
        f"    - of images: {_training_help(IMAGE_SETTINGS, {})}\n"
        "    - some methods have other defaults, which are listed with their settings\n\n"
        "Settings of each method:\n"
        "    They are for x and y scaled to mean 0 and standard deviation 1. Several values make a grid axis.\n\n"
        f"{by_method}"
    )


def _method_help(spec: MethodSpec) -> str:
    lines = [_filled(f"- {spec.name}: {spec.title}. {spec.idea}", 4), *map(_hyperparameter_help, spec.hyperparameters)]
    for kind, settings, usual in (
        ("curves", spec.curve_settings, CURVE_SETTINGS),
        ("images", spec.image_settings, IMAGE_SETTINGS),
    ):
        if settings != usual:
            lines.append(_filled(f"- Defaults of {kind}: {_training_help(settings, asdict(usual))}", 8))
    return "\n".join(lines)


def _hyperparameter_help(parameter: Hyperparameter) -> str:
    default = f"{parameter.default:g}"
    if parameter.image_default is not None:
        default += f", of images {parameter.image_default:g}"
    remark = "" if parameter.is_axis else " One value only."
    text = f"{parameter.help or f'{parameter.label}.'} From {parameter.minimum:g} to {parameter.maximum:g}."
    return _filled(f"- {parameter.name}: {text} Default {default}.{remark}", 8)


def _training_help(settings: TrainingSettings, usual: Mapping[str, Any]) -> str:
    """The settings that differ from the usual ones, as keyword arguments."""
    values = asdict(settings)
    if settings.num_epochs is not None:
        del values["num_steps"]  # it follows from the number of epochs
    shown = {name: value for name, value in values.items() if name not in usual or value != usual[name]}
    return ", ".join(f"{name}={value!r}" for name, value in shown.items() if (name, value) != ("num_epochs", None))


def _filled(text: str, indent: int) -> str:
    return textwrap.fill(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (indent + 4))
