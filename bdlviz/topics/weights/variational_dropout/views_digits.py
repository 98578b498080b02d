"""Noise learned from digits: the shipped study of variational dropout, by pixel and by layer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from bdlviz import data
from bdlviz.digits import number, percent
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import variational_dropout
from bdlviz.models import divergences
from bdlviz.published import ACCURACY_SD, ACCURACY_TABLE
from bdlviz.topics.results.scoreboard.study import name_of
from bdlviz.topics.weights.variational_dropout import figures, figures_pixels, study
from bdlviz.topics.weights.variational_dropout.controls import BETA, IMAGES, PER
from bdlviz.topics.weights.variational_dropout.study import EDGES, KL_WEIGHTS, NUM_SAMPLES, SETTINGS, array_name
from bdlviz.types import Array
from bdlviz.ui.jobs.shipped import SHAPES
from bdlviz.ui.model import Figure, Folded, Formula, Need, Numbers, Part, Result, Says, Screen, Setting, Words

METHOD = "variational_dropout"
EXAMPLE, SEED = 3, 0  # class of the digit beside the picture, and the seed of its noise

LOSS = Formula(
    variational_dropout.build,
    "Training fits the data with noisy weights, and pays for every weight that has little noise.",
    {
        "B": "data points in a minibatch",
        "N": "data points in all",
        r"\beta": "weight of the KL term; 1 is the evidence lower bound",
        r"\alpha": "variance of the noise that multiplies a weight",
    },
)
CUBIC = Formula(
    divergences.cubic,
    "The KL of one weight: it rises without limit as α goes to 0, and falls as α grows to 1.",
    {r"\alpha": "variance of the weight's noise, at most 1", "c_1, c_2, c_3": "constants of Kingma et al. 2015"},
)


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
    """The mean alpha of the weights that leave every pixel, and a digit with that noise."""
    alpha = noise.pixels.reshape(SHAPES[setting[IMAGES]])
    image, average = digits_of(setting[IMAGES])
    look = {"theme": screen.theme, "height": screen.by_width(460, 680), "stacked": screen.is_narrow}
    right = percent(noise.accuracy, 3)
    means = [number(float(alpha[where].mean()), 2) for where in (average > 0, average == 0)]
    title = f"Noise: with ink {means[0]}, blank {means[1]}"
    pictures = {
        f"no noise: {percent(noise.one_pass, 3)} right": image,
        f"this noise: {right} right": noisy(image, alpha),
    }
    fig = figures_pixels.noise_of_pixels(alpha, title, pictures, **look)
    says = _of_pixels(alpha, right, *means)
    return _result(setting, noise, says, Figure("noise_picture", fig, noise.described))


def _of_pixels(alpha: Array, right: str, with_ink: str, blank: str) -> str:
    """How much noise pixels with ink and blank ones have; or that all have the same, and how many digits are right."""
    if with_ink == blank == "1":
        where = "every" if alpha.min() > study.CAPPED else "nearly every"
        return f"The weights of {where} pixel have the largest noise, 1, and still {right} of the digits are right."
    if np.ptp(alpha) < 1e-6:
        return f"All weights of the layer share one noise, {blank}, and {right} of the digits are right."
    most = ", the most allowed" if blank == "1" else ""
    return f"The mean noise of the weights is {with_ink} at pixels with ink and {blank} at always blank ones{most}."


@cache
def digits_of(images: str) -> tuple[Array, Array]:
    """A held-out digit and the mean of the training images, (h, w) each."""
    dataset = data.load(study.IMAGES[images])
    row = int(np.flatnonzero(dataset.y_test == EXAMPLE)[0])
    return dataset.x_test[row].reshape(SHAPES[images]), dataset.x.mean(0).reshape(SHAPES[images])


def noisy(image: Array, alpha: Array) -> Array:
    """The image (h, w) as one hidden unit gets it: every pixel times a draw of N(1, alpha), cut off at 0 and 1.

    The standard normal numbers behind the draws are the same for all ``alpha`` (h, w).
    """
    drawn = np.random.default_rng(SEED).standard_normal(image.shape)
    return np.clip(image * (1 + np.sqrt(alpha) * drawn), 0, 1)


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
    capped = ", ".join(percent(float(share)) for share in noise.capped)
    right = percent(noise.accuracy, 3)
    told = f"α at its cap for {capped} of the weights of the layers"
    says = f"β = {number(setting.number(BETA))}, {told}; {right} of digits are right."
    return _result(setting, noise, says, Figure("noise_layers", fig, noise.described))


def _result(setting: Setting, noise: Noise, says: str, picture: Figure) -> Result:
    """The picture with the numbers under it, the published row, and what the tabs show."""
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
    parts: list[Part] = [Says(says), picture, values]
    if setting[IMAGES] == "mnist":
        parts.append(Folded("Comparison with a published table", [Words(comparison(), "markdown")]))
    return Result(
        parts,
        (LOSS, CUBIC),
        (variational_dropout.build, variational_dropout.own_shape, study.noise_of),
        call_of(setting),
    )


def comparison() -> str:
    """The published row and ours with the same training, as Markdown."""
    rows = ["| held-out accuracy, MNIST-1000 | one pass | Monte Carlo |", "|---|---:|---:|"]
    pairs = zip(ACCURACY_TABLE[METHOD], ACCURACY_SD[METHOD], strict=True)
    one, many = (f"{mean:.2f} ± {sd:.2f} %" for mean, sd in pairs)
    rows.append(f"| lecture slides of Lee (which do not say which weights share an α) | {one} | {many} |")
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
