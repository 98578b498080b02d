"""The decode pad, and the traversals of single coordinates from where it stands."""

from __future__ import annotations

import numpy as np

from bdlviz import plots
from bdlviz.digits import percent
from bdlviz.predictive import latent
from bdlviz.topics.generative.decode import views_own, views_pad
from bdlviz.topics.generative.decode.controls import PLANES
from bdlviz.topics.generative.decode.decoder import Place
from bdlviz.topics.generative.decode.place import order_of, place_of
from bdlviz.topics.shared import autoencoders, views_decoded
from bdlviz.topics.shared.autoencoders import IMAGES, NUM_NEAR, RARE, Autoencoder
from bdlviz.ui.model import Figure, Formula, Need, Part, Result, Says, Screen, Setting, Words

NUM_ROWS = 6
DENSITY = Formula(
    latent.log_average_posterior,
    "The density of the codes of training images. Codes are rare where it is lower than at "
    f"{percent(1 - RARE)} of held-out images.",
    {
        r"\bar q(z)": "density of codes, the average of all q(z|x)",
        r"\mu_i, \sigma_i": "mean and standard deviation of the code of image i, Z numbers each",
        "N": "training images",
    },
)
TRAVERSAL = Formula(
    latent.traverse,
    "A row below the pad: one coordinate moves, the others stay.",
    {"z": "code at the large dot, Z numbers", "v_m": "value of coordinate j in column m", "e_j": "unit vector of it"},
)
WALK = np.linspace(-views_pad.REACH, views_pad.REACH, 13, dtype=np.float32)


def needed(setting: Setting) -> Need[Autoencoder]:
    """The shipped VAE."""
    return autoencoders.needed(setting[IMAGES], setting[PLANES])


def decode(setting: Setting, screen: Screen, model: Autoencoder) -> Result:
    """The pad, and the traversals below it."""
    place, problem = place_of(setting, model)
    warning: list[Part] = [Words(problem, "warning")] if problem else []
    code = ", ".join(f"{value:g}" for value in place.code)
    return Result(
        [Says(at(model, place)), *warning, views_pad.pad(setting, model, place), *traversals(screen, model, place)],
        formulas=(DENSITY, TRAVERSAL),
        code=(latent.decode_logits, latent.log_average_posterior, latent.traverse, plots.manifold),
        call=autoencoders.snippet(model.fit, f"image = fit.decode([{code}])"),
        tabs=views_decoded.tabs(model) | {"Your own digit": lambda: views_own.tab(setting, model)},
    )


def at(model: Autoencoder, place: Place) -> str:
    """Whose codes are nearest to a place, or that hardly any image has its code there."""
    code = np.array(place.code, np.float32)
    density, others = model.log_density(code[None])[0], model.held_out_densities()
    is_rare, denser = density < model.rare_density(), percent(float((others > density).mean()))
    dots = views_pad.dots_of(model)
    rows, _ = latent.nearest(dots.mean.astype(np.float16), code, NUM_NEAR)  # as in the browser
    classes, counts = np.unique(dots.labels[rows], return_counts=True)
    first, *others = np.argsort(-counts, kind="stable")
    also = f", {counts[others[0]]} are {classes[others[0]]}s" if counts[first] < views_pad.MOSTLY * NUM_NEAR else ""
    where = " (in the circle)" if model.latent_dim == 2 else ""  # of more dimensions the pad shows two
    which = f"{counts[first]} of the {NUM_NEAR} nearest codes{where} are {classes[first]}s{also}"
    if is_rare:
        return f"Hardly any code is near ({denser} of held-out images have more), but an image is drawn: {which}."
    return f"The image is decoded from the large dot: {which}."


def traversals(screen: Screen, model: Autoencoder, place: Place) -> list[Part]:
    """One row for each coordinate: it runs from end to end, the others stay where the pad was left."""
    code, order = np.array(place.code, np.float32), order_of(model)[0][:NUM_ROWS]
    codes = np.concatenate([latent.traverse(code, coordinate, WALK) for coordinate in order])
    names = [f"z{_subscript(coordinate + 1)}" for coordinate in order]
    fig = plots.manifold(
        model.decode(codes),
        (-views_pad.REACH, views_pad.REACH, 1, len(order)),
        columns=len(WALK),
        theme=screen.theme,
        labels=("Value of the coordinate, the others staying", ""),
        height=70 + screen.by_width(58, 26) * len(order),
    ).update_yaxes({"tickvals": list(range(len(order), 0, -1)), "ticktext": names})
    alt = f"{len(order)} rows of decoded digits, one for each coordinate of the code."
    told = "From the code at the large dot, one coordinate in each row; the largest KL term comes first."
    return [Figure("traversal", fig, alt), Words(told)]


def _subscript(number: int) -> str:
    return "".join(chr(0x2080 + int(digit)) for digit in str(number))
