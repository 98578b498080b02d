"""A plain autoencoder beside a VAE: their planes of codes, and what each of them decodes."""

from __future__ import annotations

import numpy as np

from bdlviz import plots
from bdlviz.methods import autoencoder, vae
from bdlviz.plots.images import LARGE
from bdlviz.predictive import latent
from bdlviz.topics.generative.autoencoder import figures
from bdlviz.topics.shared import autoencoders, seeds, study_seeds
from bdlviz.topics.shared.autoencoders import IMAGES, PART, Autoencoder
from bdlviz.topics.shared.views_planes_only import planes_only
from bdlviz.types import Array
from bdlviz.ui.model import Chooser, Columns, Field, Figure, Need, Numbers, Part, Result, Screen, Setting, Words

NUM_STEPS = 16  # decoded digits along each side of a plane
NUM_SHOWN, NUM_RECONSTRUCTED = 40, 12
PLAIN, VAE = "Plain autoencoder", "VAE"
ROW_NAMES = {PLAIN: "autoencoder", VAE: "VAE"}
Models = dict[str, Autoencoder]


def needed(setting: Setting) -> Need[Models]:
    """Both shipped models, by name."""
    models = (("autoencoder", "2d"), ("vae", "2d"))
    return autoencoders.needed_together(
        setting[IMAGES], *models, read=lambda found: dict(zip((PLAIN, VAE), found, strict=True))
    )


def two_planes(setting: Setting, screen: Screen, models: Models) -> Result:
    """The planes of codes of both models, decoded, with the codes of the images on top."""
    return Result(
        [_picture(setting[PART], screen, models), *_numbers(models), planes_only()],
        formulas=(vae.negative_elbo, latent.draw_codes),
        code=(autoencoder.build, vae.negative_elbo, latent.draw_codes, plots.manifold),
        call=autoencoders.snippet(
            models[PLAIN].fit, "codes, _ = fit.encode(data.x)", "images = fit.sample(40, like=codes)"
        ),
        tabs={
            "Samples": lambda: samples(models),
            "Reconstructions": lambda: reconstructions(models),
            "Interpolation": lambda: [interpolation(models)],
            "Family tree": lambda: family_tree(screen),
        },
    )


def _heading(name: str) -> Words:
    return Words(f"**{name}**", "markdown")


def _picture(part: str, screen: Screen, models: Models) -> Figure:
    """Both planes with the codes of a part, and below them its first images with their reconstructions."""
    count = 10 if screen.is_narrow else 20
    rows = {"image": models[VAE].originals(part)[:count]}
    rows |= {ROW_NAMES[name]: model.decode(model.mean(part)[:count]) for name, model in models.items()}
    planes = [_plane(name, model, part) for name, model in models.items()]
    fig = figures.planes_and_rows(
        (planes[0], planes[1]),
        rows,
        theme=screen.theme,
        stacked=screen.is_narrow,
        height=screen.by_width(560, 860),
    )
    reaches = [f"{each.name} z₁ from {each.extent[0]:.1f} to {each.extent[1]:.1f}" for each in planes]
    alt = f"Decoded digits, {len(planes[0].codes)} codes on top: {', '.join(reaches)}. Below: {count} reconstructions."
    return Figure("planes", fig, alt)


def _plane(name: str, model: Autoencoder, part: str) -> figures.Plane:
    mean = model.mean(part)
    extent, codes = covering_grid(mean)
    return figures.Plane(name, model.decode(codes), extent, mean, model.labels(part))


def covering_grid(mean: Array) -> tuple[tuple[float, float, float, float], Array]:
    """An even grid over all codes (N, 2): its extent, and its codes row by row from the top left."""
    left, bottom = (float(value) for value in np.quantile(mean, 0.002, axis=0))
    right, top = (float(value) for value in np.quantile(mean, 0.998, axis=0))
    first, second = np.linspace(left, right, NUM_STEPS), np.linspace(top, bottom, NUM_STEPS)
    codes = np.stack([grid.ravel() for grid in np.meshgrid(first, second)], axis=1).astype(np.float32)
    return (left, right, bottom, top), codes


