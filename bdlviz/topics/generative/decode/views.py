"""The decode pad, and the traversals of single coordinates from where it stands."""

from __future__ import annotations

import numpy as np

from bdlviz import plots
from bdlviz.methods import vae
from bdlviz.predictive import latent
from bdlviz.topics.generative.decode import views_own, views_pad
from bdlviz.topics.generative.decode.controls import PLANES
from bdlviz.topics.generative.decode.place import order_of, place_of
from bdlviz.topics.shared import autoencoders, views_decoded
from bdlviz.topics.shared.autoencoders import IMAGES, Autoencoder
from bdlviz.ui.model import Figure, Need, Part, Result, Screen, Setting, Words
from bdlviz.ui.scrub.decoder import Place

NUM_ROWS = 6
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
        [*warning, views_pad.pad(setting, model, place), *traversals(screen, model, place)],
        formulas=(vae.negative_elbo, latent.traverse, latent.interpolate),
        code=(latent.decode_logits, latent.traverse, latent.interpolate, plots.manifold),
        call=autoencoders.snippet(model.fit, f"image = fit.decode([{code}])"),
        tabs=views_decoded.tabs(model) | {"Your own digit": lambda: views_own.tab(setting, model)},
    )


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
    told = "Traversal of each coordinate from the present place of the pad; the largest KL term comes first."
    return [Figure("traversal", fig, alt), Words(told)]


def _subscript(number: int) -> str:
    return "".join(chr(0x2080 + int(digit)) for digit in str(number))
