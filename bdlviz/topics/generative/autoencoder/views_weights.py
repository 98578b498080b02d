"""From an autoencoder to a VAE: codes and new images of shipped models with a chosen weight of the KL term."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bdlviz.digits import number, percent
from bdlviz.methods import autoencoder, vae
from bdlviz.predictive import latent
from bdlviz.topics.generative.autoencoder import figures, study, views
from bdlviz.topics.generative.autoencoder.controls import WEIGHT
from bdlviz.topics.generative.autoencoder.figures import Plane
from bdlviz.topics.shared.autoencoders import PART
from bdlviz.topics.shared.calls import load_snippet
from bdlviz.topics.shared.views_planes_only import planes_only
from bdlviz.types import Array
from bdlviz.ui.jobs.shipped import SHAPES, shipped_need
from bdlviz.ui.model import Figure, Need, Result, Says, Screen, Setting

IMAGES = "mnist"
NUM_SHOWN = 9  # new codes and images


def needed(setting: Setting) -> Sequence[Need[Any]]:
    """The arrays of all weights (see the study), and both models of the further pictures."""
    return [shipped_need(study.BETWEEN, read=lambda found: found[0][1], name="weights"), views.needed_of(IMAGES)]


def weights(setting: Setting, screen: Screen, found: tuple[Mapping[str, Array], views.Models]) -> Result:
    """The codes of a part at one weight with the circle of the prior, and images decoded from draws of the prior."""
    arrays, models = found
    at, part, weight = WEIGHT.options.index(setting[WEIGHT]), setting[PART], setting.number(WEIGHT)
    codes, labels = arrays[f"{part}_codes"][at].astype(np.float32), arrays[f"{part}_labels"].astype(int)
    new, inside = study.from_prior(study.NUM_NEW)[:NUM_SHOWN], percent(views.share_inside(codes))
    expected = percent(1 - math.exp(-(figures.PRIOR_SD**2) / 2))
    lie = f"{inside} of the codes of images lie in the circle"
    says = f"With weight β = {number(weight)}, {lie}, where {expected} of new codes fall."
    extent = figures.common_extent([*arrays[f"{part}_codes"].astype(np.float32)])  # of all weights: the cloud shrinks
    fig = figures.codes_and_new_images(
        Plane(f"Codes of {len(labels):,} images, by digit", None, extent, codes, labels),
        new,
        arrays["new_images"][at][:NUM_SHOWN].reshape(-1, *SHAPES[IMAGES]) / 255,
        f"in the circle: {inside} of the codes of images",
        theme=screen.theme,
        stacked=screen.is_narrow,
        height=screen.by_width(460, 1080),
    )
    alt = (
        f"{len(labels)} codes, z₁ from {codes[:, 0].min():.1f} to {codes[:, 0].max():.1f}; {inside} in the circle of "
        f"the prior. {NUM_SHOWN} new codes with their decoded images."
    )
    return Result(
        [Says(says), Figure("weights", fig, alt), planes_only()],
        formulas=(views.LOSS, views.CODES),
        code=(autoencoder.build, vae.negative_elbo, latent.draw_codes, study.autoencoder_to_vae),
        call=_call(weight, part),
        tabs=views.tabs(models, screen),
    )


def _call(weight: float, part: str) -> str:
    """Python that trains the model of a weight, and gives its codes of a part and its new images."""
    model = f'"vae", data, latent_dim=2, beta={weight:g}' if weight else '"autoencoder", data, latent_dim=2'
    return "\n".join(
        [
            "import bdlviz",
            "import numpy as np",
            "from bdlviz.predictive import latent",
            "",
            load_snippet("mnist-1000"),
            f"fit = bdlviz.fit({model})",
            f"codes, _ = fit.encode(data.{'x' if part == 'train' else 'x_test'})",
            f"new = latent.draw_codes({study.NUM_NEW}, 2, np.random.Generator(np.random.SFC64(0)))",
            "images = fit.decode(new)",
        ]
    )
