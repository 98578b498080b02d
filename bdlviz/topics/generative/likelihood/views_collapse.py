"""The tab *Posterior collapse*: the KL term of every code dimension as its weight grows."""

from __future__ import annotations

from typing import cast

from bdlviz.fits import Fit, GenerativeFit
from bdlviz.predictive.latent import COLLAPSED
from bdlviz.topics.generative.likelihood import figures
from bdlviz.topics.generative.likelihood.controls import WEIGHT
from bdlviz.topics.generative.likelihood.sheets import titled_sheet
from bdlviz.topics.generative.likelihood.study import NUM_SHOWN
from bdlviz.types import Array
from bdlviz.ui.jobs.shipped import shipped_need
from bdlviz.ui.model import Columns, Figure, Obtained, Part, Screen, Setting, Words


def collapse(setting: Setting, screen: Screen) -> Obtained:
    """The tab, once the VAEs of all weights are there."""
    need = shipped_need("betas_digits", read=lambda found: found[0], name="collapse")
    return Obtained(need, lambda found: collapse_at(setting, screen, *found))


def collapse_at(setting: Setting, screen: Screen, grid: Fit, extra: dict[str, Array]) -> list[Part]:
    """KL of all dimensions against the weight, and the pictures at one weight."""
    chosen, kl = WEIGHT.options.index(setting[WEIGHT]), extra["kl_per_dimension"]
    used = (kl > COLLAPSED).sum(1)
    fig = figures.collapse_by_weight(WEIGHT.options, kl, chosen=chosen, theme=screen.theme)
    alt = f"KL of {kl.shape[1]} code dimensions; {used[0]} in use at the smallest β, {used[-1]} at the largest."
    cell = cast(GenerativeFit, grid.cell(beta=setting.number(WEIGHT)))
    pictures = [
        titled_sheet(cell.decode(extra["test_codes"][chosen]), "Reconstructed", ""),
        titled_sheet(cell.sample(NUM_SHOWN), "New, from the prior", ""),
    ]
    at_weight = (
        f"β = {setting[WEIGHT]}: {used[chosen]} of {kl.shape[1]} dimensions in use, "
        f"KL {kl[chosen].sum():.1f} nats, error {255 * float(extra['rmse'][chosen]):.0f} of 255."
    )
    told = (
        "8×8 digits, held out; one line for each rank of the dimensions by their KL. With a small β reconstructions "
        "are sharp, and the prior hardly ever draws the codes of images, so new images show no digits. With β = 1 the "
        "objective is the bound. With a large β one dimension after the other costs more KL than it improves the "
        "reconstruction; its posterior becomes the prior, and in the end every reconstruction is the average image."
    )
    left: list[Part] = [Figure("collapse", fig, alt)]
    right: list[Part] = [Columns(pictures, gap="small"), Words(at_weight)]
    return [WEIGHT, Columns([left, right], (1.6, 1), gap="large"), Words(told, "markdown")]
