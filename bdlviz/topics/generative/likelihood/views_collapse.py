"""Posterior collapse: the KL term of every code dimension as its weight grows."""

from __future__ import annotations

from typing import Any, cast

from bdlviz.digits import number
from bdlviz.fits import Fit, GenerativeFit
from bdlviz.methods import vae
from bdlviz.plots.images import scale_of
from bdlviz.predictive import latent
from bdlviz.predictive.latent import COLLAPSED
from bdlviz.topics.generative.likelihood import figures
from bdlviz.topics.generative.likelihood.controls import WEIGHT
from bdlviz.topics.generative.likelihood.study import NUM_SHOWN
from bdlviz.topics.shared import autoencoders
from bdlviz.types import Array
from bdlviz.ui.jobs.shipped import shipped_need
from bdlviz.ui.model import Columns, Figure, Formula, Need, Part, Result, Says, Screen, Setting, Sheet, Words

LOSS = Formula(
    vae.negative_elbo, "The loss; only β = 1 gives the bound.", {r"\beta": "weight of the KL term", "B": "images"}
)
KL = Formula(
    latent.kl_per_dimension,
    "What one dimension of a code costs, in nats; 0 where its posterior is the prior.",
    {r"\mu_j, \sigma_j": "mean and standard deviation of coordinate j of a code"},
)


def needed(setting: Setting) -> Need[Any]:
    """The VAEs of all weights, and what is stored beside them."""
    return shipped_need("betas_digits", read=lambda found: found[0], name="collapse")


def collapse(setting: Setting, screen: Screen, study: tuple[Fit, dict[str, Array]]) -> Result:
    """KL of all dimensions against the weight, and the pictures at one weight."""
    grid, extra = study
    chosen, kl = WEIGHT.options.index(setting[WEIGHT]), extra["kl_per_dimension"]
    used = (kl > COLLAPSED).sum(1)
    fig = figures.collapse_by_weight(WEIGHT.options, kl, chosen=chosen, theme=screen.theme)
    alt = f"KL of {kl.shape[1]} code dimensions; {used[0]} in use at the smallest β, {used[-1]} at the largest."
    cell = cast(GenerativeFit, grid.cell(beta=setting.number(WEIGHT)))
    drawn = {"Reconstructed": cell.decode(extra["test_codes"][chosen]), "New images": cell.sample(NUM_SHOWN)}
    shape = autoencoders.shape_of(cell)
    pictures: list[list[Part]] = [
        [
            Words(f"**{title}**", "markdown"),
            Sheet(images.reshape(-1, *shape), 5, f"{title}: {len(images)} digits.", scale_of(shape), "stretch"),
        ]
        for title, images in drawn.items()
    ]
    says = Says(
        f"At β = {setting[WEIGHT]}, {used[chosen]} of {kl.shape[1]} dimensions are in use; a code costs "
        f"{number(float(kl[chosen].sum()), 2)} nats, a pixel is off by {255 * float(extra['rmse'][chosen]):.0f} of 255."
    )
    told = (
        "8×8 digits, held out; one line for each rank of the dimensions by their KL. With a small β reconstructions "
        "are sharp, and the prior hardly ever draws the codes of images. With a large β one dimension after the other "
        "costs more KL than it improves the reconstruction, and its posterior becomes the prior."
    )
    left: list[Part] = [Figure("collapse", fig, alt)]
    right: list[Part] = [Columns(pictures, gap="small")]
    parts = [says, Columns([left, right], (1.6, 1), gap="large"), Words(told, "markdown")]
    code = (latent.kl_per_dimension, figures.collapse_by_weight)
    last = f"print(fit.bound(data.x_test, 20).kl_per_dimension.mean(0))  # β = {setting[WEIGHT]}"
    return Result(parts, formulas=(LOSS, KL), code=code, call=autoencoders.snippet(cell, last))
