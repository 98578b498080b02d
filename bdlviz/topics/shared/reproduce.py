"""The Python code, as text, that gives the numbers of the page in a notebook."""

from __future__ import annotations

from bdlviz import data
from bdlviz.data.tables import STARTING_POINTS
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
        "from bdlviz.predictive.in_between import at_the_data_and_outside",
        "",
        data_call(dataset, setting, controls),
        fit_snippet(config),
        f"x = np.linspace({low!r}, {high!r}, {NUM_INPUTS})",
        f"predictive = fit.predict(x, num_samples={num_samples})",
        "bdlviz.plots.function_draws(predictive, data).show()",
        "",
        "near, outside = at_the_data_and_outside(x, predictive.epistemic_std[:, 0], data.x[:, 0])",
        "print(f'epistemic sd at the data {near:.3g}, outside {outside:.3g}')",
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


def data_call(dataset: Dataset, setting: Setting, controls: data_choice.Panel) -> str:
    """Code that loads the data set chosen in a data panel, or that makes the visitor's own."""
    if dataset.name != "your_data":
        return f"data = {_built_in(dataset, setting, controls)}"
    own = setting.own or OwnPoints(STARTING_POINTS)
    x, y = (", ".join(map(exact, column)) for column in own.points.T)
    if own.origin is not None:
        origin = data_choice.load(own.origin, {control.key: setting[control] for control in controls})
        return f"data = bdlviz.data.with_points({_built_in(origin, setting, controls)}, [{x}], [{y}])"
    named = zip("xy", own.labels, strict=True)
    labels = "".join(f", {axis}_label={label!r}" for axis, label in named if label != axis)
    return f"data = bdlviz.from_points([{x}], [{y}]{labels})"


def _built_in(dataset: Dataset, setting: Setting, controls: data_choice.Panel) -> str:
    _, size, noise, seed = controls
    arguments = [repr(dataset.name)]
    if setting[size] != "all":
        arguments.append(f"num_data={dataset.num_data}")
    if (noise_std := data_choice.chosen_noise_std(dataset.name, setting[noise])) is not None:
        arguments.append(f"noise_std={noise_std!r}")
    if setting[seed] != "0" and data.DATASETS[dataset.name].can_choose_seed:
        arguments.append(f"seed={setting[seed]}")
    return f"bdlviz.dataset({', '.join(arguments)})"
