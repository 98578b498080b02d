"""Noise learned from digits: the shipped study of variational dropout, by pixel and by layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import variational_dropout
from bdlviz.models import divergences
from bdlviz.published import ACCURACY_SD, ACCURACY_TABLE
from bdlviz.topics.digits.concrete_dropout.views_keep import IMAGES
from bdlviz.topics.results.scoreboard.study import name_of
from bdlviz.topics.weights.variational_dropout import figures
from bdlviz.topics.weights.variational_dropout import study as recipes_variational
from bdlviz.topics.weights.variational_dropout.study import EDGES, KL_WEIGHTS, NUM_SAMPLES, SETTINGS, array_name
from bdlviz.topics.weights.variational_dropout.views_functions import BETA, PER
from bdlviz.types import Array
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow
from bdlviz.ui.jobs.shipped import SHAPES

METHOD = "variational_dropout"


def choose() -> None:
    """Draw the controls of the study."""
    IMAGES.show()
    PER.show()
    BETA.show()


def present_study() -> dict[str, Array] | None:
    """What was learned at the chosen setting, by the names in `study`; else None, and a sentence."""
    name = f"learned_noise_{IMAGES.present()}"
    try:
        _, extra = shelf.shipped(name)
    except CheckpointError as error:
        st.warning(f"{error} `python -m bdlviz train {name}` makes it in some minutes.")
        return None
    keys = ("mean", "capped", "shares", "pixels", "accuracy", "one_pass")
    names = {key: array_name(PER.present(), key) for key in keys}
    if not set(names.values()) <= extra.keys():
        st.warning(f"The checkpoint {name} is of an older version: `python -m bdlviz train {name}` makes it again.")
        return None
    at = KL_WEIGHTS.index(float(BETA.present()))
    return {key: extra[found][at].astype(float) for key, found in names.items()} | {"num_test": extra["num_test"]}


def show_pixels() -> Shown | None:
    """The mean alpha of the weights that leave every pixel."""
    study = present_study()
    if study is None:
        return None
    fig = figures.alpha_picture(study["pixels"].reshape(SHAPES[IMAGES.present()]), theme=present_theme())
    figure(fig, key="noise_picture", alt=_told(study))
    return _shown(study)


def show_layers() -> Shown | None:
    """How the alphas of every layer are spread."""
    study = present_study()
    if study is None:
        return None
    stacked = is_narrow()
    fig = figures.alpha_histograms(
        study["shares"],
        EDGES,
        names=_names(study),
        capped=study["capped"],
        theme=present_theme(),
        stacked=stacked,
        height=None if stacked else 440,
    )
    figure(fig, key="noise_layers", alt=_told(study))
    return _shown(study)


def _names(study: dict[str, Array]) -> list[str]:
    return [f"Layer {layer + 1}" for layer in range(len(study["mean"]))]


def _told(study: dict[str, Array]) -> str:
    return figures.describe_alphas(_names(study), study["mean"], study["capped"])


def _shown(study: dict[str, Array]) -> Shown:
    """The numbers under both pictures, the lecture's row, and what the tabs show."""
    images, num_test = IMAGES.present(), int(study["num_test"][0])
    error = 100 * float(np.sqrt(study["accuracy"] * (1 - study["accuracy"]) / num_test))
    how = f"Of one network on {num_test:,} held-out images: one standard error is {error:.1f} points."
    numbers(
        [
            ("Accuracy, one pass", f"{100 * study['one_pass']:.1f} %", f"Without noise. {how}"),
            ("Accuracy, Monte Carlo", f"{100 * study['accuracy']:.1f} %", f"{NUM_SAMPLES} draws. {how}"),
            ("Mean α, layer 1", f"{study['mean'][0]:.2f}", "Of the weights that leave the pixels."),
            ("At the cap, layer 1", f"{study['capped'][0]:.0%}", "The share of alphas that would grow past 1."),
        ]
    )
    if float(BETA.present()) == 1:
        st.caption("At β = 1 the KL term of all these weights outweighs so few images: noise goes to its cap.")
    if images == "mnist":
        with st.expander("Beside the lecture's table"):
            st.markdown(comparison())
    return Shown(
        (variational_dropout.build, divergences.cubic),
        (variational_dropout.build, variational_dropout.own_shape, recipes_variational.noise_of),
        snippet(images),
    )


def comparison() -> str:
    """The lecture's row and ours with the same training, as Markdown."""
    rows = ["| held-out accuracy, MNIST-1000 | one pass | Monte Carlo |", "|---|---:|---:|"]
    pairs = zip(ACCURACY_TABLE[METHOD], ACCURACY_SD[METHOD], strict=True)
    one, many = (f"{mean:.2f} ± {sd:.2f} %" for mean, sd in pairs)
    rows.append(f"| lecture (does not say what shares an α) | {one} | {many} |")
    try:
        _, extra = shelf.shipped(name_of(METHOD, "mnist"))
    except CheckpointError:
        return "\n".join(rows)
    ours: list[Any] = [extra[key].astype(float) for key in ("accuracy_one_pass", "accuracy")]
    found = " | ".join(f"{100 * each.mean():.2f} ± {100 * each.std(ddof=1):.2f} %" for each in ours)
    rows.append(f"| ours on the scoreboard: α per layer, β = 1, {len(ours[0])} networks | {found} |")
    return "\n".join(rows)


def snippet(images: str) -> str:
    """Code that learns the same noise."""
    settings = ", ".join(f"{name}={value!r}" for name, value in SETTINGS[images].items())
    per = recipes_variational.ALPHA_PER[PER.present()]
    return "\n".join(
        [
            "import bdlviz",
            "from bdlviz.topics.weights.variational_dropout import study",
            "",
            f"data = bdlviz.dataset({recipes_variational.IMAGES[images]!r})",
            "fit = bdlviz.fit(",
            f'    "variational_dropout", data, alpha_per={per}, kl_weight={BETA.present()},',
            f"    {settings},",
            ")",
            "print(study.noise_of(fit)['mean'])",
        ]
    )