def _numbers(models: Models) -> list[Part]:
    """The log-likelihood of held-out images, and the standard deviation of each coordinate of the codes."""
    found: list[tuple[str, str, str]] = []
    told = "Mean of log p(x|z) of held-out images at the last epoch (the VAE's over draws of its codes)."
    for name, model in models.items():
        short = name.removesuffix(" autoencoder")
        log_likelihood = float(model.extra["test_reconstruction"][-1])
        found.append((f"{short}: log p(x|z) (nats)", f"{log_likelihood:.0f}".replace("-", "−"), told))
        spread = " · ".join(f"{each:.2f}" for each in model.mean("train").std(0, dtype=float))
        found.append((f"{short}: sd of codes", spread, "Of each coordinate; the prior N(0, I) has 1 in both."))
    return [Numbers(found), *_other_seeds(models[VAE].images)]


def _other_seeds(images: str) -> list[Part]:
    """The standard deviation of all coordinates together with other training seeds, where it is shipped."""
    found = seeds.study(study_seeds.GENERATIVE)
    if (name := f"codes_std_{images}") not in found:
        return seeds.problem(study_seeds.GENERATIVE)
    plain, ours = (seeds.told(found[name][:, column], ".2f") for column in range(2))
    told = (
        f"the sd of both coordinates of the codes together, the distance of their means included, is {plain} without "
        f"the KL term, {ours} in the VAE"
    )
    return [Words(seeds.sentence(len(found[name]), told))]


# Tabs -----------------------------------------------------------------------------------------------------------------


def samples(models: Models) -> list[Part]:
    """Samples from the prior, and from a Gaussian fitted to the codes, which a plain autoencoder needs."""
    parts: list[Part] = []
    for name, model in models.items():
        ways = {"z from N(0, I)": None, "z from a Gaussian fitted to its codes": model.mean("train")}
        sheets = [
            model.sheet(
                model.fit.sample(NUM_SHOWN, like=like), 10, told, f"{name}: {NUM_SHOWN} decoded digits, {told}."
            )
            for told, like in ways.items()
        ]
        parts += [_heading(name), Columns(sheets, gap="large")]
    return parts


def reconstructions(models: Models) -> list[Part]:
    """Held-out images, and their reconstruction by each model."""
    first, count = models[VAE], NUM_RECONSTRUCTED
    rows = {"Held-out images": first.originals("test")[:count]}
    rows |= {name: model.decode(model.mean("test")[:count]) for name, model in models.items()}
    told = ", ".join(map(str, first.labels("test")[:count]))
    sheets = (
        first.sheet(images, count, name, f"{name}: twelve digits, labelled {told}.", LARGE // 2)
        for name, images in rows.items()
    )
    return [part for sheet in sheets for part in sheet]


def interpolation(models: Models) -> Chooser:
    """The straight line from one image's code to another's, decoded by each model."""
    fields = (Field("walk_from", "From a", range(10), 3), Field("walk_to", "to a", range(10), 8))
    return Chooser(fields, lambda start, end: _between(models, start, end))


def _between(models: Models, start: int, end: int) -> list[Part]:
    ends = [models[VAE].first_of_class(digit) for digit in (start, end)]
    parts: list[Part] = []
    for name, model in models.items():
        first, last = model.mean("test")[ends]
        images = model.decode(latent.interpolate(first, last, NUM_RECONSTRUCTED))
        alt = f"{name}: twelve steps on the straight line from the code of a {start} to that of a {end}."
        parts += model.sheet(images, NUM_RECONSTRUCTED, name, alt, LARGE // 2)
    return parts


def family_tree(screen: Screen) -> list[Part]:
    """Where a VAE stands among generative models."""
    alt = "Tree of generative models: explicit density (tractable, approximate: VAE) and implicit density (GAN)."
    return [
        Figure("taxonomy", figures.taxonomy(theme=screen.theme), alt),
        Words(
            "A VAE has an **explicit** density that is known **approximately**: through a lower bound. "
            "A plain autoencoder is not in this tree: it has no density at all. "
            "The page *VAE* shows the bound; *log p(x)* under *Other pictures* there shows the gap between the two.",
            "markdown",
        ),
    ]
