"""The map of codes: each at its place in the plane, coloured by class or by a number."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import KDTree

from bdlviz import plots
from bdlviz.digits import number, percent
from bdlviz.plots.codes import fitting_range
from bdlviz.plots.theme import Theme
from bdlviz.plots.traces import Trace, scatter
from bdlviz.predictive import embedding, latent
from bdlviz.predictive.latent import COLLAPSED
from bdlviz.topics.generative.latent_space import chosen, views_card, views_choice
from bdlviz.topics.generative.latent_space.code_map import CodeMap
from bdlviz.topics.generative.latent_space.controls import COLOUR, MARKS, PERPLEXITY, PICK
from bdlviz.topics.generative.latent_space.views_choice import NUMBERS
from bdlviz.topics.shared import autoencoders
from bdlviz.topics.shared.autoencoders import CODES, IMAGES, PART, Autoencoder
from bdlviz.types import Array
from bdlviz.ui.model import Columns, Figure, Formula, Numbers, Part, Result, Says, Screen, Setting, Words

NEAR_EDGE = 0.75  # of the map's width: further to the right there is no room for an arrow from the right
ROOM = np.array([0.026, 0.055])  # half of a name, relative to the axes
FARTHEST = 0.16  # way of a name to a free place, relative to the axes
OUTSIDE = 0.05  # share of images on either side of the range that is said
ENCODER = Formula(
    latent.encode,
    "The encoder gives each image a Gaussian over codes; the map shows its mean, an ellipse one sd.",
    {r"\mu(x), \sigma(x)": "output of the encoder for image x, Z numbers each", r"\rho": "output before softplus"},
)
KL = Formula(
    latent.kl_to_prior,
    "What the code of an image costs: how far its Gaussian is from the prior.",
    {r"\mu_j, \sigma_j": "mean and standard deviation of coordinate j"},
)
TSNE = Formula(
    embedding.embed,
    "t-SNE places codes so that near ones stay near; distances in the map have no meaning.",
)
DRAG: dict[str, Any] = {"lasso": "lasso", "box": "select", "click": False}  # what a drag does, as Plotly says it


def code_map(setting: Setting, screen: Screen, found: CodeMap) -> Result:
    """The map, the images behind the chosen codes, and how the codes fill the prior."""
    model, part = found.model, setting[PART]
    last = ("mean, std = fit.encode(data.x)", f"points = embed(mean, perplexity={setting[PERPLEXITY]})")
    says = Says(chosen.shared(model, part, rows) if (rows := _rows(setting, model)) else of_all(setting, found))
    return Result(
        [says, *_map(setting, screen, found), *_chosen(setting, screen, model), _numbers(model, part)],
        formulas=(ENCODER, KL, *((TSNE,) if model.latent_dim > 2 else ())),
        code=(latent.encode, latent.nearest, embedding.embed, plots.latent_scatter),
        call=autoencoders.snippet(model.fit, *(last if model.latent_dim > 2 else last[:1])),
    )


def of_all(setting: Setting, found: CodeMap) -> str:
    """What the map shows of all images: classes that are near, or the number that colours it."""
    model, part, name = found.model, setting[PART], f"{PART.name(setting[PART])} images".replace("held out", "held-out")
    mean, std = model.mean(part), model.std(part)
    if setting[COLOUR] == "kl":
        low, middle, high = np.quantile(latent.kl_to_prior(mean, std).astype(float), (OUTSIDE, 0.5, 1 - OUTSIDE))
        return (
            f"Half of the {name} pay less than {number(middle)} nats for their code; the middle "
            f"{percent(1 - 2 * OUTSIDE)} pay {number(low)} to {number(high)}."
        )
    if setting[COLOUR] == "std":
        middle = float(np.median(std.mean(1)))
        return f"Half of the {name} have a code with a mean sd below {number(middle)} over dimensions; the prior has 1."
    same, _ = nearest_codes(model, part)
    count = np.unique(model.labels(part), return_counts=True)[1]
    chance = float((count * (count - 1)).sum() / (count.sum() * (count.sum() - 1)))
    return (
        f"In {model.latent_dim} dimensions, {same} of {name} have a nearest code of the same digit; "
        f"by chance {percent(round(chance, 2))} would."
    )


def nearest_codes(model: Autoencoder, part: str) -> tuple[str, str]:
    """The shares of images whose nearest code is of the same digit, and of another: whole per cent, if not 0 or 100."""
    share = float(model.has_same_class_nearest(part).mean())
    share = rounded if 0 < (rounded := round(share, 2)) < 1 else share
    return percent(share), percent(1 - share)


def _map(setting: Setting, screen: Screen, found: CodeMap) -> list[Part]:
    model, part, marks, pick = found.model, setting[PART], setting[MARKS], setting[PICK]
    rows = _rows(setting, model)
    is_plane, labels = model.latent_dim == 2, model.labels(part)
    # A thousand digits of a size for a room hide each other; names of classes say which is which.
    plain = (marks == "digits" and screen.is_presenting) or (marks == "ellipses" and not is_plane)
    values, title = _values(model, part, setting[COLOUR])
    fig: Any = plots.latent_scatter(
        found.positions,
        labels,
        theme=screen.theme,
        axis_labels=("z₁", "z₂") if is_plane else ("t-SNE 1 (no unit)", "t-SNE 2 (no unit)"),
        marks="points" if plain else marks,  # type: ignore[arg-type]
        std=model.std(part) if is_plane else None,
        values=values,
        values_label=title,
        classes=views_choice.classes_of(setting),
        # Clicks mark their points in the browser; another figure would forget them.
        chosen=chosen.by_number(setting.text(NUMBERS), len(labels)),
        height=screen.by_width(620, 440),
    ).update_layout(dragmode=DRAG[pick], margin_t=screen.by_width(3, 5) * screen.theme.font_size)
    if not is_plane:  # in a plane the classes overlap
        _move_names(fig, found.positions)
    _keep_others_visible(fig, screen.theme)
    classes = views_choice.classes_of(setting)
    if values is None and marks == "points":
        apart = ~model.has_same_class_nearest(part) & np.isin(labels, classes)
        fig.add_trace(_ringed(found.positions[apart], screen.theme))
    if values is None:
        fig.add_annotation(**_title(model, part, marks, screen))
    row = rows[0] if rows else chosen.example(model, part, classes)
    if len(rows) < 2:
        x = found.positions[:, 0]
        place = (x[row] - x.min()) / (x.max() - x.min())
        is_left = place > 1 - NEAR_EDGE and x[row] < np.median(x[labels == labels[row]])  # of the name of its class
        side = -1 if place > NEAR_EDGE or is_left else 1
        fig.add_annotation(**_arrow(found.positions[row], side, f"this {labels[row]}", screen.theme))
    key = views_choice.map_key(setting[IMAGES], setting[CODES], part)
    alt = plots.describe_latent_scatter(found.positions, labels)
    shown = Figure(key, fig, alt, on_select="rerun", selection_mode="points" if pick == "click" else pick)
    beside = Columns([[shown], [views_card.card(model, part, key, row, bool(rows))]], (3.2, 1))
    if marks != "ellipses":
        return [beside]
    if not is_plane:
        return [beside, Words("Ellipses of posteriors need a plane of codes: choose 2 dimensions.")]
    told = f"Ellipses of about {plots.NUM_ELLIPSES} of the {len(labels):,} codes, so that they do not hide each other."
    return [beside, Words(told)]


def _move_names(fig: Any, codes: Array) -> None:
    """Put the names of classes at the nearest places that none of the codes (N, 2) is near, if there are such."""
    low, high = np.array([fitting_range(values) for values in codes.T]).T
    unit = ROOM * (high - low)  # of a name
    places = np.stack(np.meshgrid(*np.linspace(low + unit, high - unit, 60).T), axis=-1).reshape(-1, 2) / unit
    free = places[KDTree(codes / unit).query(places, p=np.inf)[0] > 1]
    for name in fig.layout.annotations:
        ways = np.linalg.norm((free - (name.x, name.y) / unit) * ROOM, axis=1)
        if ways.min(initial=np.inf) < FARTHEST:
            at = free[ways.argmin()]
            name.update(x=at[0] * unit[0], y=at[1] * unit[1])
            free = free[np.abs(free - at).max(1) > 2]


def _title(model: Autoencoder, part: str, marks: str, screen: Screen) -> dict[str, Any]:
    """The title above the map: how codes come into the plane, and what a ring is."""
    size, gap = model.latent_dim, screen.by_width(" ", "<br>")
    flat = f": t-SNE draws {size} dimensions flat{gap}and moves some neighbours apart."
    text = f"{len(model.labels(part)):,} codes{flat if size > 2 else ' of 2 dimensions.'}"
    if marks == "points":
        share = nearest_codes(model, part)[1]
        text += f"<br>Ring: in {size} dimensions, the nearest code{gap}is of another digit ({share})."
    place = {"x": 0, "xref": "x domain", "xanchor": "left", "y": 1, "yref": "y domain", "yanchor": "bottom"}
    look = {"font": screen.theme.font(small=True, bold=True), "showarrow": False, "align": "left"}
    return {"text": text, **look, **place}


def _ringed(codes: Array, theme: Theme) -> Trace:
    """Thin rings around codes (M, 2)."""
    line = {"width": theme.scale, "color": theme.dropped}
    ring = {"symbol": "circle-open", "size": 14 * theme.scale, "color": theme.dropped, "line": line}
    look = {"mode": "markers", "marker": ring, "hoverinfo": "skip", "unselected": {"marker": {"opacity": 1}}}
    return scatter(codes[:, 0], codes[:, 1], name="nearest is of another digit", **look)


def _arrow(code: Array, side: int, name: str, theme: Theme) -> dict[str, Any]:
    """An arrow to the code (2,) of the image beside the map: from the right (1) or from the left (-1)."""
    color = theme.text(theme.mean)
    look = {"arrowcolor": color, "arrowwidth": 2 * theme.scale, "arrowhead": 2, "standoff": 9 * theme.scale}
    box = {"bgcolor": theme.paper, "bordercolor": color, "borderwidth": 2 * theme.scale, "borderpad": 2}
    place = {"x": float(code[0]), "y": float(code[1]), "ax": 80 * side * theme.scale, "ay": 0}
    return {"text": name, "font": theme.font(bold=True, color=color), **look, **box, **place}


def _keep_others_visible(fig: Any, theme: Theme) -> None:
    """Codes that are not chosen stay as they are, and those that are chosen get the colour of the ink."""
    for trace in fig.data:
        if trace.mode == "text":
            trace.update(unselected={"textfont": {"color": trace.textfont.color}})
            trace.update(selected={"textfont": {"color": theme.ink}})
        elif trace.mode == "markers" and trace.customdata is not None:
            trace.update(unselected={"marker": {"opacity": trace.marker.opacity or 1.0}})
            trace.update(selected={"marker": {"color": theme.ink, "opacity": 1.0}})


def _rows(setting: Setting, model: Autoencoder) -> list[int]:
    """The chosen codes: those that were clicked or encircled, or else those in the text field."""
    count = len(model.labels(setting[PART]))
    return views_choice.picked_of(setting, count) or chosen.by_number(setting.text(NUMBERS), count)


def _values(model: Autoencoder, part: str, colour: str) -> tuple[Array | None, str]:
    mean, std = model.mean(part), model.std(part)
    if colour == "kl":
        return latent.kl_to_prior(mean, std), "KL (nats)"
    if colour == "std":
        return std.mean(1), "mean sd of q(z|x)"
    return None, ""


def _chosen(setting: Setting, screen: Screen, model: Autoencoder) -> list[Part]:
    """What is chosen, how to choose, and the chosen images."""
    part, numbers = setting[PART], setting.text(NUMBERS)
    count = len(model.labels(part))
    rows = _rows(setting, model)
    told = Words(chosen.said(model, part, rows, setting[PICK]), "markdown")
    choice = Columns([[told], [PICK], [views_choice.number_field()]], (2.6, 1.2, 1), align="bottom")
    problem = views_choice.problem(numbers, count)
    warning = [Words(problem, "warning")] if problem else []
    return [choice, *warning, *chosen.details(model, part, rows, screen)]


def _numbers(model: Autoencoder, part: str) -> Numbers:
    """How the codes of a part fill the prior, in four numbers."""
    per_dimension = latent.kl_per_dimension(model.mean(part), model.std(part)).mean(0)
    used = (per_dimension > COLLAPSED).sum()
    return Numbers(
        [
            ("Images", f"{len(model.labels(part)):,}", "Whose codes are shown."),
            ("Same class nearest (%)", f"{model.same_class_nearest(part):.0f}", "Of the nearest code, in z."),
            ("KL (nats per image)", f"{per_dimension.sum():.1f}", "KL[q(z|x) ‖ p(z)], mean over these images."),
            ("Dimensions in use", f"{used} of {len(per_dimension)}", "KL above 0.05 nats."),
        ]
    )
