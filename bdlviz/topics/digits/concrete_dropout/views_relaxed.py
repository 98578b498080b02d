"""The relaxation behind learned dropout rates, and what a network with such rates says of changed digits."""

from __future__ import annotations

import numpy as np
import streamlit as st
from scipy.special import expit

from bdlviz import data, plots
from bdlviz.data import shifts
from bdlviz.fits import Fit
from bdlviz.methods import concrete_dropout
from bdlviz.predictive import relaxation, summaries
from bdlviz.topics.digits.concrete_dropout import views_keep
from bdlviz.topics.digits.concrete_dropout.views_keep import IMAGES
from bdlviz.types import Array, Dataset
from bdlviz.ui.cache import remembered
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.legacy import Shown
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.window import is_narrow
from bdlviz.ui.jobs.shipped import SHAPES

TEMPERATURE = number_control(
    "temperature",
    "Temperature t",
    (0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10),
    0.1,
    "0.1 in the authors' code, 0.01 in the lecture.",
)
RELAXED_RATE = number_control(
    "relaxed_rate", "Dropout rate p", (0.01, 0.05, 0.12, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99), 0.12, "Where all rates start."
)
Z = expit(np.linspace(-11, 11, 441))  # relaxed masks at which the curves are drawn, dense at both ends
BETWEEN = (0.01, 0.99)

CHANGE = Control(
    "synthetic", "Change", ("rotate", "blend"), "rotate", "buttons", "", {"rotate": "rotate", "blend": "blend"}
)
DIGIT = Control("shown_digit", "Digit", tuple(map(str, range(10))), "3", "menu", "The first held-out one of its class.")
OTHER = Control("blended_with", "… with a", tuple(map(str, range(10))), "8", "menu", "The first of its class.")
STOPS = {"rotate": np.arange(0, 181, 10), "blend": np.arange(0, 101, 5)}
AXES = {"rotate": "Turned by (degrees)", "blend": "Share of the other digit (%)"}
CONTROLS = (TEMPERATURE, RELAXED_RATE, CHANGE, DIGIT, OTHER)
NUM_SAMPLES = 100
DATASETS = {"mnist": "mnist-1000", "digits": "digits"}
MC_DROPOUT = "[MC dropout on the same changes](mc_dropout): every change, every method, and your own digit."


# The relaxation -------------------------------------------------------------------------------------------------------


def show_relaxation() -> Shown:
    """The density and the distribution function of a relaxed mask, and the hard mask as their limit."""
    rate, temperature = float(RELAXED_RATE.present()), float(TEMPERATURE.present())
    density = relaxation.relaxed_density(Z, rate, temperature)
    distribution = relaxation.relaxed_distribution(Z, rate, temperature)
    fig = plots.relaxed_bernoulli(
        Z, density, distribution, dropout_rate=rate, theme=present_theme(), stacked=is_narrow()
    )
    between = relaxation.share_between(*BETWEEN, rate, temperature)
    alt = f"Relaxed mask at temperature {temperature:g}, dropout rate {rate:g}: {between:.1%} between 0.01 and 0.99."
    figure(fig, key="relaxed", alt=alt)
    below = float(relaxation.relaxed_distribution(np.array(0.5), rate, temperature))
    numbers(
        [
            ("Neither kept nor dropped", f"{between:.1%}", "Probability of a mask between 0.01 and 0.99."),
            ("Mask below one half", f"{below:.1%}", "Equal to p at every temperature."),
            ("Mean mask", f"{_mean(rate, temperature):.3f}", f"A hard mask has {1 - rate:g}: the gap is a bias."),
        ]
    )
    return Shown(
        (relaxation.relaxed_distribution, relaxation.relaxed_density, concrete_dropout.relaxed_negative_log_likelihood),
        (relaxation.relaxed_density, relaxation.relaxed_distribution, concrete_dropout.relaxed_mask),
        _relaxation_snippet(rate, temperature),
    )


def _mean(rate: float, temperature: float) -> float:
    """The mean of a relaxed mask, by quantiles of the logistic variable behind it."""
    u = (np.arange(20_000) + 0.5) / 20_000
    logistic = np.log(u) - np.log1p(-u)
    return float(expit((logistic - np.log(rate / (1 - rate))) / temperature).mean())


def _relaxation_snippet(rate: float, temperature: float) -> str:
    return "\n".join(
        [
            "import numpy as np",
            "import bdlviz",
            "from bdlviz.predictive import relaxation",
            "",
            "z = 1 / (1 + np.exp(-np.linspace(-11, 11, 441)))",
            f"rate, temperature = {rate!r}, {temperature!r}",
            "density = relaxation.relaxed_density(z, rate, temperature)",
            "distribution = relaxation.relaxed_distribution(z, rate, temperature)",
            "bdlviz.plots.relaxed_bernoulli(z, density, distribution, dropout_rate=rate).show()",
        ]
    )


