"""Tabs of a conditional VAE: samples, one style in all classes, the planes of codes, and Bayes' rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bdlviz import plots
from bdlviz.digits import nats, percent
from bdlviz.plots.images import LARGE
from bdlviz.predictive import bounds
from bdlviz.topics.generative.conditional.controls import ALL, CLASS
from bdlviz.topics.shared.autoencoders import Autoencoder
from bdlviz.types import Array
from bdlviz.ui.model import Chooser, Columns, Field, Figure, Part, Says, Screen, Setting, Tab, Table, Words

NUM_SAMPLES, SAMPLES_PER_CLASS = 40, 12
LENT = "One code in ten classes: slant and width of the stroke come from the image, the digit from the class."


class Models(NamedTuple):
    """A conditional VAE, and a VAE with the same network and data that is not told the class."""

    conditional: Autoencoder
    plain: Autoencoder

    def decode(self, label: int, codes: Array) -> Array:
        """Expected images of codes in one class, (M, height, width)."""
        model = self.conditional
        return model.fit.given(label).decode(codes).reshape(-1, *model.shape)


def tabs(setting: Setting, screen: Screen, models: Models) -> dict[str, Tab]:
    """All tabs of the page."""
    return {
        "Samples": lambda: samples(setting[CLASS], models.conditional),
        "Transfer a style": lambda: [Says(LENT), lend_a_style(models)],
        "What the code contains": lambda: planes_of_codes(screen, models),
        "Bayes' rule": lambda: [Says(classified(models.conditional)), classification(models.conditional)],
    }


def samples(label: str, model: Autoencoder) -> list[Part]:
    """Images of codes from the prior: of the chosen class, or the same codes in all of them."""
    if label == ALL:
        images = np.concatenate([model.fit.given(each).sample(SAMPLES_PER_CLASS) for each in range(10)])
        columns, told = SAMPLES_PER_CLASS, "Codes from N(0, I), one a column, decoded in every class."
    else:
        images, columns = model.fit.given(int(label)).sample(NUM_SAMPLES), 10
        told = f"{NUM_SAMPLES} codes from N(0, I), decoded as a {label}."
    return [Says(told), *model.sheet(images, columns, "", f"{len(images)} digits: {told}")[:1]]


def lend_a_style(models: Models) -> Chooser:
    """The code of one held-out image, decoded in every class."""
    counts = np.bincount(models.conditional.labels("test"))

    def numbers(digit: int) -> Sequence[int]:
        return range(1, counts[digit] + 1)

    fields = (
        Field("lender", "A held-out", range(10), 4),
        Field("lender_number", "number", numbers, kind="number"),
    )
    return Chooser(fields, lambda digit, number: _lent(models, digit, number))


def _lent(models: Models, digit: int, number: int) -> list[Part]:
    model, size = models.conditional, LARGE // 2
    row = int(np.flatnonzero(model.labels("test") == digit)[number - 1])
    code = model.mean("test")[row]
    first = np.concatenate([model.originals("test")[row : row + 1], models.decode(digit, code[None])])
    lent = np.concatenate([models.decode(label, code[None]) for label in range(10)])
    told = "The image and its reconstruction."
    return [
        *model.sheet(first, len(first), told, f"A held-out {digit}. {told}", size),
        *model.sheet(
            lent,
            10,
            f"Its code, z = ({code[0]:.2f}, {code[1]:.2f}), in every class: slant and stroke width stay the same.",
            f"Ten digits, 0 to 9, in the style of this {digit}.",
            size,
        ),
    ]


def planes_of_codes(screen: Screen, models: Models) -> list[Part]:
    """The two planes of codes side by side, coloured by class."""
    titles = {"Conditional VAE": models.conditional, "VAE": models.plain}
    columns = [[Words(f"**{title}**", "markdown"), _codes(screen, title, each)] for title, each in titles.items()]
    told = (
        "The decoder is given the class, so the code need not contain it, and there are no clusters. What is left is "
        "what the classes share. They do not share all: a 0 is wider than a 1."
    )
    given, usual = (percent(each.same_class_nearest("train") / 100) for each in models)
    says = Says(f"Given the class, the nearest code is of the same class in {given} of cases, in the VAE in {usual}.")
    return [says, Columns(columns), Words(told)]


def _codes(screen: Screen, title: str, model: Autoencoder) -> Figure:
    mean, labels = model.mean("train"), model.labels("train")
    fig = plots.latent_scatter(mean, labels, theme=screen.theme, marks="digits", height=460)
    return Figure(f"codes_{model.fit.config.method}", fig, f"{title}. {plots.describe_latent_scatter(mean, labels)}")


def classified(model: Autoencoder) -> str:
    """How often the bound is highest given the right class."""
    right = float((model.extra["test_elbo_of_classes"].argmax(1) == model.labels("test")).mean())
    return (
        f"{percent(right)} of {len(model.labels('test')):,} held-out images have their highest bound given their class."
    )


def classification(model: Autoencoder) -> Chooser:
    """The bound of one held-out image given each class, and the probabilities of the classes by Bayes' rule."""
    number = Field("classified", "Held-out image", range(1, len(model.labels("test")) + 1), kind="number")
    return Chooser((number,), lambda number: _classified(model, number))


def _classified(model: Autoencoder, number: int) -> list[Part]:
    each = model.extra["test_elbo_of_classes"][number - 1].astype(float)
    posterior, best = bounds.class_posterior(each), int(each.argmax())
    label, image = int(model.labels("test")[number - 1]), model.originals("test")[number - 1 : number]
    rows = [(f"{y}", nats(bound), f"{share:.3f}") for y, (bound, share) in enumerate(zip(each, posterior, strict=True))]
    told = (
        f"With the bounds in place of log p(x|y) and equal p(y): p(y = {best} | x) ≈ {posterior[best]:.3f}. A nat is a "
        "factor of e, so a few nats decide: the probabilities of such a classifier are mostly close to 0 or 1."
    )
    picture = model.sheet(image, 1, f"A held-out {label}.", f"Held-out image {number}, a {label}.", LARGE)
    table = Table(("class y", "bound on log p(x|y) (nats)", "p(y|x)"), rows)
    return [Columns([[table], picture], (3, 1), align="center"), Words(told)]
