"""The images behind chosen codes: one in detail, of several what they share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.plots.images import LARGE
from bdlviz.predictive import latent
from bdlviz.topics.generative.latent_space import figures
from bdlviz.topics.shared.autoencoders import NUM_NEIGHBOURS, Autoencoder
from bdlviz.types import Array
from bdlviz.ui.model import Columns, Figure, Part, Screen, Words

NUM_DRAWS = 7
MOST_SHOWN, PER_ROW = 36, 12  # of the chosen images
HOW = {"click": "Click a code", "lasso": "Draw a line around codes", "box": "Draw a box around codes"}


def rows_of(numbers: str, count: int) -> list[int]:
    """Rows, from 0, of numbers from 1 to ``count`` as people write them: "7", "3, 5", "40-60".

    Raises:
        InvalidInput: it is something else, or a number is out of range.
    """
    rows: list[int] = []
    for part in filter(None, (part.strip() for part in numbers.replace("–", "-").split(","))):
        first, dash, last = (word.strip() for word in part.partition("-"))
        ends = [word for word in (first, last if dash else first) if word.isascii() and word.isdigit()]
        if len(ends) < 2 or not 1 <= int(ends[0]) <= int(ends[1]) <= count:
            raise InvalidInput(f"{part[:20]!r} names none of the images 1 to {count:,}: write 7, or 3, 5, or 40-60.")
        rows += range(int(ends[0]) - 1, int(ends[1]))
    return list(dict.fromkeys(rows))


def by_number(numbers: str, count: int) -> list[int]:
    """`rows_of`; no rows where the numbers cannot be read."""
    try:
        return rows_of(numbers, count)
    except InvalidInput:
        return []


def example(model: Autoencoder, part: str, classes: Sequence[int]) -> int:
    """The row of the image of these classes whose nearest codes are all of its class and farthest away."""
    mean, labels, near = model.mean(part), model.labels(part), model.nearest_others(part)
    same = labels[near] == labels[:, None]
    score = same.all(1) * np.linalg.norm(mean[near[:, -1]] - mean, axis=1)
    return int((np.isin(labels, classes) * (1 + score)).argmax())


def said(model: Autoencoder, part: str, rows: list[int], pick: str) -> str:
    """What is chosen, or how to choose."""
    if not rows:
        return (
            f"**{HOW[pick]}** to see its posterior and its nearest neighbours."
            if pick == "click"
            else f"**{HOW[pick]}** to see what these images share."
        )
    labels = model.labels(part)[rows]
    if len(rows) == 1:
        return f"**Chosen:** a {labels[0]} (no. {rows[0] + 1})"
    classes, counts = np.unique(labels, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return f"**Chosen: {len(rows)} images.** " + ", ".join(f"{counts[at]} × **{classes[at]}**" for at in order)


def shared(model: Autoencoder, part: str, rows: list[int]) -> str:
    """One image and the classes of its nearest codes, or what several have in common."""
    labels = model.labels(part)
    if len(rows) == 1:
        others = model.nearest_others(part)[rows[0]]
        same = int((labels[others] == labels[rows[0]]).sum())
        return f"Of the {len(others)} codes nearest to this {labels[rows[0]]}, {same} are of images of the same class."
    classes, counts = np.unique(labels[rows], return_counts=True)
    return (
        f"{len(rows)} images are chosen, of {len(classes)} {'class' if len(classes) == 1 else 'classes'}: most, "
        f"{counts.max()}, are a {classes[counts.argmax()]}."
    )


def details(model: Autoencoder, part: str, rows: list[int], screen: Screen) -> list[Part]:
    """Pictures of the chosen images, and the posterior of their code."""
    if not rows:
        return []
    return _one(model, part, rows[0], screen) if len(rows) == 1 else _several(model, part, rows, screen)


def _several(model: Autoencoder, part: str, rows: list[int], screen: Screen) -> list[Part]:
    """Some of the chosen images, what all of them share in z, and the others nearest to their mean."""
    centre, spread = latent.average_posterior(model.mean(part)[rows], model.std(part)[rows])
    shown = np.array(rows)[np.unique(np.linspace(0, len(rows) - 1, MOST_SHOWN).round().astype(int))]
    which = "The chosen images" if len(shown) == len(rows) else f"{len(shown)} of the chosen images"
    others = np.setdiff1d(np.arange(len(model.labels(part))), rows)
    near = min(NUM_NEIGHBOURS, len(others))
    found = others[latent.nearest(model.mean(part)[others], centre, near)[0]] if near else others
    images = np.concatenate([model.decode(centre[None]), model.originals(part)[found]])
    labels = ", ".join(str(label) for label in model.labels(part)[found])
    told = f"First the decoded mean of their codes, then the other images nearest to it: {labels or 'none are left'}."
    alt = f"Average posterior of {len(rows)} images over {len(centre)} dimensions, sd {spread.min():.2f} and more."
    left = [
        *_picture(model, model.originals(part)[shown], min(PER_ROW, len(shown)), f"{which}."),
        *_picture(model, images, len(images), told),
    ]
    right = _posterior(
        "Mean of their q(z|x), on the prior. A narrow bar away from 0 is what the chosen images share.",
        (centre, spread),
        alt,
        screen,
    )
    return [Columns([left, right], gap="large")]


def _one(model: Autoencoder, part: str, row: int, screen: Screen) -> list[Part]:
    """An image, decoded draws of its posterior, and its nearest neighbours in z."""
    mean, std = model.mean(part)[row], model.std(part)[row]
    originals = model.originals(part)
    around = mean + std * np.random.Generator(np.random.SFC64(0)).standard_normal((NUM_DRAWS, len(mean)), np.float32)
    near, distances = latent.nearest(model.mean(part), mean, NUM_NEIGHBOURS + 1)
    images = np.concatenate([originals[row : row + 1], model.decode(mean[None]), model.decode(around)])
    others = near[near != row][:NUM_NEIGHBOURS]
    labels = ", ".join(str(label) for label in model.labels(part)[others])
    alt = f"Posterior of one image over {len(mean)} code dimensions, means from {mean.min():.2f} to {mean.max():.2f}."
    left = [
        *_picture(
            model,
            images,
            len(images),
            f"First the image and its reconstruction, then decoded from {NUM_DRAWS} draws of q(z|x).",
        ),
        *_picture(
            model,
            originals[others],
            len(others),
            f"Its nearest neighbours in z: {labels}; {distances[1]:.2f} to {distances[-1]:.2f} away.",
        ),
    ]
    right = _posterior(
        "q(z|x) of this image, on the prior. A dimension whose bar is as wide as the band holds no information "
        "about the image.",
        (mean, std),
        alt,
        screen,
    )
    return [Columns([left, right], gap="large")]


def _posterior(told: str, code: tuple[Array, Array], alt: str, screen: Screen) -> list[Part]:
    return [Words(told), Figure("posterior_bars", figures.posterior_bars(*code, theme=screen.theme), alt)]


def _picture(model: Autoencoder, images: Array, columns: int, caption: str) -> list[Part]:
    return model.sheet(images, columns, caption, f"Digits: {caption}", LARGE // 2 if columns > 2 else LARGE)
