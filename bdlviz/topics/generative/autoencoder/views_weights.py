"""From an autoencoder to a VAE: the codes of shipped VAEs without a KL term, and with a chosen weight of it."""

from __future__ import annotations

from functools import partial
from typing import cast

import numpy as np

from bdlviz.digits import number, percent
from bdlviz.fits import Fit, GenerativeFit
from bdlviz.methods.vae import BETA
from bdlviz.predictive import latent
from bdlviz.topics.generative.autoencoder import figures
from bdlviz.topics.generative.autoencoder.figures import PRIOR_SD, Plane
from bdlviz.topics.shared import autoencoders
from bdlviz.types import Array
from bdlviz.ui.jobs.obtain import known
from bdlviz.ui.jobs.shipped import SHAPES, shipped_need
from bdlviz.ui.model import Chooser, Field, Figure, Obtained, Part, Says, Screen, Words

DIGITS = "digits"
FREE = "no KL term"
Study = tuple[Fit, dict[str, Array]]  # VAEs of the 8x8 digits with every weight, and the KL of their code dimensions


def weights(part: str, screen: Screen) -> list[Part]:
    """The codes of a part without a KL term and with a weight of it, on one scale with the prior."""
    need = shipped_need("betas_digits", read=lambda found: found[0], name="betas")
    study, field = known(need), Field("ae_beta", BETA.label, BETA.values, BETA.default)
    says = "The KL term moves the codes to the prior." if study is None else from_free_to_usual(study, part)
    return [Says(says), Obtained(need, lambda found: [Chooser((field,), partial(_beside, found, part, screen))])]


def from_free_to_usual(study: Study, part: str) -> str:
    """How many codes lie where the prior has most of its mass, without a KL term and with the weight of the bound."""
    free, usual = (percent(_share_inside(codes_of(study, part, beta))) for beta in (0.0, 1.0))
    return (
        f"Without a KL term {free} of the codes of small digits lie within {PRIOR_SD} sd of the prior; with β = 1 "
        f"it is {usual}."
    )


def codes_of(study: Study, part: str, beta: float) -> Array:
    """Means of the codes, (N, 2), in the two coordinates with the largest KL term."""
    grid, extra = study
    largest = np.argsort(-extra["kl_per_dimension"][BETA.values.index(beta)])[:2]
    data = autoencoders.dataset(DIGITS)
    return _model(grid, beta).encode(data.x if part == "train" else data.x_test)[0][:, largest]


def _model(grid: Fit, beta: float) -> GenerativeFit:
    return cast(GenerativeFit, grid.cell(beta=beta))


def _share_inside(codes: Array) -> float:
    return float((np.linalg.norm(codes, axis=1) <= PRIOR_SD).mean())


def _beside(study: Study, part: str, screen: Screen, beta: float) -> list[Part]:
    """Two planes of codes, and what both decoders make of the same draws of the prior."""
    data, count = autoencoders.dataset(DIGITS), 10 if screen.is_narrow else 20
    labels = (data.y if part == "train" else data.y_test).astype(int)
    clouds = {FREE: codes_of(study, part, 0.0), f"β = {number(beta)}": codes_of(study, part, beta)}
    extent = figures.common_extent([*clouds.values()])
    free, chosen = (Plane(name, None, extent, codes, labels) for name, codes in clouds.items())
    models = [_model(study[0], each) for each in (0.0, beta)]
    new = latent.draw_codes(count, models[0].model.network.latent_dim, np.random.Generator(np.random.SFC64(0)))
    rows = {
        f"{name}, new": model.decode(new).reshape(-1, *SHAPES[DIGITS])
        for name, model in zip(clouds, models, strict=True)
    }
    fig = figures.planes_and_rows(
        (free, chosen), rows, theme=screen.theme, stacked=screen.is_narrow, height=screen.by_width(480, 860)
    )
    inside = percent(_share_inside(chosen.codes))
    alt = (
        f"{len(labels)} codes of each model on one scale; with {chosen.name}, {inside} lie within {PRIOR_SD} sd of "
        f"the prior. Below: {count} images of each from the prior."
    )
    told = (
        f"With {chosen.name}, {inside} are within the circle. Each cloud has the two coordinates with the largest KL "
        f"term, of {new.shape[1]}: these VAEs of the 8×8 digits have more code dimensions and smaller networks than "
        "the models of the other pictures."
    )
    return [Figure("weights", fig, alt), Words(told)]
