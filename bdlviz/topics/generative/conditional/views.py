"""A conditional VAE: one style in every class, or the plane of styles of one class."""

from __future__ import annotations

from typing import Any

import numpy as np

from bdlviz import plots
from bdlviz.digits import nats, number, percent
from bdlviz.methods import conditional_vae
from bdlviz.predictive import bounds, latent
from bdlviz.topics.generative.conditional import style, views_tabs
from bdlviz.topics.generative.conditional.controls import ALL, CLASS, MOVED, OTHER
from bdlviz.topics.generative.conditional.views_tabs import Models
from bdlviz.topics.shared import autoencoders
from bdlviz.topics.shared.views_planes_only import planes_only
from bdlviz.types import Array
from bdlviz.ui.jobs.shipped import IMAGES
from bdlviz.ui.model import Figure, Formula, Need, Numbers, Part, Result, Says, Screen, Setting, Words

ROWS = 5
NEAR = 1.5  # reach of the plane of one class: farther out many classes have no codes
HALF = 0.44  # height of the line through a digit, from its middle, relative to the digit
ABOVE = 0.25  # room for words above a digit, relative to it
POOR = "Where no training image of a class has a code nearby, the picture is poor: for example, no 1 is wide."
BAYES = Formula(
    bounds.class_posterior,
    "The class of an image by Bayes' rule, with the bounds in place of log p(x|y) and equal p(y).",
    {r"\log p(x \mid y)": "log probability of the image in class y, in nats", "y": "class, 0 to 9"},
)
GIVEN = Formula(
    latent.given_class,
    "How the class enters: its row of weights is added to the first bias, in the encoder and in the decoder.",
    {"W_1, b_1": "first weights and biases", "e_y": "1 for class y, 0 for the others", "w_y": "row of class y"},
)
LOSS = Formula(
    conditional_vae.build,
    "The bound of a VAE in which encoder and decoder are given the class.",
    {r"q(z \mid x, y)": "distribution of the code given image and class", "p(z)": "prior N(0, I), for all classes"},
)


def shows_all(setting: Setting) -> bool:
    """True for one style in every class, False for the plane of styles of one class."""
    return setting[CLASS] == ALL


def needed(setting: Setting) -> Need[Models]:
    """The conditional VAE and the VAE beside it."""
    models = (("conditional_vae", "2d"), ("vae", "2d"))
    return autoencoders.needed_together(setting[IMAGES], *models, read=lambda found: Models(*found))


def classes(setting: Setting, screen: Screen, models: Models) -> Result:
    """One style in every class, or the plane of styles of one."""
    parts = _styles(setting, screen, models) if shows_all(setting) else _plane(setting, screen, models)
    return Result(
        [*parts, Words(POOR), _numbers(models), planes_only()],
        formulas=(LOSS, GIVEN, BAYES),
        code=(latent.given_class, style.lean, style.read_as, bounds.class_posterior, plots.manifold),
        call=autoencoders.snippet(models.conditional.fit, last_line(setting)),
        tabs=views_tabs.tabs(setting, screen, models),
    )


def last_line(setting: Setting) -> str:
    """Code that decodes what the page shows."""
    if not shows_all(setting):
        return f"images = fit.given({setting[CLASS]}).decode(code_grid({NEAR:g}, {ROWS}))"
    code = ", ".join(number(value) for value in code_of(setting)[0].astype(float)).replace("−", "-")
    return f"images = [fit.given(label).decode([[{code}]]) for label in range(10)]"


def code_of(setting: Setting) -> Array:
    """The code (1, 2) of one style: the coordinate that moves where the slider is, the other one 0."""
    code = np.zeros((1, 2), np.float32)
    code[0, int(setting[MOVED]) - 1] = setting.number(OTHER)
    return code


def _styles(setting: Setting, screen: Screen, models: Models) -> list[Part]:
    theme, code = screen.theme, code_of(setting)
    images = np.concatenate([models.decode(label, code) for label in range(models.conditional.fit.num_classes)])
    columns, side = len(images) // 2, images.shape[-1]
    room = round(ABOVE * side)
    share = side / (side + room)  # of the digit in its place
    leans = style.lean(images) if setting[MOVED] == "2" else None
    told, says = of_ink(images) if leans is None else of_lean(leans)
    images = np.pad(images, ((0, 0), (room, 0), (0, 0)))
    height, extent = screen.by_width(620, 230), (0, columns - 1, 0, 1)
    fig = plots.manifold(images, extent, columns=columns, theme=theme, labels=("", ""), height=height)
    fig.update_layout_images(layer="below").update_xaxes(visible=False).update_yaxes(visible=False)
    fig.update_traces(hoverinfo="skip", hovertemplate=None)
    blue = theme.font(bold=True, small=True, color=theme.text(theme.mean))
    for label, words in enumerate(told):
        x, middle = label % columns, 1 - label // columns - (1 - share) / 2
        fig.add_annotation(x=x, y=middle + share / 2, text=words, font=blue, yanchor="bottom", showarrow=False)
        if leans is not None:
            lean, line = HALF * np.tan(np.radians(leans[label])), theme.line(theme.mean, 2.5, "dot")
            ends = {"y0": middle - HALF * share, "y1": middle + HALF * share, "x0": x - lean, "x1": x + lean}
            fig.add_shape(type="line", line=line, **ends)
    if leans is not None:
        low, high = (0.5 + share * (0.5 + part) for part in (-HALF, HALF))  # of the line through the first digit
        fig.add_shape(type="line", line=theme.line(theme.muted, 1.5), x0=0, x1=0, y0=low, y1=high)
        look = {"font": theme.font(small=True, color=theme.muted), "yanchor": "top", "showarrow": False}
        fig.add_annotation(x=0, y=low, text=screen.by_width("vertical", ""), **look)
    place = ", ".join(number(value) for value in code[0].astype(float))
    what = "Above each is its share of ink." if leans is None else "Dotted lines show how far the ink leans."
    _add_title(fig, [f"One code, z = ({place}), decoded as each digit.", what], screen)
    alt = f"Ten decoded digits, 0 to 9, of one code: {', '.join(told)}."
    return [Says(f"With z = ({place}), {says}."), Figure("styles", fig, alt)]


