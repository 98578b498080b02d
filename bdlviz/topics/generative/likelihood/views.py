"""VAEs that differ in their likelihood alone, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from bdlviz.digits import nats, number, percent
from bdlviz.fits import GenerativeFit
from bdlviz.models.pixel_likelihoods import GaussianPixels
from bdlviz.predictive import latent
from bdlviz.topics.generative.likelihood import figures, pixels
from bdlviz.topics.generative.likelihood.controls import ALL, AVERAGED, DECODERS, DRAWS, MEANS, SAMPLES, SHOWN
from bdlviz.topics.generative.likelihood.study import IMAGES as DATASETS
from bdlviz.topics.generative.likelihood.study import LIKELIHOODS, NUM_SHOWN, name_of
from bdlviz.topics.generative.likelihood.views_pixel import BERNOULLI, CONTINUOUS
from bdlviz.topics.shared import autoencoders, seeds, study_seeds
from bdlviz.topics.shared.autoencoders import EDGE, LIKELIHOOD_NAMES, grey_share
from bdlviz.types import Array
from bdlviz.ui.jobs.shipped import IMAGES, shipped_need
from bdlviz.ui.model import Figure, Formula, Need, Numbers, Part, Result, Says, Screen, Setting, Table, Words

SHORT = {
    "bernoulli": "Bernoulli",
    "binarised_bernoulli": "Bernoulli, binarised",
    "continuous_bernoulli": "Continuous Bernoulli",
    "gaussian_pixels": "Gaussian, σ learned",
}
BRIEF: dict[str, str] = dict(zip(LIKELIHOODS, ("Bernoulli", "binarised", "continuous", "Gaussian"), strict=True))
NAMES = {
    "bernoulli": "the grey Bernoulli",
    "binarised_bernoulli": "the binarised Bernoulli",
    "continuous_bernoulli": "the continuous Bernoulli",
    "gaussian_pixels": "the Gaussian",
}
OF_WHAT = {
    "bernoulli": "nothing: its terms do not add up to 1 over grey images",
    "binarised_bernoulli": "black and white images, probabilities",
    "continuous_bernoulli": "grey images in [0, 1], a density",
    "gaussian_pixels": "grey images, a density with mass outside [0, 1]",
}
FIRST = "bernoulli"  # the decoder of the opening
MOST_LARGE = 4  # rows of large images
GREY = f"grey: {percent(EDGE)} to {percent(1 - EDGE)} ink"
GAUSSIAN = Formula(
    GaussianPixels,
    "A density of grey pixels with a learned σ; it also has mass outside 0 to 1.",
    {"m": "mean of a pixel, 0 to 1", r"\sigma": "learned standard deviation of the noise, in grey values"},
)
Models = Mapping[str, tuple[GenerativeFit, Mapping[str, Array]]]


def shows_samples(setting: Setting) -> bool:
    """True if the page shows samples of p(x|z), and not means or new images."""
    return setting[SHOWN] == DRAWS


def needed(setting: Setting) -> Need[Models]:
    """The VAE of every likelihood and what is stored beside it, by likelihood."""
    names = (name_of(setting[IMAGES], chosen) for chosen in LIKELIHOODS)
    return shipped_need(*names, read=lambda found: cast(Models, dict(zip(LIKELIHOODS, found, strict=True))))


def four_likelihoods(setting: Setting, screen: Screen, models: Models) -> Result:
    """The images and one row of pictures for each likelihood below them, and the grey values of them all."""
    images, shown, count = setting[IMAGES], setting[SHOWN], int(setting[AVERAGED])
    originals = None if shown == SAMPLES else autoencoders.dataset(DATASETS[images]).x_test[:NUM_SHOWN]
    pictures = {SHORT[name]: _pictures(fit, extra["test_codes"], shown, count) for name, (fit, extra) in models.items()}
    grey, mean = screen.by_width((f"<br>{GREY}", "mean, the average of<br>infinitely many"), ("", "mean"))
    sets, rows = pictures, {} if originals is None else {f"<b>image</b><br>{_told_grey(originals)}{grey}": originals}
    is_one = shows_samples(setting) and setting[DECODERS] != ALL
    if is_one:
        fit, codes = models[FIRST][0], models[FIRST][1]["test_codes"]
        one, average, means = _pictures(fit, codes, shown, 1), pictures[SHORT[FIRST]], fit.decode(codes)
        found = {"decoded, one sample": one, f"average of {count}": average, mean: means}
        sets = {"one sample": one, f"average of {count}": average, "mean": means}
        rows |= {f"<b>{title}</b><br>{_told_grey(each)}": each for title, each in found.items()}
    for name, (_, extra) in {} if is_one else models.items():
        title, each = BRIEF[name] if screen.is_narrow else SHORT[name], pictures[SHORT[name]]
        told = f"off by {number(_error(extra))} of 255" if shown == MEANS else _told_grey(each)
        rows[f"<b>{title}</b><br>{told}"] = each
    columns = screen.by_width(8, 6) if len(rows) > MOST_LARGE else screen.by_width(6, 3)
    fig = figures.rows_of_images(rows, num_columns=columns, theme=screen.theme, height=screen.by_width(460, 330))
    alt = "New images of each likelihood." if originals is None else "Held-out images, and below them what is decoded."
    sheet = Figure("rows_of_images", fig, alt)
    alt = "How often each grey value occurs in the images and in what is decoded."
    grey_values = Figure("grey_values", figures.grey_values(sets, originals, theme=screen.theme), alt)
    if shown == MEANS:
        says = of_means(models)
    elif is_one:
        says = of_greys([*rows.values()], count)
    else:
        which = "New images" if originals is None else "Samples" if count == 1 else f"Averages of {count} samples"
        says = of_many(which, [*pictures.values()])
    return Result(
        [Says(says), sheet, *([] if screen.is_presenting else [grey_values]), *_errors(models, images)],
        formulas=(BERNOULLI, CONTINUOUS, GAUSSIAN),
        code=(latent.decode_logits, pixels.draw_pixels, figures.grey_values),
        call=autoencoders.snippet(models["continuous_bernoulli"][0], "print(fit.elbo(data.x_test, 20).mean())"),
        tabs={"Bounds": lambda: bounds(models)},
    )


def of_means(models: Models) -> str:
    """The likelihoods whose means are nearest to the images and farthest from them, in this training."""
    errors = {name: _error(extra) for name, (_, extra) in models.items()}
    best, worst = min(errors, key=errors.__getitem__), max(errors, key=errors.__getitem__)
    return (
        f"In this training the means of {NAMES[best]} are off by {number(errors[best])} of 255 grey levels, those of "
        f"{NAMES[worst]} by {number(errors[worst])}."
    )


def of_greys(rows: Sequence[Array], count: int) -> str:
    """How many pixels are grey in images, a Bernoulli sample of each, the average of ``count``, and the means."""
    images, one, ours, mean = (percent(grey_share(each)) for each in rows)
    return (
        f"Grey pixels: images {images}, one Bernoulli sample {one}, average of {count} samples {ours}, the decoder's "
        f"mean {mean}."
    )


def of_many(which: str, pictures: Sequence[Array]) -> str:
    """How many pixels are grey in pictures of several decoders."""
    shares = [grey_share(each) for each in pictures]
    return f"{which} of these decoders have {percent(min(shares))} to {percent(max(shares))} grey pixels."


def _told_grey(images: Array) -> str:
    return f"{percent(grey_share(images))} grey pixels"


def _error(extra: Mapping[str, Array]) -> float:
    """The error of the expected pixels of held-out images, in grey levels of 255."""
    return 255 * float(extra["test_rmse"][0])


def _pictures(fit: GenerativeFit, codes: Array, shown: str, count: int) -> Array:
    """Pictures (M, D) at codes of held-out images, the average of ``count`` draws; or at codes from the prior."""
    if shown == SAMPLES:
        return fit.sample(NUM_SHOWN)
    if shown == MEANS:
        return fit.decode(codes)
    params = {name: array[0, 0] for name, array in fit.params.items()}
    outputs = latent.decode_logits(fit.model.network, params, codes.astype(np.float32))
    rng = np.random.Generator(np.random.SFC64(0))
    return np.mean([pixels.draw_pixels(fit.model.likelihood, outputs, rng) for _ in range(count)], axis=0)


def _errors(models: Models, images: str) -> list[Part]:
    """How far the expected pixels are from the images: this can be compared."""
    told = "Root mean square error of the expected pixels of held-out images, in grey levels of 255."
    parts: list[Part] = [
        Numbers([(f"Error, {BRIEF[name]} (/255)", f"{_error(extra):.1f}", told) for name, (_, extra) in models.items()])
    ]
    if found := seeds.study(study_seeds.GENERATIVE):
        errors = 255 * found[f"rmse_{images}"]
        each = [f"{name} {seeds.told(error, '.1f')}" for name, error in zip(BRIEF.values(), errors.T, strict=True)]
        parts.append(Words(seeds.sentence(len(errors), f"error of {', '.join(each)}")))
    return [*parts, *seeds.problem(study_seeds.GENERATIVE)]


def bounds(models: Models) -> list[Part]:
    """What each bound is of, and those that can be compared."""
    rows = []
    for name, (_, extra) in models.items():
        density = _density(models, name)
        cells = (nats(float(extra["test_elbo"][0])), "none" if np.isnan(density) else nats(density))
        rows.append((LIKELIHOOD_NAMES[name], OF_WHAT[name], *cells))
    heads = ("likelihood", "its bound is of", "ELBO as reported (nats)", "as a density of grey images (nats)")
    gain = _density(models, "continuous_bernoulli") - _density(models, "bernoulli")
    told = (
        "The bounds of the third column cannot be compared. One is of a probability of black and white images, two are "
        "of densities, and one is of neither. Those of the last column can be compared. There the grey Bernoulli's "
        "decoder is read as a continuous Bernoulli, with the constant that its training left out; training **with** "
        f"the constant gains {gain:,.1f} nats. A higher density does not mean better pictures: most of it comes from "
        "pixels of the background, whose value 0 is predicted to within a thousandth."
    )
    gaussian = _density(models, "gaussian_pixels") - _density(models, "continuous_bernoulli")
    says = Says(
        f"Only densities of grey images compare: the Gaussian's bound is {number(abs(gaussian))} nats "
        f"{'above' if gaussian > 0 else 'below'} the continuous Bernoulli's."
    )
    return [says, Table(heads, rows), Words(told, "markdown")]


def _density(models: Models, name: str) -> float:
    return float(models[name][1]["test_density"][0])
