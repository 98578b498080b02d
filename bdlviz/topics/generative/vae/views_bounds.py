"""What stands behind a VAE, on one of its own digits: gradients, the identity, tighter bounds, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.fits import GenerativeFit
from bdlviz.models.likelihoods import log_normaliser
from bdlviz.predictive import latent
from bdlviz.predictive.bounds import PosteriorGrid
from bdlviz.topics.generative.vae.views_training import Run
from bdlviz.topics.shared.generative_source import LARGE, scale_of
from bdlviz.types import Array
from bdlviz.ui.cache import remembered
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.images import sheet
from bdlviz.ui.frame.look import figure, present_theme
from bdlviz.ui.frame.window import is_narrow

NUM_SAMPLES = 5000  # codes of one image, for the identity and its curve of bounds
FEW = 100  # images for bounds that a visitor waits for
BOUND_SAMPLES = (1, 5, 20, 50, 100, 500)
COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
DIGIT = number_control("digit", "A held-out image of class", range(10), 3)
NUM_CODES = number_control(
    "num_codes", "Codes per image K", COUNTS, 50, "Of the importance-weighted bound; K = 1 is the ELBO."
)
CONTROLS = (DIGIT, NUM_CODES)  # they stand in the tabs


def tabs(run: Run) -> dict[str, Callable[[], None]]:
    """The tabs of a VAE whose training is done, or was stopped."""
    return {
        "Reparameterisation": lambda: show_gradients(run),
        "log p(x)": lambda: show_identity(run),
        "Tighter bounds": lambda: show_bounds(run),
        "Two posteriors": show_two_posteriors,
        "What is wrong": lambda: show_what_is_wrong(run.fit),
    }


def _choose_image(run: Run, more: Control | None = None) -> Array:
    """A slider over classes, perhaps another below it, and the image beside them."""
    field, place = st.columns([3, 1], vertical_alignment="center")
    with field:
        digit = int(DIGIT.show())
        if more is not None:
            more.show()
    image = run.dataset.x_test[np.flatnonzero(run.dataset.y_test == digit)[0]]
    with place:
        alt = f"The image: a held-out {digit}."
        sheet(image.reshape(1, *run.shape), 1, alt=alt, scale=scale_of(run.shape, LARGE))
    return image


def show_gradients(run: Run) -> None:
    """The reparameterisation trick against the score function, by the variance of the gradient."""
    image = _choose_image(run)
    with st.spinner("Drawing 10,000 gradients of each kind …"):
        found = remembered(run.fit, ("gradients", image.tobytes()), lambda: run.fit.gradient_variance(image))
    variances = {
        "reparameterisation: z = μ + σ ε": found.reparameterised,
        "score function": found.score_function,
        "score function with baseline": found.score_function_with_baseline,
    }
    ratio = found.score_function_with_baseline[0] / found.reparameterised[0]
    alt = f"Gradient variance over S; the score function's is {ratio:.0f} times the reparameterised one's at S = 1."
    figure(plots.gradient_variances(found.num_samples, variances, theme=present_theme()), key="gradients", alt=alt)
    st.caption(
        f"Both estimate the same gradient of E[log p(x|z)] by μ and σ of this image. At S = 1 the score function, even "
        f"with a baseline, is {ratio:,.0f} times as noisy: it knows how good a code was, not in which direction a "
        "better one lies. The variance falls as 1/S for all: S = 1 is enough for the one, and no S that anybody would "
        "wait for is enough for the other."
    )


def show_identity(run: Run) -> None:
    """Both sides of log p(x) = ELBO + KL[q || p(z|x)] for one image; in a plane without Monte Carlo."""
    image = _choose_image(run)
    if run.fit.model.network.latent_dim == 2:
        grid = _grid(run.fit, image)
        terms, how = grid.identity, "Sums over a grid of the plane: no Monte Carlo noise."
    else:
        key = ("identity", image.tobytes())
        terms = remembered(run.fit, key, lambda: run.fit.identity(image, NUM_SAMPLES))
        how = f"log p(x) from {NUM_SAMPLES:,} importance samples, ± {terms.log_evidence_error:.2f}."
        grid = None
    fig = plots.identity_bars(terms.reconstruction, terms.kl, terms.gap, theme=present_theme())
    alt = (
        f"log p(x) {terms.log_evidence:.1f} = reconstruction {terms.reconstruction:.1f} - KL {terms.kl:.1f} + gap "
        f"{terms.gap:.1f}, in nats."
    )
    if grid is None:
        figure(fig, key="identity", alt=alt)
    else:
        left, right = st.columns([1.3, 1], gap="medium")
        with left:
            figure(fig, key="identity", alt=alt)
        with right:
            mean, std = (values[0] for values in run.fit.encode(image))
            contours = plots.posterior_contours(
                grid.first, grid.second, grid.posterior, mean, std, theme=present_theme(), height=360
            )
            figure(contours, key="posterior", alt="Exact posterior of the code and the encoder's Gaussian.")
    st.caption(
        f"{how} The last step is what the encoder's Gaussian loses against the exact posterior p(z|x): "
        f"{terms.gap:.1f} nats for this image. Training raises the ELBO by raising log p(x) or by closing this gap."
    )


def show_bounds(run: Run) -> None:
    """Plug-in value, Monte Carlo ELBO and importance-weighted bounds: of held-out images, and of one of them, live."""
    image = _choose_image(run, NUM_CODES)
    chosen = int(NUM_CODES.present())
    left, right = st.columns(2, gap="medium")
    with left:
        _show_mean_bounds(run, chosen)
    with right:
        _show_bounds_of_one(run, image, chosen)


def _show_mean_bounds(run: Run, chosen: int) -> None:
    """Means over held-out images, shipped or computed."""
    if "bound_importance" in run.extra:
        extra = run.extra
        samples, importance = extra["bound_samples"].astype(int), extra["bound_importance"]
        elbo, plug_in = float(np.ravel(extra["bound_elbo"])[0]), float(np.ravel(extra["bound_plug_in"])[0])
        who = "500 held-out images, or as many as there are"
    else:
        with st.spinner("Weighing codes …"):
            images = run.dataset.x_test[:FEW]
            samples, importance, elbo, plug_in = remembered(run.fit, "bounds", lambda: _bounds(run.fit, images))
        who = f"{FEW} held-out images"
    st.markdown("**Mean of held-out images**")
    fig = plots.bounds_against_samples(samples, importance, elbo, plug_in, chosen=chosen, theme=present_theme())
    alt = f"ELBO {elbo:.1f}, importance-weighted bound up to {importance[-1]:.1f}, plug-in {plug_in:.1f} nats."
    figure(fig, key="bounds", alt=alt)
    gain = plots.bound_at(samples, importance, chosen) - elbo
    st.caption(
        f"Means over {who}. K = {chosen} codes gain {gain:.1f} nats on the ELBO, and are a bound still. The plug-in "
        f"value log p(x|μ) − KL reads {plug_in - elbo:.1f} nats too good: it asks the decoder only at the middle of "
        "q(z|x); it is no bound, though it is often printed as one."
    )


def _bounds(fit: GenerativeFit, images: Array) -> tuple[Array, Array, float, float]:
    weighted = np.array([fit.elbo(images, count, importance=True).mean() for count in BOUND_SAMPLES])
    return np.array(BOUND_SAMPLES), weighted, float(fit.elbo(images, 50).mean()), float(fit.plug_in(images).mean())


def _show_bounds_of_one(run: Run, image: Array, chosen: int) -> None:
    """The bound of one image at every K, from codes drawn now; in a plane of codes beside log p(x) itself."""
    fit, key = run.fit, image.tobytes()
    curve = remembered(fit, ("curve", key), lambda: fit.importance_curve(image, COUNTS, num_draws=NUM_SAMPLES))
    is_plane = fit.model.network.latent_dim == 2
    truth = _grid(fit, image).log_evidence if is_plane else None
    st.markdown("**This image**")
    fig = plots.bounds_against_samples(
        curve.num_samples,
        curve.bound,
        float(curve.bound[0]),
        curve.plug_in,
        error=curve.error,
        truth=truth,
        chosen=chosen,
        theme=present_theme(),
    )
    at_k, error = (float(values[COUNTS.index(chosen)]) for values in (curve.bound, curve.error))
    alt = (
        f"One image: ELBO {curve.bound[0]:.1f}, bound with K = {chosen} codes {at_k:.1f}, plug-in {curve.plug_in:.1f}."
    )
    figure(fig, key="bounds_of_one", alt=alt)
    known = "" if truth is None else f" log p(x) = {truth:.1f}, summed over the plane, is {truth - at_k:.2f} above it."
    st.caption(
        f"{NUM_SAMPLES:,} codes of this image, in groups of K: {at_k:.1f} ± {error:.2f} nats at K = {chosen} "
        f"(standard error; bars show two).{known}"
    )


def _grid(fit: GenerativeFit, image: Array) -> PosteriorGrid:
    return remembered(fit, ("grid", image.tobytes()), lambda: fit.posterior_grid(image))


def show_two_posteriors() -> None:
    """One posterior for every image, beside one for all weights."""
    fig = plots.two_posteriors(theme=present_theme(), stacked=is_narrow())
    alt = "Two graphical models: in a VAE the code is inside the plate over images, in a Bayesian network W is outside."
    figure(fig, key="two_posteriors", alt=alt)
    st.markdown(
        "Blue: inference, what the variational parameters φ determine. A VAE's encoder is **amortised**: one network "
        "gives every image its own q(z|x), and each image carries its own KL term. A Bayesian network has **one** q(W) "
        "for all data: its KL term is paid once, whatever N is, and counts 1/N per data point. Same bound, other plate."
    )


def show_what_is_wrong(fit: GenerativeFit) -> None:
    """The Bernoulli term on grey pixels is no density: what it leaves out, for one pixel and for whole images."""
    parameter = st.select_slider("Parameter of the pixel", [0.05, 0.1, 0.2, 0.3, 0.4, 0.5], 0.2, key="pixel_parameter")
    x = np.linspace(0, 1, 201)
    logit = np.log(parameter / (1 - parameter))
    term = np.exp(x * np.log(parameter) + (1 - x) * np.log(1 - parameter))
    constant = float(log_normaliser(np.array([logit]))[0])
    mass = float(np.exp(-constant))
    curves = {
        f"Bernoulli term: its area is {mass:.2f}, not 1": term,
        "continuous Bernoulli: area 1": term * np.exp(constant),
    }
    alt = f"Bernoulli term and continuous Bernoulli density at parameter {parameter}."
    figure(plots.pixel_densities(curves, x, theme=present_theme()), key="pixel_densities", alt=alt)
    images = "" if fit.config.likelihood != "bernoulli" else _left_out(fit)
    st.markdown(
        "“But actually this is wrong …”: on grey pixels the cross-entropy that VAEs maximise is not the logarithm of a "
        f"density. Per pixel it leaves out log C = {constant:.3f} nats here, at least log 2. {images}"
        "The **continuous Bernoulli** puts the constant back; its mean is not its parameter; pictures show the mean. "
        "With it the bound becomes positive, since densities may exceed 1, and bounds of different likelihoods cannot "
        "be compared. Binarised pixels or a Gaussian with a learned σ are the other legal choices: *Which likelihood?* "
        "shows all four."
    )


def _left_out(fit: GenerativeFit) -> str:
    """How much log C is on whole images of this fit."""
    network, params = fit.model.network, fit.single()
    codes = latent.draw_codes(FEW, network.latent_dim, np.random.Generator(np.random.SFC64(0)))
    logits = latent.decode_logits(network, params, codes)
    nats = float(log_normaliser(logits.astype(np.float64)).sum(1).mean())
    return f"Over a whole image of this VAE it is {nats:,.0f} nats, more than the reported bound itself. "
