"""A plain autoencoder beside a VAE: their planes of codes, and what each of them decodes."""

from __future__ import annotations

import math

import numpy as np

from bdlviz import plots
from bdlviz.digits import number, percent
from bdlviz.methods import autoencoder, vae
from bdlviz.plots.images import LARGE
from bdlviz.predictive import latent
from bdlviz.topics.generative.autoencoder import figures
from bdlviz.topics.generative.autoencoder.controls import ONE, SCALE
from bdlviz.topics.generative.autoencoder.figures import PRIOR_SD
from bdlviz.topics.generative.autoencoder.study import from_prior
from bdlviz.topics.shared import autoencoders, seeds, study_seeds
from bdlviz.topics.shared.autoencoders import IMAGES, PART, Autoencoder
from bdlviz.topics.shared.views_planes_only import planes_only
from bdlviz.types import Array
from bdlviz.ui.model import (
    Chooser,
    Columns,
    Field,
    Figure,
    Formula,
    Need,
    Numbers,
    Part,
    Result,
    Says,
    Screen,
    Setting,
    Tab,
    Words,
)

NUM_STEPS = 16  # decoded digits along each side of a plane
NUM_SHOWN, NUM_STEPS_BETWEEN = 40, 12
PLAIN, VAE = "Plain autoencoder", "VAE"
ROW_NAMES = {PLAIN: "autoencoder", VAE: "VAE"}
Models = dict[str, Autoencoder]
BETWEEN = "Each row decodes the straight line from one code to the other: where it leaves the codes, there is no digit."
LOSS = Formula(
    vae.negative_elbo,
    "The VAE's loss. The plain autoencoder has only its first term, at the code itself, without noise.",
    {
        r"\mu_i, \sigma_i": "mean and standard deviation of the code of image i, 2 numbers each",
        r"\beta": "weight of the KL term, 1 here; it keeps codes near the prior N(0, I)",
        r"\epsilon_i": "draw from N(0, I)",
    },
)
CODES = Formula(
    latent.draw_codes,
    "Codes for new images: from the prior, or from a Gaussian fitted to the codes of images.",
    {r"m, \operatorname{Cov}": "mean and covariance of the codes", r"\epsilon": "draw from N(0, I)"},
)


def needed(setting: Setting) -> Need[Models]:
    """Both shipped models of the chosen images, by name."""
    return needed_of(setting[IMAGES])


def needed_of(images: str) -> Need[Models]:
    """Both shipped models of some images, by name."""
    models = (("autoencoder", "2d"), ("vae", "2d"))
    return autoencoders.needed_together(images, *models, read=lambda found: dict(zip((PLAIN, VAE), found, strict=True)))


def two_planes(setting: Setting, screen: Screen, models: Models) -> Result:
    """The codes of both models: on one scale with the prior, or each on its own decoded plane."""
    part, on_one = setting[PART], setting[SCALE] == ONE
    says = Says(beside_the_prior(models, part) if on_one else spreads(models, part))
    picture = _picture(part, screen, models, on_one)
    return Result(
        [says, picture, *_numbers(models, part), planes_only()],
        formulas=(LOSS, CODES),
        code=(autoencoder.build, vae.negative_elbo, latent.draw_codes, plots.manifold),
        call=autoencoders.snippet(
            models[PLAIN].fit, "codes, _ = fit.encode(data.x)", "images = fit.sample(40, like=codes)"
        ),
        tabs=tabs(models, screen),
    )


def tabs(models: Models, screen: Screen) -> dict[str, Tab]:
    """Further pictures of both models."""
    return {
        "Samples": lambda: samples(models),
        "Interpolation": lambda: [Says(BETWEEN), interpolation(models)],
        "Family tree": lambda: family_tree(screen),
    }


def share_inside(codes: Array) -> float:
    """The share of codes (N, 2) in the circle of the prior."""
    return float((np.linalg.norm(codes, axis=1) <= PRIOR_SD).mean())


def beside_the_prior(models: Models, part: str) -> str:
    """How many codes of both models lie where the prior has most of its mass."""
    plain, ours = (percent(share_inside(each.mean(part))) for each in models.values())
    usual = percent(1 - math.exp(-(PRIOR_SD**2) / 2))
    return (
        f"In the circle of the prior, {PRIOR_SD} sd, lie {usual} of its own draws, {ours} of the VAE's codes and "
        f"{plain} of the autoencoder's."
    )


def spreads(models: Models, part: str) -> str:
    """The standard deviations of both coordinates of the codes of both models."""
    plain, ours = (" and ".join(map(number, each.mean(part).std(0, dtype=float))) for each in models.values())
    return f"The VAE's codes have sds of {ours}, the prior has 1 in both coordinates; the autoencoder's have {plain}."


