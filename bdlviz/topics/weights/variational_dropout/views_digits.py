"""Noise learned from digits: the shipped study of variational dropout, by pixel and by layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import variational_dropout
from bdlviz.models import divergences
from bdlviz.published import ACCURACY_SD, ACCURACY_TABLE
from bdlviz.topics.results.scoreboard.study import name_of
from bdlviz.topics.weights.variational_dropout import figures, figures_network, study
from bdlviz.topics.weights.variational_dropout.controls import BETA, IMAGES, PER
from bdlviz.topics.weights.variational_dropout.study import EDGES, KL_WEIGHTS, NUM_SAMPLES, SETTINGS, array_name
from bdlviz.types import Array
from bdlviz.ui.jobs.shipped import SHAPES
from bdlviz.ui.model import Figure, Folded, Need, Numbers, Part, Result, Screen, Setting, Words

METHOD = "variational_dropout"


@dataclass(frozen=True, eq=False)
class Noise:
    """What was learned with one setting: see `bdlviz.topics.weights.variational_dropout.study` for the arrays."""

    mean: Array
    capped: Array
    shares: Array
    pixels: Array
    accuracy: float
    one_pass: float
    num_test: int

    @property
    def names(self) -> list[str]:
        """The names of the layers."""
        return figures.layer_names(self.mean)

    @property
    def described(self) -> str:
        """Mean alphas in words."""
        return figures.describe_alphas(self.names, self.mean, self.capped)

    @property
    def standard_error(self) -> float:
        """Of the accuracy, in points."""
        return 100 * float(np.sqrt(self.accuracy * (1 - self.accuracy) / self.num_test))


def needed(setting: Setting) -> Need[Noise]:
    """The shipped study at the chosen setting."""
    name = f"learned_noise_{setting[IMAGES]}"
    per, at = setting[PER], KL_WEIGHTS.index(setting.number(BETA))
    make = f"`python -m bdlviz train {name}` makes it in some minutes."
    return Need((name, per, at), shipped=lambda: _read(name, per, at), missing=make)


def _read(name: str, per: str, at: int) -> Noise:
    _, extra = shelf.shipped(name)
    try:
        keys = ("mean", "capped", "shares", "pixels", "accuracy", "one_pass")
        arrays: dict[str, Any] = {key: extra[array_name(per, key)][at].astype(float) for key in keys}
        return Noise(**arrays, num_test=int(extra["num_test"][0]))
    except KeyError:
        raise CheckpointError(f"The checkpoint {name} is of an older version.") from None


def pixels(setting: Setting, screen: Screen, noise: Noise) -> Result:
    """The mean alpha of the weights that leave every pixel."""
    alpha = noise.pixels.reshape(SHAPES[setting[IMAGES]])
    fig = figures_network.noise_of_pixels(
        alpha, setting[PER], theme=screen.theme, height=screen.by_width(460, 680), stacked=screen.is_narrow
    )
    return _result(setting, noise, Figure("noise_picture", fig, noise.described))


def layers(setting: Setting, screen: Screen, noise: Noise) -> Result:
    """The distribution of the alphas of every layer."""
    fig = figures.alpha_histograms(
        noise.shares,
        EDGES,
        names=noise.names,
        capped=noise.capped,
        theme=screen.theme,
        stacked=screen.is_narrow,
        height=screen.by_width(440, None),
    )
    return _result(setting, noise, Figure("noise_layers", fig, noise.described))


def _result(setting: Setting, noise: Noise, picture: Figure) -> Result:
    """The picture with the numbers under it, the lecture's row, and what the tabs show."""
    how = (
        f"Of one network on {noise.num_test:,} held-out images: one standard error is {noise.standard_error:.1f} "
        "points."
    )
    values = Numbers(
        [
            ("Accuracy, one pass", f"{100 * noise.one_pass:.1f} %", f"Without noise. {how}"),
            ("Accuracy, Monte Carlo", f"{100 * noise.accuracy:.1f} %", f"{NUM_SAMPLES} draws. {how}"),
            ("Mean α, layer 1", f"{noise.mean[0]:.2f}", "Mean over the weights that leave the pixels."),
            ("At the cap, layer 1", f"{100 * noise.capped[0]:.0f} %", "The share of alphas that would grow past 1."),
        ]
    )
    parts: list[Part] = [picture, values]
    if setting.number(BETA) == 1:
        told = "At β = 1 the KL term of all these weights outweighs the few images, so all α grow to 1."
        parts.append(Words(told))
    if setting[IMAGES] == "mnist":
        parts.append(Folded("Comparison with the lecture's table", [Words(comparison(), "markdown")]))
    return Result(
        parts,
        (variational_dropout.build, divergences.cubic),
        (variational_dropout.build, variational_dropout.own_shape, study.noise_of),
        call_of(setting),
    )


def comparison() -> str:
    """The lecture's row and ours with the same training, as Markdown."""
    rows = ["| held-out accuracy, MNIST-1000 | one pass | Monte Carlo |", "|---|---:|---:|"]
    pairs = zip(ACCURACY_TABLE[METHOD], ACCURACY_SD[METHOD], strict=True)
    one, many = (f"{mean:.2f} ± {sd:.2f} %" for mean, sd in pairs)
    rows.append(f"| lecture (does not say which weights share an α) | {one} | {many} |")
    try:
        _, extra = shelf.shipped(name_of(METHOD, "mnist"))
    except CheckpointError:
        return "\n".join(rows)
    ours: list[Any] = [extra[key].astype(float) for key in ("accuracy_one_pass", "accuracy")]
    found = " | ".join(f"{100 * each.mean():.2f} ± {100 * each.std(ddof=1):.2f} %" for each in ours)
    rows.append(f"| ours on the scoreboard: α per layer, β = 1, {len(ours[0])} networks | {found} |")
    return "\n".join(rows)


def call_of(setting: Setting) -> str:
    """Code that learns the same noise."""
    images, per = setting[IMAGES], study.ALPHA_PER[setting[PER]]
    settings = ", ".join(f"{name}={value!r}" for name, value in SETTINGS[images].items())
    return "\n".join(
        [
            "import bdlviz",
            "from bdlviz.topics.weights.variational_dropout import study",
            "",
            f"data = bdlviz.dataset({study.IMAGES[images]!r})",
            "fit = bdlviz.fit(",
            f'    "variational_dropout", data, alpha_per={per}, kl_weight={setting[BETA]},',
            f"    {settings},",
            ")",
            "print(study.noise_of(fit)['mean'])",
        ]
    )
