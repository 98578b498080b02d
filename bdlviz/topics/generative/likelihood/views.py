"""VAEs that differ in their likelihood alone, side by side; and the collapse of codes as the KL term weighs more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.fits import GenerativeFit
from bdlviz.methods.vae import BETA
from bdlviz.predictive import latent
from bdlviz.topics.generative.likelihood.pixels import draw_pixels
from bdlviz.topics.generative.likelihood.study import IMAGES, LIKELIHOODS, NUM_SHOWN, name_of
from bdlviz.topics.generative.vae.views_theory import show_what_is_wrong
from bdlviz.topics.generative.vae.views_training import LIKELIHOOD
from bdlviz.topics.shared import generative_source, repeats, repeats_study
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control, hyperparameter_control
from bdlviz.ui.frame.images import sheet
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.jobs import shipped

DRAWS, MEANS, SAMPLES = "draws", "means", "samples"
SHOWN = Control(
    "shown",
    "Pictures",
    (DRAWS, MEANS, SAMPLES),
    DRAWS,
    "buttons",
    "Drawn from p(x|z) with its noise, or the mean of p(x|z), at the codes of held-out images; or means at codes drawn "
    "from the prior.",
    {DRAWS: "drawn", MEANS: "means", SAMPLES: "new, means"},
)
WEIGHT = replace(hyperparameter_control(BETA), key="kl_weight")  # in a tab
COLUMNS = 5
SHORT = {
    "bernoulli": "Bernoulli, grey",
    "binarised_bernoulli": "Bernoulli, binarised",
    "continuous_bernoulli": "Continuous Bernoulli",
    "gaussian_pixels": "Gaussian, σ learned",
}
BRIEF: dict[str, str] = dict(zip(LIKELIHOODS, ("grey", "binarised", "continuous", "Gaussian"), strict=True))
OF_WHAT = {
    "bernoulli": "nothing: its terms do not add up to 1 over grey images",
    "binarised_bernoulli": "black and white images, probabilities",
    "continuous_bernoulli": "grey images in [0, 1], a density",
    "gaussian_pixels": "grey images, a density that leaves [0, 1]",
}
Models = Mapping[str, tuple[GenerativeFit, Mapping[str, Array]]]


def find(images: str) -> Models:
    """The VAE of every likelihood and what is stored beside it; none, and a sentence, where one is missing."""
    found = {chosen: shipped.fit_and_extra(name_of(images, chosen)) for chosen in LIKELIHOODS}
    return {} if None in found.values() else cast(Models, found)


def show(models: Models, images: str, shown: str) -> None:
    """One sheet of pictures for each likelihood, beside the images themselves."""
    originals = None if shown == SAMPLES else generative_source.dataset(IMAGES[images]).x_test[:NUM_SHOWN]
    places = iter(st.columns(len(models) + (originals is not None), gap="small"))
    if originals is not None:
        _sheet(next(places), originals, "Held-out images", "")
    pictures = {SHORT[name]: _pictures(fit, extra["test_codes"], shown) for name, (fit, extra) in models.items()}
    for (_, extra), (title, drawn), place in zip(models.values(), pictures.items(), places, strict=True):
        _sheet(place, drawn, title, f"ELBO {float(extra['test_elbo'][0]):,.1f} nats".replace("-", "−"))
    alt = "How often each grey value occurs in the pictures of every likelihood, and in the images."
    figure(plots.grey_values(pictures, originals, theme=present_theme()), key="grey_values", alt=alt)


def _pictures(fit: GenerativeFit, codes: Array, shown: str) -> Array:
    """Pictures (M, D) at codes of held-out images, or at codes from the prior."""
    if shown == SAMPLES:
        return fit.sample(NUM_SHOWN)
    if shown == MEANS:
        return fit.decode(codes)
    params = {name: array[0, 0] for name, array in fit.params.items()}
    outputs = latent.decode_logits(fit.model.network, params, codes.astype(np.float32))
    return draw_pixels(fit.model.likelihood, outputs, np.random.Generator(np.random.SFC64(0)))


def _sheet(place: Any, images: Array, title: str, caption: str) -> None:
    side = int(np.sqrt(images.shape[1]))
    scale = generative_source.scale_of((side, side))
    with place:
        st.markdown(f"**{title}**")
        alt = f"{title}: {len(images)} digits. {caption}"
        sheet(images.reshape(-1, side, side), COLUMNS, alt=alt.strip(), scale=scale, width="stretch")
        if caption:
            st.caption(caption)


def show_numbers(models: Models, images: str) -> None:
    """The one thing that can be compared: how far the expected pixels are from the images."""
    told = "Root mean square error of the expected pixels of held-out images, in grey levels of 255."
    numbers(
        [
            (f"Error, {BRIEF[name]} (/255)", f"{255 * float(extra['test_rmse'][0]):.1f}", told)
            for name, (_, extra) in models.items()
        ]
    )
    found = repeats.study(repeats_study.GENERATIVE)
    if found:
        errors = 255 * found[f"rmse_{images}"]
        told = [f"{name} {repeats.told(each, '.1f')}" for name, each in zip(BRIEF.values(), errors.T, strict=True)]
        repeats.say(len(errors), f"error of {', '.join(told)}")


def tabs(models: Models) -> dict[str, Callable[[], None]]:
    """What else there is to compare."""
    return {
        "Bounds": lambda: show_bounds(models),
        "What is wrong": lambda: show_what_is_wrong(models["bernoulli"][0]),
        "Posterior collapse": show_collapse,
    }


def show_bounds(models: Models) -> None:
    """What each bound is of, and those that can stand beside each other."""
    rows = []
    for name, (_, extra) in models.items():
        density = float(extra["test_density"][0])
        rows.append(
            {
                "likelihood": LIKELIHOOD.name(name),
                "its bound is of": OF_WHAT[name],
                "ELBO as reported (nats)": f"{float(extra['test_elbo'][0]):.1f}",
                "as a density of grey images (nats)": "none" if np.isnan(density) else f"{density:.1f}",
            }
        )
    st.table(rows)
    gain = _density(models, "continuous_bernoulli") - _density(models, "bernoulli")
    st.markdown(
        "The middle column cannot be compared: a probability of black and white images, a density, and something that "
        "is neither. The last one can. There the grey Bernoulli's decoder is read as a continuous Bernoulli, with the "
        f"constant that its training left out; training **with** the constant is worth {gain:,.1f} nats. "
        "That is no promise of better pictures: a density is earned where most pixels are, on paper, by saying 0 to "
        "within a thousandth."
    )


def _density(models: Models, name: str) -> float:
    return float(models[name][1]["test_density"][0])


def show_collapse() -> None:
    """The KL term of every code dimension against its weight, and the pictures at one weight."""
    found = shipped.fit_and_extra("betas_digits")
    if found is None:
        return
    fit, extra = cast(tuple[GenerativeFit, dict[str, Array]], found)
    beta = float(WEIGHT.show())
    chosen = WEIGHT.options.index(WEIGHT.present())
    kl = extra["kl_per_dimension"]
    left, right = st.columns([1.6, 1], gap="large")
    with left:
        fig = plots.collapse_by_weight(WEIGHT.options, kl, chosen=chosen, theme=present_theme())
        used = (kl > plots.COLLAPSED).sum(1)
        alt = f"KL of {kl.shape[1]} code dimensions; {used[0]} in use at the smallest β, {used[-1]} at the largest."
        figure(fig, key="collapse", alt=alt)
    cell = cast(GenerativeFit, fit.cell(beta=beta))
    with right:
        restored, drawn = st.columns(2)
        _sheet(restored, cell.decode(extra["test_codes"][chosen]), "Reconstructed", "")
        _sheet(drawn, cell.sample(NUM_SHOWN), "New, from the prior", "")
        st.caption(
            f"β = {WEIGHT.present()}: {used[chosen]} of {kl.shape[1]} dimensions in use, "
            f"KL {kl[chosen].sum():.1f} nats, error {255 * float(extra['rmse'][chosen]):.0f} of 255."
        )
    st.markdown(
        "8×8 digits, held out; a line for each rank, the most telling dimension above. Small β: sharp "
        "reconstructions, and codes that the prior never draws, so that new "
        "images are none. β = 1 is the bound. Large β: one dimension after the other costs more than it earns; its "
        "posterior becomes the prior, and in the end every image is the average one."
    )
