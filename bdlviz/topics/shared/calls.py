"""The Python code, as text, that repeats a fit of the page in a notebook."""

from __future__ import annotations

from typing import Any

from bdlviz import data
from bdlviz.types import FitConfig


def load_snippet(name: str) -> str:
    """Code that loads a data set of images, with a download if the data set needs one."""
    download = ", download=True" if data.DATASETS[name].can_download else ""
    return f"data = bdlviz.dataset({name!r}{download})"


def fit_snippet(config: FitConfig) -> str:
    """Code that trains a fit with this configuration on `data`."""
    settings: dict[str, Any] = {name: values[0] if len(values) == 1 else list(values) for name, values in config.axes}
    settings |= {name: int(value) if value == int(value) else value for name, value in config.options}
    settings |= {
        "hidden": config.hidden,
        "activation": config.activation,
        "num_steps": config.num_steps,
        "batch_size": config.batch_size,
        "learning_rate": config.learning_rate,
        "noise_std": config.noise_std,
        "seed": config.seeds[0] if len(config.seeds) == 1 else list(config.seeds),
    }
    arguments = "".join(f"    {name}={value!r},\n" for name, value in settings.items())
    return f'fit = bdlviz.fit(\n    "{config.method}",\n    data,\n{arguments})'