def _picture(part: str, screen: Screen, models: Models, on_one: bool) -> Figure:
    """Both planes with the codes of a part. Below them new images from the prior, or images and reconstructions."""
    count = 10 if screen.is_narrow else 20
    if on_one:
        rows = {
            f"new images of the {ROW_NAMES[name]}": model.decode(from_prior(count)) for name, model in models.items()
        }
        clouds, labels = [model.mean(part) for model in models.values()], models[VAE].labels(part)
        extent, near = figures.common_extent(clouds), figures.common_extent(clouds[1:])
        planes = [figures.Plane(name, None, extent, codes, labels) for name, codes in zip(models, clouds, strict=True)]
        planes.append(figures.Plane(f"{VAE}, enlarged", None, near, clouds[1], labels))
        below = f"{count} images of each from the prior"
    else:
        rows = {"image": models[VAE].originals(part)[:count]}
        rows |= {ROW_NAMES[name]: model.decode(model.mean(part)[:count]) for name, model in models.items()}
        planes = [_plane(name, model, part) for name, model in models.items()]
        below = f"{count} reconstructions"
    fig = figures.planes_and_rows(
        planes,
        rows,
        theme=screen.theme,
        stacked=screen.is_narrow,
        height=screen.by_width(560, 1220 if on_one else 860),
    )
    reaches = [f"{each.name} z₁ from {each.codes[:, 0].min():.1f} to {each.codes[:, 0].max():.1f}" for each in planes]
    alt = f"{len(planes[0].codes)} codes of each model: {', '.join(reaches)}. Below: {below}."
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


def _numbers(models: Models, part: str) -> list[Part]:
    """The log-likelihood of held-out images, and the standard deviation of each coordinate of the codes."""
    found: list[tuple[str, str, str]] = []
    told = "Mean of log p(x|z) of held-out images at the last epoch (the VAE's over draws of its codes)."
    for name, model in models.items():
        short = name.removesuffix(" autoencoder")
        log_likelihood = float(model.extra["test_reconstruction"][-1])
        found.append((f"{short}: held-out log p(x|z)", f"{log_likelihood:.0f}".replace("-", "−"), f"{told} In nats."))
        spread = " · ".join(f"{each:.2f}" for each in model.mean(part).std(0, dtype=float))
        told_of = f"Of each coordinate, {PART.name(part)} images; the prior N(0, I) has 1 in both."
        found.append((f"{short}: sd of codes", spread, told_of))
    return [Numbers(found), *_other_seeds(models[VAE].images)]


def _other_seeds(images: str) -> list[Part]:
    """The standard deviation of all coordinates together with other training seeds, where it is shipped."""
    found = seeds.study(study_seeds.GENERATIVE)
    if (name := f"codes_std_{images}") not in found:
        return seeds.problem(study_seeds.GENERATIVE)
    plain, ours = (seeds.told(found[name][:, column], ".2f") for column in range(2))
    told = (
        f"the sd of both coordinates of training codes together, the distance of their means included, is {plain} "
        f"without the KL term, {ours} in the VAE"
    )
    return [Words(seeds.sentence(len(found[name]), told))]


# Tabs -----------------------------------------------------------------------------------------------------------------


def samples(models: Models) -> list[Part]:
    """Samples from the prior, and from a Gaussian fitted to the codes, which a plain autoencoder needs."""
    plain, ours = (float(np.linalg.norm(each.mean("train"), axis=1).min()) for each in models.values())
    parts: list[Part] = [
        Says(
            f"The autoencoder's code nearest to the prior's middle is {number(plain)} away, the VAE's {number(ours)}: "
            "only the VAE was trained near it."
        )
    ]
    for name, model in models.items():
        ways = {"z from N(0, I)": None, "z from a Gaussian fitted to its codes": model.mean("train")}
        sheets = [
            model.sheet(
                model.fit.sample(NUM_SHOWN, like=like), 10, told, f"{name}: {NUM_SHOWN} decoded digits, {told}."
            )
            for told, like in ways.items()
        ]
        parts += [Words(f"**{name}**", "markdown"), Columns(sheets, gap="large")]
    return parts


def interpolation(models: Models) -> Chooser:
    """The straight line from one image's code to another's, decoded by each model."""
    fields = (Field("walk_from", "From a", range(10), 3), Field("walk_to", "to a", range(10), 8))
    return Chooser(fields, lambda start, end: _between(models, start, end))


def _between(models: Models, start: int, end: int) -> list[Part]:
    ends = [models[VAE].first_of_class(digit) for digit in (start, end)]
    parts: list[Part] = []
    for name, model in models.items():
        first, last = model.mean("test")[ends]
        images = model.decode(latent.interpolate(first, last, NUM_STEPS_BETWEEN))
        alt = f"{name}: twelve steps on the straight line from the code of a {start} to that of a {end}."
        parts += model.sheet(images, NUM_STEPS_BETWEEN, name, alt, LARGE // 2)
    return parts


def family_tree(screen: Screen) -> list[Part]:
    """Where a VAE stands among generative models."""
    alt = "Tree of generative models: explicit density (tractable, approximate: VAE) and implicit density (GAN)."
    return [
        Says("A VAE knows the density of images approximately, by a bound; a plain autoencoder has no density at all."),
        Figure("taxonomy", figures.taxonomy(theme=screen.theme), alt),
        Words(
            "A plain autoencoder is not in this tree. The page *VAE* shows the bound; *The gap to log p(x)* there "
            "shows how far it is from the density.",
            "markdown",
        ),
    ]