# Changed digits -------------------------------------------------------------------------------------------------------


def choose_change() -> None:
    """Draw the controls of a changed digit."""
    images = IMAGES.show()
    views_keep.NUM_IMAGES[images].show()
    change = CHANGE.show()
    DIGIT.show()
    if change == "blend":
        OTHER.show()


def show_change() -> Shown | None:
    """Softmax draws and entropies of a digit as it is turned or blended, by the network with learned rates."""
    images = IMAGES.present()
    dataset = data.load(DATASETS[images])
    pair = views_keep.found(views_keep.file_of(images, views_keep.present_num_data(images)), "run_num_data")
    if pair is None:
        return None
    fit = pair[0]
    change = CHANGE.present()
    pictures, label = _course(dataset, change, SHAPES[images])
    draws = remembered(fit, ("course", change, DIGIT.present(), OTHER.present()), lambda: _predict(fit, pictures))
    total = summaries.entropy(draws.mean(1))
    expected = summaries.entropy(draws).mean(1)
    mutual = np.maximum(total - expected, 0)
    stops = STOPS[change].astype(float)
    peak = int(total.argmax())
    fig = plots.shift_course(
        stops, draws, expected, mutual, pictures, label=AXES[change], chosen=peak, theme=present_theme(), height=600
    )
    figure(fig, key="changed_digit", alt=plots.describe_shift_course(stops, expected, mutual))
    unit = "°" if change == "rotate" else " %"
    numbers(
        [
            (f"Entropy at {stops[0]:g}{unit} (nats)", f"{total[0]:.2f}", f"Digit {label} as it is; the most is 2.30."),
            (f"Entropy at {stops[peak]:g}{unit} (nats)", f"{total[peak]:.2f}", "The largest on the way (line)."),
            ("… of it, draws disagree", f"{mutual[peak]:.2f}", "Mutual information: what more data could remove."),
            ("Training images", f"{fit.num_data:,}", "Weights are shipped for some N only."),
        ]
    )
    st.caption(MC_DROPOUT)
    return Shown(
        (summaries.summarise_classification, shifts.rotate, shifts.blend),
        (concrete_dropout.sample, summaries.summarise_classification, plots.shift_course),
        _change_snippet(fit, images, change),
    )


def _course(dataset: Dataset, change: str, shape: tuple[int, int]) -> tuple[Array, int]:
    """The changed pictures (T, height, width), and the label of the first."""
    label = int(DIGIT.present())
    first = _first_of(dataset, label, shape)
    if change == "rotate":
        return np.concatenate([shifts.rotate(first, float(angle)) for angle in STOPS[change]]), label
    second = _first_of(dataset, int(OTHER.present()), shape)
    return np.concatenate([shifts.blend(first, second, share / 100) for share in STOPS[change]]), label


def _first_of(dataset: Dataset, label: int, shape: tuple[int, int]) -> Array:
    row = int(np.flatnonzero(dataset.y_test == label)[0])
    return dataset.x_test[row].reshape(1, *shape)


def _predict(fit: Fit, pictures: Array) -> Array:
    """Class probabilities of every draw, (T, S, K)."""
    return fit.predict(pictures.reshape(len(pictures), -1), NUM_SAMPLES).draws.swapaxes(0, 1)


def _change_snippet(fit: Fit, images: str, change: str) -> str:
    name, label = DATASETS[images], DIGIT.present()
    height, width = SHAPES[images]
    code = "shifts.rotate(image, stop)" if change == "rotate" else "shifts.blend(image, other, stop / 100)"
    file = views_keep.file_of(images, fit.num_data)
    picture = "data.x_test[data.y_test == {}][:1].reshape(1, {}, {})"
    return "\n".join(
        [
            "import numpy as np",
            "import bdlviz",
            "from bdlviz.fitted import shelf",
            "from bdlviz.data import shifts",
            "",
            f"data = bdlviz.dataset({name!r})",
            f"fit, _ = shelf.shipped({file!r})",
            f"image = {picture.format(label, height, width)}",
            *([f"other = {picture.format(OTHER.present(), height, width)}"] if change == "blend" else []),
            f"pictures = np.concatenate([{code} for stop in {STOPS[change].tolist()}])",
            f"predictive = fit.predict(pictures.reshape(len(pictures), -1), num_samples={NUM_SAMPLES})",
            "print(predictive.predictive_entropy, predictive.mutual_information)",
        ]
    )
