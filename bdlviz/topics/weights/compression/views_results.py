"""What being small is good for: time and a file; and how small others made such networks."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import streamlit as st

from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError, config_to_json
from bdlviz.methods import METHODS, prunable
from bdlviz.predictive import compression
from bdlviz.threads import draw_here
from bdlviz.topics.weights.compression import figures, figures_results, views_runs
from bdlviz.topics.weights.compression.figures_results import Result
from bdlviz.topics.weights.compression.views_runs import Source
from bdlviz.types import Array
from bdlviz.ui.controls.control import number_control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow
from bdlviz.ui.jobs.memory import remembered
from bdlviz.ui.jobs.queue import QUEUE

BATCH = number_control("images_at_once", "Images at once", (1, 10, 100, 1000), 100, "How many one pass takes in.")
SECONDS = 0.6  # of measuring
WAYS = {
    "original": "as trained",
    "compact": "without dead units",
    "sparse": "sparse, without zeros",
}
MEASURED = "speed_measured"  # session state: when the visitor last asked to measure again


def show_speed() -> Shown | None:
    """Time per image of three ways to compute the outputs, measured now."""
    source = views_runs.show(_draw_speed)
    if source is None:
        return None
    lines = (
        "from pathlib import Path",
        "",
        "network = fit.model.network",
        "small = compression.compact(network, pruned)",
        'Path("compact.safetensors").write_bytes(compression.to_bytes(small))',
        'whole = prunable.pruner(method).pruned(params, float("inf"))',
        f"x = data.x_test[:{BATCH.present()}]",
        "times = compression.timed(compression.forward_passes(network, whole, pruned, x))  # seconds",
    )
    return Shown(
        (compression.compression_rates,),
        (compression.compact, compression.forward_passes, compression.timed, compression.to_bytes),
        views_runs.snippet(source, *lines),
    )


def _draw_speed(source: Source) -> None:
    if not source.is_done:
        st.caption("Speed is measured once the network is trained.")
        return
    times = _times(source)
    told = {WAYS[name]: taken for name, taken in times.items()}
    fig = figures.speeds(told, theme=present_theme())
    medians = {name: float(np.median(taken)) for name, taken in times.items()}
    figure(fig, key="speeds", alt=", ".join(f"{WAYS[name]}: {value:.3g} µs" for name, value in medians.items()))
    st.caption(
        f"Medians and the middle 90 % of {len(times['original'])} interleaved passes on this computer, one thread, "
        "just now. Without dead units the matrices are smaller; scattered zeros need an index for every weight that is "
        "left, which rarely pays."
    )
    small = compression.compact(source.fit.model.network, source.pruned, config_to_json(source.fit.config))
    content = compression.to_bytes(small)
    file = f"compact_{source.images}_{source.method}.safetensors"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button("Download the compact network", content, file, key="download_compact", on_click="ignore")
        st.button("Measure again", key="measure_again", on_click=_ask_again, type="tertiary")
    whole = sum(array.nbytes for array in source.whole.values())
    numbers(
        [
            ("Compact, times as fast", f"{medians['original'] / medians['compact']:.1f}", "Ratio of the medians."),
            ("Sparse, times as fast", f"{medians['original'] / medians['sparse']:.1f}", "Below 1: slower."),
            ("File, kB", f"{len(content) / 1e3:.1f}", f"{whole / 1e3:,.0f} kB as trained, with 32 bits each."),
            ("Layers", "-".join(map(str, small.sizes)), f"{'-'.join(map(str, source.sizes))} as trained."),
        ]
    )


def _ask_again() -> None:
    st.session_state[MEASURED] = time.time()


def _times(source: Source) -> dict[str, Array]:
    """Microseconds per image, (rounds,) by way."""
    count = min(int(BATCH.present()), len(source.dataset.x_test))
    x = source.fit.scaling.standardise_x(source.dataset.x_test[:count])

    def measure() -> dict[str, Array]:
        passes = compression.forward_passes(source.fit.model.network, source.whole, source.pruned, x)
        taken = draw_here(lambda: compression.timed(passes, SECONDS))
        return {name: 1e6 * seconds / count for name, seconds in taken.items()}

    when = st.session_state.get(MEASURED, 0)
    return remembered(source.fit, ("speed", source.threshold, count, when), measure)


# The literature -------------------------------------------------------------------------------------------------------


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
class Published:
    """A row of a published table; ``with_bits`` is its compression where weights also have fewer bits."""

    name: str
    network: str
    error: float  # %
    compression: float
    source: str
    with_bits: float | None = None
    by_layer: str = ""  # % of the weights removed


LENET, CONVOLUTIONAL = "LeNet-300-100", "LeNet-5"
MOLCHANOV, LOUIZOS = "Molchanov et al. 2017", "Louizos et al. 2017"
PUBLISHED = (
    Published("Original", LENET, 1.64, 1, MOLCHANOV),
    Published("Pruning", LENET, 1.59, 12, MOLCHANOV, by_layer="92.0-91.0-74.0"),
    Published("DNS", LENET, 1.99, 56, MOLCHANOV, by_layer="98.2-98.2-94.5"),
    Published("SWS", LENET, 1.94, 23, MOLCHANOV),
    Published("Sparse VD", LENET, 1.92, 68, MOLCHANOV, by_layer="98.9-97.2-62.0"),
    Published("Sparse VD", CONVOLUTIONAL, 1.0, 63, LOUIZOS, 228),
    Published("BC-GNJ", CONVOLUTIONAL, 1.0, 108, LOUIZOS, 361),
    Published("BC-GHS", CONVOLUTIONAL, 1.0, 156, LOUIZOS, 419),
)


def show_table() -> Shown | None:
    """Published networks and ours: error against compression, and the table behind it."""
    images = views_runs.IMAGES.present()
    ours = [row for method in prunable.PRUNERS if (row := _ours(method, images)) is not None]
    results = [
        Result(row.name, row.error, row.compression, "published" if row.network == LENET else "convolutional")
        for row in PUBLISHED
    ]
    results += [Result(SHORT.get(row.name, row.name), row.error, row.compression, "ours") for row in ours]
    top = 8.0 if images == "digits" else 5.0
    fig = figures_results.error_against_compression(
        results, theme=present_theme(), y_range=(0.0, top), narrow=is_narrow()
    )
    alt = f"{len(PUBLISHED)} published networks and {len(ours)} of ours."
    figure(fig, key="error_against_compression", alt=alt)
    _say_what_is_missing(images, [row.name for row in ours])
    st.dataframe([_cells(row) for row in (*ours, *PUBLISHED)], hide_index=True, key="compression_table")
    st.caption(
        "Published rows are on MNIST, as printed; LeNet-5 is convolutional and not trained here. Ours on 8×8 digits "
        "are another, smaller task. “Weights for each left” counts weights that are not 0. The headline (700× smaller, "
        "50× faster) is the paper's maximum."
    )
    return Shown((compression.compression_rates,), (compression.compression_rates,), _snippet(images))


def _say_what_is_missing(images: str, names: list[str]) -> None:
    missing = [title for method in prunable.PRUNERS if (title := METHODS[method].title) not in names]
    if not missing:
        return
    if images == "digits":
        what = f"Not trained yet: {', '.join(missing)}; *before and after* trains the one that is chosen there."
    else:
        what = f"Not shipped on MNIST: {', '.join(missing)}."
    st.caption(what)


def _ours(method: str, images: str) -> Published | None:
    """What a network trained here came to at the method's usual threshold; None where there is none at hand."""
    source = views_runs.mnist(method)[0] if images == "mnist" else _at_hand(method)
    if source is None or source.fit.diverged.any():
        return None
    error = 100 * (1 - source.accuracies.pruned)
    rates = compression.compression_rates(source.pruned, source.precisions)
    shares = [100 * (1 - left / size) for left, size in source.weights_left]
    network = f"{'-'.join(map(str, source.sizes))} on {views_runs.IMAGES.name(images)}"
    ratio = source.num_weights / source.num_left if source.num_left else float("inf")
    by_layer = "-".join(f"{share:.1f}" for share in shares)
    return Published(METHODS[method].title, network, error, ratio, "trained here", rates[1], by_layer)


def _at_hand(method: str) -> Source | None:
    """The small network, if it is shipped or was trained a while ago."""
    config, fit = views_runs.digits_config(method), None
    with suppress(CheckpointError):
        fit = shelf.find(config)
    fit = fit or QUEUE.finished(config)
    return fit and Source("digits", fit, views_runs.loaded("digits"), 0.0)


def _cells(row: Published) -> dict[str, str]:
    return {
        "Method": row.name,
        "Network": row.network,
        "Held-out error": f"{row.error:.2f} %",
        "Weights for each left": f"{row.compression:.3g}",
        "With fewer bits": "" if row.with_bits is None else f"{row.with_bits:.3g}",
        "Removed by layer, %": row.by_layer,
        "Source": row.source,
    }


def _snippet(images: str) -> str:
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
            "    params = study.single_params(fit)",
            "    pruner = prunable.pruner(method)",
            "    pruned = pruner.pruned(params, pruner.threshold)",
            "    found = compression.precisions(pruned, pruner.variances(params))",
            "    print(method, compression.compression_rates(pruned, found))",
        ]
    )
