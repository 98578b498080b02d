"""Published networks and ours: held-out error against compression, and the table behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from bdlviz.digits import factor, percent
from bdlviz.methods import METHODS, prunable
from bdlviz.predictive import compression
from bdlviz.topics.weights.compression import figures_results
from bdlviz.topics.weights.compression.controls import IMAGES
from bdlviz.topics.weights.compression.figures_results import Kind, Point
from bdlviz.topics.weights.compression.network import at_hand
from bdlviz.topics.weights.compression.views import RATES
from bdlviz.ui.model import Figure, Part, Result, Says, Screen, Setting, Widget, Words

SHORT = {  # names that fit beside a point
    METHODS[name].title: short
    for name, short in (
        ("group_normal_jeffreys", "GNJ"),
        ("group_horseshoe", "GHS"),
        ("sparse_variational_dropout", "SVD"),
        ("ard", "ARD"),
    )
}


@dataclass(frozen=True)
class Row:
    """A row of the table; ``with_bits`` is the compression where weights also have fewer bits."""

    name: str
    network: str
    error: float  # %
    compression: float
    source: str
    with_bits: float | None = None
    by_layer: str = ""  # % of the weights removed


LENET, CONVOLUTIONAL, VGG = "LeNet-300-100", "LeNet-5", "VGG, on CIFAR-10"
KINDS: Mapping[str, Kind] = {LENET: "published", CONVOLUTIONAL: "convolutional"}  # of the points: networks on MNIST
MOLCHANOV, LOUIZOS = "Molchanov et al. 2017", "Louizos et al. 2017"
REPOSITORY = "Louizos et al. 2017, README of their code"
PUBLISHED = (
    Row("Original", LENET, 1.64, 1, MOLCHANOV),
    Row("Pruning", LENET, 1.59, 12, MOLCHANOV, by_layer="92.0-91.0-74.0"),
    Row("DNS", LENET, 1.99, 56, MOLCHANOV, by_layer="98.2-98.2-94.5"),
    Row("SWS", LENET, 1.94, 23, MOLCHANOV),
    Row("Sparse VD", LENET, 1.92, 68, MOLCHANOV, by_layer="98.9-97.2-62.0"),
    Row("Sparse VD", CONVOLUTIONAL, 1.0, 63, LOUIZOS, 228),
    Row("BC-GNJ", CONVOLUTIONAL, 1.0, 108, LOUIZOS, 361),
    Row("BC-GHS", CONVOLUTIONAL, 1.0, 156, LOUIZOS, 419),
    Row("BC-GNJ", VGG, 8.6, 14, REPOSITORY, 56),
    Row("BC-GHS", VGG, 9.0, 18, REPOSITORY, 59),
)


def table(setting: Setting, screen: Screen, _: object) -> Result:
    """Error against compression of published networks and of ours, and the table behind it."""
    images = setting[IMAGES]
    ours = [row for method in prunable.PRUNERS if (row := our_row(method, images)) is not None]
    points = [
        Point(row.name, row.error, row.compression, KINDS[row.network]) for row in PUBLISHED if row.network in KINDS
    ]
    points += [Point(SHORT.get(row.name, row.name), row.error, row.compression, "ours") for row in ours]
    fig = figures_results.error_against_compression(
        points,
        theme=screen.theme,
        y_range=(0.0, 8.0 if images == "digits" else 5.0),
        narrow=screen.is_narrow,
    )
    alt = f"{len(points) - len(ours)} published networks and {len(ours)} of ours."
    cells = [_cells(row) for row in (*ours, *PUBLISHED)]
    parts: list[Part] = [
        Says(_smallest(images, ours)),
        Figure("error_against_compression", fig, alt),
        *_what_is_missing(images, [row.name for row in ours]),
        Widget(lambda: st.dataframe(cells, hide_index=True, key="compression_table")),
        Words(
            "Published rows are as printed, on MNIST; those of VGG are on CIFAR-10 and in the table only. LeNet-5 and "
            "VGG are convolutional, and their numbers are not reproduced here. Ours on 8×8 digits are another, smaller "
            "task. “All / left” counts weights that are not 0. The headline (700× smaller, 50× faster) is the paper's "
            "maximum."
        ),
    ]
    return Result(parts, (RATES,), (compression.compression_rates,), _call(images))


def _smallest(images: str, ours: list[Row]) -> str:
    """The smallest network of ours beside the smallest published one of the same shape."""
    published = _told(max((row for row in PUBLISHED if row.network == LENET), key=lambda row: row.compression))
    if not ours:
        return f"The smallest published LeNet-300-100 is {published}."
    own = _told(max(ours, key=lambda row: row.compression))
    if images == "digits":
        return f"The smallest network here is {own}, on 8×8 digits; the published ones are of MNIST."
    return f"The smallest LeNet-300-100 is {own}; the smallest published one {published}."


def _told(row: Row) -> str:
    return f"{factor(row.compression)} smaller, with an error of {percent(row.error / 100)}"


def _what_is_missing(images: str, names: list[str]) -> list[Part]:
    missing = [title for method in prunable.PRUNERS if (title := METHODS[method].title) not in names]
    if not missing:
        return []
    if images == "digits":
        told = (
            f"Not trained yet: {', '.join(missing)}; *Units before and after* trains the method that is chosen there."
        )
        return [Words(told)]
    return [Words(f"Not shipped on MNIST: {', '.join(missing)}.")]


def our_row(method: str, images: str) -> Row | None:
    """The network of a method at its usual threshold; None where there is none at hand."""
    network = at_hand(method, images)
    if network is None:
        return None
    shares = [100 * (1 - left / size) for left, size in network.weights_left]
    return Row(
        METHODS[method].title,
        f"{'-'.join(map(str, network.sizes))} on {IMAGES.name(images)}",
        100 * (1 - network.accuracies.pruned),
        network.ratio,
        "trained here",
        network.rates[1],
        "-".join(f"{share:.1f}" for share in shares),
    )


def _cells(row: Row) -> dict[str, str]:
    return {
        "Method": row.name,
        "Network": row.network,
        "Held-out error": f"{row.error:.2f} %",
        "All / left": factor(row.compression, 3),
        "With fewer bits": "" if row.with_bits is None else factor(row.with_bits, 3),
        "Removed by layer, %": row.by_layer,
        "Source": row.source,
    }


def _call(images: str) -> str:
    return "\n".join(
        [
            "import bdlviz",
            "from bdlviz.topics.weights.sparsity import study",
            "from bdlviz.methods import prunable",
            "from bdlviz.predictive import compression",
            "",
            f"data = bdlviz.dataset({images!r})",
            "for method in prunable.PRUNERS:",
            f"    fit = bdlviz.fit(method, data, **study.settings_of(method, {images!r}))",
            "    params = fit.single()",
            "    pruner = prunable.pruner(method)",
            "    pruned = pruner.pruned(params, pruner.threshold)",
            "    found = compression.precisions(pruned, pruner.variances(params))",
            "    print(method, compression.compression_rates(pruned, found))",
        ]
    )
