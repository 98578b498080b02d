"""Two classes that overlap in one place and are unknown in another: the entropy in two parts."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz.data import noisy_curves
from bdlviz.fits import Fit
from bdlviz.models.likelihoods import Categorical
from bdlviz.predictive import summaries
from bdlviz.topics.foundations.kinds_of_uncertainty import figures_decisions, study
from bdlviz.topics.foundations.kinds_of_uncertainty import views_setting as setting
from bdlviz.topics.foundations.kinds_of_uncertainty.views_setting import METHOD
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.controls.control import number_control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow

COUNT = number_control("class_data", "Points N", (2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000), 200)
CONTROLS = (COUNT,)
OVERLAP = (-4.0, -2.0)  # where both classes are seen


def choose() -> None:
    """The controls of the classes."""
    METHOD.show()
    COUNT.show()


def show() -> Shown | None:
    """Probability of a class and its entropy, with what is noise in it and what is ignorance."""
    dataset = noisy_curves.two_classes(int(COUNT.present()))
    with setting.said():
        config = study.classes_config(dataset, METHOD.present())
        fit = setting.get(config, dataset, lambda fit: _draw(fit, dataset))
        if fit is not None:
            return Shown(
                (summaries.summarise_classification, summaries.entropy, Categorical),
                (summaries.summarise_classification, noisy_curves.two_classes, figures_decisions.entropies_over_x),
                "import numpy as np\nimport bdlviz\nfrom bdlviz.topics.foundations.kinds_of_uncertainty import study\n"
                "from bdlviz.data.noisy_curves import two_classes\n\n"
                f"data = two_classes({dataset.num_data})\n"
                f"fit = study.run(study.classes_config(data, {METHOD.present()!r}), data)\n"
                f"predictive = fit.predict(np.linspace(-7, 6, 200), {setting.NUM_SAMPLES})\n"
                "print(predictive.expected_entropy.max(), predictive.mutual_information.max())",
            )
    return None


def places(x: Array) -> list[tuple[str, Array]]:
    """Where the classes overlap, where nothing was seen between data, and beyond the data: masks (N,)."""
    return [
        ("overlap", (x > OVERLAP[0]) & (x < OVERLAP[1])),
        ("gap", (x > noisy_curves.GAP[0]) & (x < noisy_curves.GAP[1])),
        ("beyond", x > 4),
    ]


def _draw(fit: Fit, dataset: Dataset) -> None:
    predictive = setting.prediction(fit, dataset)
    assert dataset.truth is not None
    true = dataset.truth(predictive.x)[:, 0]
    entropy = summaries.entropy(np.stack([1 - true, true], 1))
    fig = figures_decisions.entropies_over_x(
        predictive, dataset, true, entropy, theme=present_theme(), stacked=is_narrow()
    )
    alt = figures_decisions.describe_entropies(predictive, places(predictive.x[:, 0]))
    figure(fig, key="classes", alt=alt)
    numbers(_numbers(predictive, entropy))
    st.caption(
        "Where the classes overlap even the truth is uncertain (dashed): that part stays, whatever N. In the gap the "
        "probability is a guess; only draws that disagree can say so, and a method whose draws agree says nothing."
    )
    if dataset.num_data <= 5:
        st.caption(f"{dataset.num_data} points: almost all of what is shown is the method's prior.")


def _numbers(predictive: Predictive, entropy: Array) -> list[tuple[str, str, str]]:
    noise, ignorance = predictive.expected_entropy, predictive.mutual_information
    assert noise is not None and ignorance is not None
    overlap, gap, beyond = (where for _, where in places(predictive.x[:, 0]))
    return [
        ("Expected entropy, overlap", f"{noise[overlap].mean():.2f}", f"Nats. Truth: {entropy[overlap].mean():.2f}."),
        ("Mutual information, overlap", f"{ignorance[overlap].mean():.3f}", "Nats, at most log 2 = 0.69."),
        ("… in the gap", f"{ignorance[gap].mean():.3f}", "Nats. No data there: the draws should disagree."),
        ("… beyond the data", f"{ignorance[beyond].mean():.3f}", "Nats, right of x = 4."),
    ]