def _angle(lean: float) -> str:
    return f"{abs(lean):.0f}°{'' if abs(lean) < 0.5 else ' right' if lean > 0 else ' left'}"


def of_lean(leans: Array) -> tuple[list[str], str]:
    """How far each digit leans, and from where to where all of them do: angles (classes,)."""
    low, high = _angle(leans.min()), _angle(leans.max())
    return [_angle(lean) for lean in leans], f"the ten digits lean between {low} and {high}"


def of_ink(images: Array) -> tuple[list[str], str]:
    """How much of each picture (classes, h, w) is ink, and of the least and the most."""
    ink = images.mean((1, 2))
    return [percent(share) for share in ink], f"ink covers {percent(ink.min())} to {percent(ink.max())} of a picture"


def _plane(setting: Setting, screen: Screen, models: Models) -> list[Part]:
    model, theme, label = models.conditional, screen.theme, int(setting[CLASS])
    codes, known = latent.code_grid(NEAR, ROWS), autoencoders.dataset(autoencoders.DATASETS[model.images])
    pixels = model.fit.given(label).decode(codes)
    images, found = pixels.reshape(-1, *model.shape), style.read_as(pixels, known.x, known.y)
    extent, half = (-NEAR, NEAR, -NEAR, NEAR), NEAR / (ROWS - 1)
    height = screen.by_width(620, 340)
    fig = plots.manifold(images, extent, theme=theme, labels=("Code z₁", "Code z₂"), height=height)
    fig.update_layout_images(layer="below").update_xaxes(tickvals=codes[:ROWS, 0].tolist(), showgrid=False)
    fig.update_yaxes(tickvals=codes[::ROWS, 1].tolist(), showgrid=False)
    warning = theme.text(theme.warning)
    for (x, y), read in zip(codes[found != label].tolist(), found[found != label], strict=True):
        fig.add_shape(type="rect", line=theme.line(warning, 2.5), x0=x - half, x1=x + half, y0=y - half, y1=y + half)
        corner = {"x": x + half, "y": y + half, "xanchor": "right", "yanchor": "top", "showarrow": False}
        fig.add_annotation(text=f"{read}", font=theme.font(bold=True, small=True, color=warning), **corner)
    leans = style.lean(images).reshape(ROWS, ROWS).mean(1)
    told = [_angle(lean) for lean in leans]
    blue = theme.font(bold=True, small=True, color=theme.text(theme.mean))
    beside = {"x": NEAR + half, "xanchor": "left", "xshift": 8, "showarrow": False, "font": blue}
    for y, lean in zip(codes[::ROWS, 1].tolist(), told, strict=True):
        fig.add_annotation(y=y, text=screen.by_width(f"leans {lean}", lean.replace(" ", "<br>")), **beside)
    right = f"{(found == label).sum()} of {len(found)}"
    title = [f"Most like a training {label}: {right}."]
    _add_title(fig, [*title, *(["Framed: most like another digit."] if (found != label).any() else [])], screen)
    fig.update_layout(margin_r=screen.by_width(8, 4) * theme.font_size)
    rows = f"rows lean from {told[0]} to {told[-1]}"
    says = f"Given class {label}, {right} images are most like a training {label}; {rows}."
    alt = f"{ROWS} × {ROWS} decoded digits of class {label} over a plane of codes from {-NEAR:g} to {NEAR:g}."
    return [Says(says), Figure("styles", fig, alt)]


def _add_title(fig: Any, lines: list[str], screen: Screen) -> None:
    """Put a title above a figure: one line, or one for each part on a phone."""
    place = {"x": 0.5, "xref": "x domain", "y": 1, "yref": "y domain", "yanchor": "bottom", "showarrow": False}
    text, font = screen.by_width(" ", "<br>").join(lines), screen.theme.font(bold=True, small=True)
    fig.add_annotation(text=text, font=font, **place)
    fig.update_layout(margin_t=screen.by_width(1.8, 3) * screen.theme.font_size)


def _numbers(models: Models) -> Numbers:
    """The bounds with and without the class, and how much the code tells about the class."""
    values, labels = models.conditional.extra["test_elbo_of_classes"], models.conditional.labels("test")
    known, unknown = (float(np.ravel(each.extra["test_elbo"])[-1]) for each in (models.conditional, models.plain))
    nearest, usual = (each.same_class_nearest("train") for each in (models.conditional, models.plain))
    right = 100 * (values.argmax(1) == labels).mean()
    return Numbers(
        [
            ("ELBO, y known (nats)", nats(known), "Bound on log p(x|y) of held-out images, each given its class."),
            (
                "ELBO of the VAE (nats)",
                nats(unknown),
                "Bound on log p(x) of the same images. To name a class costs log 10 = 2.3 nats: the number to compare "
                f"is {nats(known - np.log(10))}.",
            ),
            ("Same class nearest (%)", f"{nearest:.0f}", f"In z; 10 by chance, {usual:.0f} in the VAE's plane."),
            ("Classified by p(y|x) (%)", f"{right:.0f}", "Held-out images whose bound is best given their own class."),
        ]
    )
