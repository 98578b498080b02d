"""The theory of a VAE on one of its own images: the identity, gradients, tighter bounds, two kinds of posteriors."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from bdlviz.digits import nats
from bdlviz.fits import GenerativeFit
from bdlviz.plots.images import LARGE, scale_of
from bdlviz.predictive import bounds, latent
from bdlviz.predictive.bounds import ImportanceCurve, PosteriorGrid
from bdlviz.predictive.estimators import GradientVariance
from bdlviz.topics.generative.vae import figures_bounds, figures_posteriors
from bdlviz.topics.generative.vae.controls import COUNTS, DIGIT, NUM_CODES
from bdlviz.topics.generative.vae.run import Run
from bdlviz.topics.generative.vae.views_pixel import what_is_wrong
from bdlviz.topics.shared import autoencoders
from bdlviz.types import Array
from bdlviz.ui.cache import remembered
from bdlviz.ui.model import (
    Columns,
    Figure,
    Formula,
    Need,
    Obtained,
    Part,
    Result,
    Says,
    Screen,
    Setting,
    Sheet,
    Tab,
    Words,
)

NUM_SAMPLES = 5000  # codes of one image, for the identity and its curve of bounds
FEW = 100  # images for bounds that a visitor waits for
BOUND_SAMPLES = (1, 5, 20, 50, 100, 500)
IDENTITY = Formula(
    bounds.identity,
    "What lies between the bound and log p(x) is the last term, which is never negative.",
    {
        r"q(z \mid x)": "the encoder's Gaussian over codes of this image",
        r"p(z \mid x)": "the exact posterior of the code under the decoder",
        r"\log p(x)": "log probability of the image under the model, in nats",
    },
    {r"q(z \mid x)": "mean", r"p(z \mid x)": "exact"},
)
IMPORTANCE = Formula(
    bounds.importance_bound,
    "A bound from K codes of one image; it rises to log p(x) as K grows, and K = 1 is the ELBO.",
    {"K": "codes per image", "z_k": "a code drawn from the encoder's q(z|x)"},
)
GRID = Formula(
    bounds.posterior_grid,
    "In a plane of codes the exact posterior is a sum over a grid.",
    {r"\Delta": "area of a cell of the grid"},
)


class MeanBounds(NamedTuple):
    """Means over held-out images: importance-weighted bounds (T,) at numbers of codes (T,), and two single values."""

    num_samples: Array
    importance: Array
    elbo: float
    plug_in: float


def tabs(setting: Setting, screen: Screen, run: Run) -> dict[str, Tab]:
    """The further pictures of a VAE whose training has ended, or was stopped."""
    return {
        "Reparameterisation": lambda: gradients(setting, screen, run),
        "Tighter bounds": lambda: tighter_bounds(setting, screen, run),
        "Two posteriors": lambda: two_posteriors(screen),
        "What is wrong": lambda: what_is_wrong(run.fit, screen),
    }


def image_of(setting: Setting, run: Run) -> Array:
    """The first held-out image of the chosen class, (D,)."""
    return run.dataset.x_test[np.flatnonzero(run.dataset.y_test == int(setting[DIGIT]))[0]]


def _choice(setting: Setting, run: Run, *controls: Part) -> Columns:
    """The slider over classes, perhaps another below it, and the image beside them."""
    image = image_of(setting, run).reshape(1, *run.shape)
    sheet = Sheet(image, 1, f"The image: a held-out {setting[DIGIT]}.", scale_of(run.shape, LARGE))
    return Columns([[DIGIT, *controls], [sheet]], (3, 1), gap="small", align="center")


# The reparameterisation trick -----------------------------------------------------------------------------------------


def gradients(setting: Setting, screen: Screen, run: Run) -> list[Part]:
    """The reparameterisation trick against the score function, by the variance of the gradient."""
    image = image_of(setting, run)
    need = Need(
        ("gradient variance", run.fit.config, run.fit.num_steps_done, image.tobytes()),
        work=lambda look, cancel: run.fit.gradient_variance(image),
        name="gradients",
        kind="gradients",
        tell=lambda job: (0.0, "Sampling 10,000 gradients of each kind …"),
    )
    says = "Both estimate the same gradient: the one with the smaller variance needs fewer codes of an image."
    return [Says(says), _choice(setting, run), Obtained(need, lambda found: _variances(screen, found))]


def _variances(screen: Screen, found: GradientVariance) -> list[Part]:
    variances = {
        "reparameterisation: z = μ + σ ε": found.reparameterised,
        "score function": found.score_function,
        "score function with baseline": found.score_function_with_baseline,
    }
    ratio = found.score_function_with_baseline[0] / found.reparameterised[0]
    fig = figures_bounds.gradient_variances(found.num_samples, variances, theme=screen.theme)
    alt = f"Gradient variance over S; the score function's is {ratio:.0f} times the reparameterised one's at S = 1."
    told = (
        f"The gradient is that of E[log p(x|z)] by μ and σ of this image. At S = 1 the variance of the score "
        f"function, even with a baseline, is {ratio:,.0f} times as large: it uses only the value of log p(x|z), "
        "and the reparameterised gradient uses its derivative by z. All variances fall as 1/S. So one code is enough "
        "for the reparameterised gradient, and no number of codes in practice is enough for the score function."
    )
    return [Figure("gradients", fig, alt), Words(told)]


# The identity ---------------------------------------------------------------------------------------------------------


def evidence(setting: Setting, screen: Screen, run: Run) -> Result:
    """Both sides of log p(x) = ELBO + KL[q || p(z|x)] for one image; in a plane without Monte Carlo."""
    last = (f"image = data.x_test[data.y_test == {setting[DIGIT]}][0]", "print(fit.identity(image, 5000))")
    return Result(
        _identity(setting, screen, run),
        formulas=(IDENTITY, GRID, IMPORTANCE) if run.fit.model.network.latent_dim == 2 else (IDENTITY, IMPORTANCE),
        code=(bounds.identity, bounds.posterior_grid, latent.encode, figures_bounds.identity_bars),
        call=autoencoders.snippet(run.fit, *last),
        tabs=tabs(setting, screen, run),
    )


def _identity(setting: Setting, screen: Screen, run: Run) -> list[Part]:
    image, fit = image_of(setting, run), run.fit
    grid = _grid(fit, image) if fit.model.network.latent_dim == 2 else None
    if grid is not None:
        terms, how = grid.identity, "Sums over a grid of the plane: no Monte Carlo noise."
    else:
        terms = remembered(fit, ("identity", image.tobytes()), lambda: fit.identity(image, NUM_SAMPLES))
        how = f"log p(x) from {NUM_SAMPLES:,} importance samples, ± {terms.log_evidence_error:.2f}."
    fig = figures_bounds.identity_bars(terms.reconstruction, terms.kl, terms.gap, theme=screen.theme)
    says = (
        f"The bound of this {setting[DIGIT]} is {nats(terms.elbo)} nats, {terms.gap:.1f} below log p(x), because the "
        "encoder's Gaussian is not its exact posterior."
    )
    alt = (
        f"log p(x) {nats(terms.log_evidence)} = reconstruction {nats(terms.reconstruction)} − KL {nats(terms.kl)} + "
        f"gap {nats(terms.gap)}, in nats."
    )
    bars = Figure("identity", fig, alt)
    pixels = image.reshape(1, *run.shape)
    sheet = Sheet(pixels, 1, f"The image: a held-out {setting[DIGIT]}.", scale_of(run.shape, LARGE))
    beside: list[list[Part]] = [] if grid is None else [[_posterior(screen, fit, image, grid)]]
    told = f"{how} Training raises the ELBO by raising log p(x) or by closing this gap."
    widths = (3.4, 1) if grid is None else (2.2, 1.6, 0.8)
    return [Says(says), Columns([[bars], *beside, [sheet]], widths), Words(told)]


def _grid(fit: GenerativeFit, image: Array) -> PosteriorGrid:
    return remembered(fit, ("grid", image.tobytes()), lambda: fit.posterior_grid(image))


def _posterior(screen: Screen, fit: GenerativeFit, image: Array, grid: PosteriorGrid) -> Figure:
    mean, std = (values[0] for values in fit.encode(image))
    fig = figures_bounds.posterior_contours(
        grid.first, grid.second, grid.posterior, mean, std, theme=screen.theme, height=360
    )
    return Figure("posterior", fig, "Exact posterior of the code and the encoder's Gaussian.")


# Tighter bounds -------------------------------------------------------------------------------------------------------


def tighter_bounds(setting: Setting, screen: Screen, run: Run) -> list[Part]:
    """Plug-in value, Monte Carlo ELBO and importance-weighted bounds: of held-out images, and of one of them."""
    chosen = int(setting[NUM_CODES])
    curve = _curve_of_one(setting, run)
    at_k = float(curve.bound[COUNTS.index(chosen)])
    gain = at_k - float(curve.bound[0])
    says = (
        f"With K = {chosen} codes the bound of this {setting[DIGIT]} is {nats(at_k)} nats, "
        f"{abs(gain):.1f} {'above' if gain >= 0 else 'below'} the ELBO, and still a bound."
    )
    left: list[Part] = [Words("**Mean of held-out images**", "markdown"), _mean_bounds(screen, run, chosen)]
    right: list[Part] = [Words("**This image**", "markdown"), *_bounds_of_one(setting, screen, run, chosen)]
    return [Says(says), _choice(setting, run, NUM_CODES), Columns([left, right])]


def _curve_of_one(setting: Setting, run: Run) -> ImportanceCurve:
    """The bound of one image at every K, from codes drawn now."""
    image = image_of(setting, run)
    work = partial(run.fit.importance_curve, image, COUNTS, num_draws=NUM_SAMPLES)
    return remembered(run.fit, ("curve", image.tobytes()), work)


def _mean_bounds(screen: Screen, run: Run, chosen: int) -> Part:
    """Means over held-out images, shipped or computed."""
    fit, images = run.fit, run.dataset.x_test[:FEW]
    is_shipped = "bound_importance" in run.extra
    need = Need(
        ("bounds", fit.config, fit.num_steps_done),
        shipped=(lambda: shipped_bounds(run)) if is_shipped else None,
        work=lambda look, cancel: computed_bounds(fit, images),
        name="bounds",
        kind="bounds",
        tell=lambda job: (0.0, "Computing importance weights …"),
    )
    which = "500 held-out images, or as many as there are" if is_shipped else f"{FEW} held-out images"
    return Obtained(need, lambda found: _mean_curve(screen, found, chosen, which))


def shipped_bounds(run: Run) -> MeanBounds:
    """The bounds that are stored beside a shipped VAE."""
    elbo, plug_in = (float(np.ravel(run.extra[name])[0]) for name in ("bound_elbo", "bound_plug_in"))
    return MeanBounds(run.extra["bound_samples"].astype(int), run.extra["bound_importance"], elbo, plug_in)


def computed_bounds(fit: GenerativeFit, images: Array) -> MeanBounds:
    """The bounds of some images (N, D)."""
    weighted = np.array([fit.elbo(images, count, importance=True).mean() for count in BOUND_SAMPLES])
    elbo, plug_in = float(fit.elbo(images, 50).mean()), float(fit.plug_in(images).mean())
    return MeanBounds(np.array(BOUND_SAMPLES), weighted, elbo, plug_in)


def _mean_curve(screen: Screen, found: MeanBounds, chosen: int, which: str) -> list[Part]:
    samples, importance, elbo, plug_in = found
    fig = figures_bounds.bounds_against_samples(samples, importance, elbo, plug_in, chosen=chosen, theme=screen.theme)
    alt = f"ELBO {nats(elbo)}, importance-weighted bound up to {nats(importance[-1])}, plug-in {nats(plug_in)} nats."
    gain = figures_bounds.bound_at(samples, importance, chosen) - elbo
    side = "above" if plug_in >= elbo else "below"
    told = (
        f"Means over {which}. With K = {chosen} codes the bound is {gain:.1f} nats above the ELBO, and still a bound. "
        f"The plug-in value log p(x|μ) − KL is {abs(plug_in - elbo):.1f} nats {side} the ELBO: it evaluates the "
        "decoder only at the mean of q(z|x). It is no bound, though it is often printed as one."
    )
    return [Figure("bounds", fig, alt), Words(told)]


def _bounds_of_one(setting: Setting, screen: Screen, run: Run, chosen: int) -> list[Part]:
    """The bound of one image at every K; in a plane of codes beside log p(x) itself."""
    fit, image, curve = run.fit, image_of(setting, run), _curve_of_one(setting, run)
    truth = _grid(fit, image).log_evidence if fit.model.network.latent_dim == 2 else None
    fig = figures_bounds.bounds_against_samples(
        curve.num_samples,
        curve.bound,
        float(curve.bound[0]),
        curve.plug_in,
        error=curve.error,
        truth=truth,
        chosen=chosen,
        theme=screen.theme,
    )
    at_k, error = (float(values[COUNTS.index(chosen)]) for values in (curve.bound, curve.error))
    alt = (
        f"One image: ELBO {nats(curve.bound[0])}, bound with K = {chosen} codes {nats(at_k)}, plug-in "
        f"{nats(curve.plug_in)}."
    )
    known = "" if truth is None else f" log p(x), summed over the plane, is {nats(truth)}."
    told = (
        f"{NUM_SAMPLES:,} codes of this image, in groups of K: {nats(at_k)} ± {error:.2f} nats at K = {chosen} "
        f"(standard error; bars show two).{known}"
    )
    return [Figure("bounds_of_one", fig, alt), Words(told)]


def two_posteriors(screen: Screen) -> list[Part]:
    """One posterior for every image, beside one for all weights."""
    fig = figures_posteriors.two_posteriors(theme=screen.theme, stacked=screen.is_narrow)
    alt = "Two graphical models: in a VAE the code is inside the plate over images, in a Bayesian network W is outside."
    told = (
        "Blue: inference, the variational parameters φ and what they determine. A VAE's encoder is **amortised**: one "
        "network gives every image its own q(z|x), and each image has its own KL term. A Bayesian network has **one** "
        "q(W) for all data: it has one KL term, whatever N is, which counts 1/N per data point. The bound has the same "
        "form; only the plate differs."
    )
    says = Says("A VAE has one approximate posterior for each image, a Bayesian network one for all of its weights.")
    return [says, Figure("two_posteriors", fig, alt), Words(told, "markdown")]
