"""The Python code, as text, that gives the numbers of the page in a notebook."""

from __future__ import annotations

from bdlviz import data
from bdlviz.data.tables import MIN_HELD_OUT, STARTING_POINTS
from bdlviz.digits import exact
from bdlviz.topics.shared.calls import fit_snippet
from bdlviz.topics.shared.curves import NUM_INPUTS, num_score_samples
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.own_points import OwnPoints
from bdlviz.ui.model import Setting


def predict_snippet(
    config: FitConfig, dataset: Dataset, num_samples: int, setting: Setting, controls: data_choice.Panel
) -> str:
    """Code that loads the data, trains the fit and computes the predictions of the page."""
    low, high = dataset.x_range
    lines = [
        "import numpy as np",
        "import bdlviz",
        "",
        data_call(dataset, setting, controls),
        fit_snippet(config),
        f"x = np.linspace({low!r}, {high!r}, {NUM_INPUTS})",
        f"predictive = fit.predict(x, num_samples={num_samples})",
        "bdlviz.plots.function_draws(predictive, data).show()",
        "",
        "is_inside = (x >= data.x.min()) & (x <= data.x.max())",
        "std = predictive.epistemic_std[:, 0]",
        "print(f'epistemic sd at the data {std[is_inside].mean():.3g}, outside {std[~is_inside].mean():.3g}')",
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


def grid_snippet(config: FitConfig, dataset: Dataset, setting: Setting, controls: data_choice.Panel) -> str:
    """Code that loads the data, trains the whole grid of the page and computes its scores."""
    return "\n".join(
        [
            "import bdlviz",
            "from bdlviz.studies.grids import held_out_scores",
            "",
            data_call(dataset, setting, controls),
            fit_snippet(config),
            "scores = held_out_scores(fit, data)  # nll and rmse, each (seeds, dropout rates, weight decays)",
            "best = scores['nll'].mean(0).argmin(-1)  # for each dropout rate",
        ]
    )


def data_call(dataset: Dataset, setting: Setting, controls: data_choice.Panel) -> str:
    """Code that loads the data set chosen in a data panel."""
    _, size, noise, seed = controls
    if dataset.name == "your_data":
        points = (setting.own or OwnPoints(STARTING_POINTS)).points
        x, y = (", ".join(map(exact, column)) for column in points.T)
        is_whole = len(dataset.x) == len(points) >= MIN_HELD_OUT
        return f"data = bdlviz.from_points([{x}], [{y}]{', held_out=False' if is_whole else ''})"
    arguments = [repr(dataset.name)]
    if setting[size] != "all":
        arguments.append(f"num_data={dataset.num_data}")
    if setting[noise] != "1" and dataset.noise_std:
        arguments.append(f"noise_std={dataset.noise_std!r}")
    if setting[seed] != "0" and data.DATASETS[dataset.name].can_choose_seed:
        arguments.append(f"seed={setting[seed]}")
    return f"data = bdlviz.dataset({', '.join(arguments)})"
