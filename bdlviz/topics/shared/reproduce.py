"""Python that gives the numbers on the page when pasted into a notebook."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bdlviz import data
from bdlviz.topics.shared.curves import NUM_INPUTS, num_score_samples
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.controls.data_choice import PANEL_DEFAULTS, own_points


def predict_snippet(config: FitConfig, dataset: Dataset, num_samples: int) -> str:
    """Code that makes the data, fits what the page fits and predicts what it draws."""
    low, high = dataset.x_range
    lines = [
        "import numpy as np",
        "import bdlviz",
        "",
        data_snippet(dataset),
        fit_snippet(config),
        f"x = np.linspace({low!r}, {high!r}, {NUM_INPUTS})",
        f"predictive = fit.predict(x, num_samples={num_samples})",
        "bdlviz.plots.function_draws(predictive, data).show()",
        "",
        "is_inside = (x >= data.x.min()) & (x <= data.x.max())",
        "spread = predictive.epistemic_std[:, 0]",
        "print(f'epistemic sd at the data {spread[is_inside].mean():.3g}, outside {spread[~is_inside].mean():.3g}')",
    ]
    if len(dataset.x_test):
        count = num_score_samples(config, dataset)
        lines += [
            "",
            "from bdlviz.predictive.summaries import negative_log_likelihood, rmse",
            "",
            f"held_out = fit.predict(data.x_test, num_samples={count})",
            "error, nll = rmse(held_out, data.y_test), negative_log_likelihood(held_out, data.y_test)",
            "print(f'held-out RMSE {error:.3g}, NLL {nll:.3g} nats')",
        ]
    return "\n".join(lines)


def grid_snippet(config: FitConfig, dataset: Dataset) -> str:
    """Code that makes the data, fits the whole grid of the page and scores it."""
    return "\n".join(
        [
            "import bdlviz",
            "from bdlviz.studies.registry import held_out_scores",
            "",
            data_snippet(dataset),
            fit_snippet(config),
            "scores = held_out_scores(fit, data)  # nll and rmse, each (seeds, dropout rates, weight decays)",
            "best = scores['nll'].mean(0).argmin(-1)  # for each dropout rate",
        ]
    )


def data_snippet(dataset: Dataset) -> str:
    """Code that makes the data set of the page."""
    if dataset.name == "your_data":
        x, y = (", ".join(f"{value:.9g}" for value in column) for column in own_points().T)
        kept = "" if len(dataset.x) + len(dataset.x_test) == len(own_points()) else ", held_out=False"
        return f"data = bdlviz.from_points([{x}], [{y}]{kept})"
    arguments = [repr(dataset.name)]
    values = {key: st.session_state.get(key, default) for key, default in PANEL_DEFAULTS.items()}
    if values["num_data"] != "all":
        arguments.append(f"num_data={dataset.num_data}")
    if values["noise"] != "1" and dataset.noise_std:
        arguments.append(f"noise_std={dataset.noise_std!r}")
    if values["data_seed"] != "0" and data.DATASETS[dataset.name].can_choose_seed:
        arguments.append(f"seed={values['data_seed']}")
    return f"data = bdlviz.dataset({', '.join(arguments)})"


def load_snippet(name: str) -> str:
    """Code that loads a data set of images, from the network where it has to."""
    download = ", download=True" if data.DATASETS[name].can_download else ""
    return f"data = bdlviz.dataset({name!r}{download})"


def fit_snippet(config: FitConfig) -> str:
    """Code that fits what the page fits."""
    settings: dict[str, Any] = {name: stops[0] if len(stops) == 1 else list(stops) for name, stops in config.axes}
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
