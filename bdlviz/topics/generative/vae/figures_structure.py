"""The network of a VAE from image to pixel means, and where the two terms of its bound are computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log

import plotly.graph_objects as go

from bdlviz.digits import nats
from bdlviz.models.autoencoder import Autoencoder
from bdlviz.plots.diagrams import Arrow, Diagram, Frame, Node, diagram
from bdlviz.plots.theme import LIGHT, Theme

WIDE, TALL = ((0.0, 20.0), (0.0, 8.0)), ((0.0, 10.0), (0.0, 18.0))  # ranges of the axes, beside and below one another
NAMES = {"kl": "KL term", "reconstruction": "reconstruction", "elbo": "bound = reconstruction − KL"}
LEAST = {False: 1.8, True: 3.2}  # size of a box across the chain, so that its text fits
LARGEST = 4.2


def structure(
    network: Autoencoder, terms: Mapping[str, float], *, theme: Theme = LIGHT, stacked: bool = False
) -> go.Figure:
    """Layers as boxes with their units, and the bound's terms (nats) beside the code and the output.

    A box grows with the logarithm of its units. ``stacked`` draws from top to bottom, for phones.
    """
    chain = _chain(network, stacked)
    at = {node.called: node for node in chain}
    told = {name: text + (f"<br>{nats(terms[name])} nats" if name in terms else "") for name, text in NAMES.items()}
    noise = Node("ε", 7.6, at["z"].y) if stacked else Node("ε", at["z"].x, 7.1)
    (kl_x, kl_y), (fit_x, fit_y) = ((7.6, at[name].y) if stacked else (at[name].x, 0.9) for name in ("code", "output"))
    x, y, width = (5.0, 1.0, 9.0) if stacked else ((kl_x + fit_x) / 2, 0.9, fit_x - kl_x - 4.2)
    ends = [
        Node(told["kl"], kl_x, kl_y, size=(3.0 + stacked, 1.5), color="prior", name="kl"),
        Node(told["reconstruction"], fit_x, fit_y, size=(3.0 + stacked, 1.5), name="fit"),
        Node(told["elbo"], x, y, size=(width, 1.5), color="mean", name="elbo"),
    ]
    arrows = [Arrow(first.called, second.called) for first, second in pairwise(chain)]
    arrows += [Arrow("ε", "z"), Arrow("code", "kl", "prior"), Arrow("output", "fit")]
    arrows += [] if stacked else [Arrow("kl", "elbo", "prior"), Arrow("fit", "elbo")]
    hidden = len(network.hidden)
    parts = (("encoder", network.encoder, chain[1 : hidden + 2]), ("decoder", network.decoder, chain[hidden + 3 :]))
    frames = [
        _frame(f"{name}<br>{part.num_numbers:,} weights and biases", nodes, stacked) for name, part, nodes in parts
    ]
    drawn = Diagram([*chain, noise, *ends], arrows, frames)
    return diagram(drawn, *(TALL if stacked else WIDE), theme=theme, height=900 if stacked else 420)


def _chain(network: Autoencoder, stacked: bool) -> list[Node]:
    """The layers from image to output, evenly spaced."""
    pixels, size = network.num_inputs, network.latent_dim
    noise = "" if network.decoder.sizes[-1] == pixels else ", one σ"
    hidden = f"{{:,}}{' ' if stacked else '<br>'}units"
    layers = [
        ("x", f"image x<br>{pixels:,} pixels", pixels, 2.4, "ink"),
        *((f"encoder{i}", hidden.format(units), units, 1.3, "ink") for i, units in enumerate(network.encoder.hidden)),
        ("code", f"{size:,} means μ<br>{size:,} sds σ", size, 2.6, "mean"),
        ("z", f"{size:,} numbers<br>z = μ + σ ε", size, 2.6, "ink"),
        *((f"decoder{i}", hidden.format(units), units, 1.3, "ink") for i, units in enumerate(network.decoder.hidden)),
        ("output", f"means of<br>{pixels:,} pixels{noise}", pixels, 3.0, "ink"),
    ]
    lengths = [1.35 if stacked else length for _, _, _, length, _ in layers]
    start, end = (2.2, TALL[1][1] - 0.3) if stacked else (0.1, WIDE[0][1] - 0.3)
    gap, most = (end - start - sum(lengths)) / (len(layers) - 1), log(max(units for _, _, units, _, _ in layers))
    nodes, place = [], start
    for (name, text, units, _, color), length in zip(layers, lengths, strict=True):
        across, middle = max(LEAST[stacked], LARGEST * log(units) / most), place + length / 2
        x, y = (2.6, start + end - middle) if stacked else (middle, 4.6)
        nodes.append(Node(text, x, y, size=(across, length) if stacked else (length, across), color=color, name=name))
        place += length + gap
    return nodes


def _frame(label: str, nodes: Sequence[Node], stacked: bool) -> Frame:
    """A frame around neighbours of the chain."""
    first, last = nodes[0], nodes[-1]
    assert first.size is not None and last.size is not None
    if stacked:
        return Frame((0.2, last.y - last.size[1] / 2 - 0.2, 9.8, first.y + first.size[1] / 2 + 0.2), label, True)
    return Frame((first.x - first.size[0] / 2 - 0.2, 2.1, last.x + last.size[0] / 2 + 0.2, 7.9), label, True)
