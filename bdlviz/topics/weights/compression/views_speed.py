"""What a small network gains: the time of a forward pass, and the size of its file."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz.digits import number
from bdlviz.fitted.checkpoints import config_to_json
from bdlviz.predictive import compression
from bdlviz.threads import draw_here
from bdlviz.topics.weights.compression import figures
from bdlviz.topics.weights.compression.controls import BATCH
from bdlviz.topics.weights.compression.network import Network, call_of
from bdlviz.topics.weights.compression.views import RATES
from bdlviz.types import Array
from bdlviz.ui.cache import forget, remembered
from bdlviz.ui.model import Figure, Numbers, Part, Result, Says, Screen, Setting, Widget, Words

SECONDS = 0.6  # of measuring
WAYS = {
    "original": "as trained",
    "compact": "without dead units",
    "sparse": "sparse, without zeros",
}


def speed(setting: Setting, screen: Screen, network: Network) -> Result:
    """Time per image of three ways to compute the outputs, measured now."""
    count = int(setting[BATCH])
    if not network.is_done:
        return _result(network, count, [Says("Speed is measured once the network is trained.")])
    times = times_of(network, count)
    fig = figures.speeds({WAYS[name]: taken for name, taken in times.items()}, theme=screen.theme)
    medians = {name: float(np.median(taken)) for name, taken in times.items()}
    alt = ", ".join(f"{WAYS[name]}: {value:.3g} µs" for name, value in medians.items())
    says = Says(
        f"Without dead units an image takes {number(medians['compact'], 2)} µs, as trained "
        f"{number(medians['original'], 2)} µs, and with scattered zeros {number(medians['sparse'], 2)} µs."
    )
    told = Words(
        f"Medians and the middle 90 % of {len(times['original'])} interleaved passes on this computer, one thread, "
        "measured just now. Without dead units the matrices are smaller. Scattered zeros need an index for every "
        "weight that is left, and this is rarely faster. Units whose weights are all 0 are left out, even where "
        "nothing is removed."
    )
    small = compact(network)
    content = compression.to_bytes(small)
    whole = sum(array.nbytes for array in network.whole.values())
    values = Numbers(
        [
            ("Compact, times as fast", f"{medians['original'] / medians['compact']:.1f}", "Ratio of the medians."),
            ("Sparse, times as fast", f"{medians['original'] / medians['sparse']:.1f}", "Below 1: slower."),
            ("File, kB", f"{len(content) / 1e3:.1f}", f"{whole / 1e3:,.0f} kB as trained, with 32 bits each."),
            ("Layers", "-".join(map(str, small.sizes)), f"{'-'.join(map(str, network.sizes))} as trained."),
        ]
    )
    buttons = Widget(lambda: _show_buttons(network, count, content))
    return _result(network, count, [says, Figure("speeds", fig, alt), told, buttons, values])


def _result(network: Network, count: int, parts: list[Part]) -> Result:
    call = call_of(
        network,
        "from pathlib import Path",
        "",
        "network = fit.model.network",
        "small = compression.compact(network, pruned)",
        'Path("compact.safetensors").write_bytes(compression.to_bytes(small))',
        'whole = prunable.pruner(method).pruned(params, float("inf"))',
        f"x = data.x_test[:{count}]",
        "times = compression.timed(compression.forward_passes(network, whole, pruned, x))  # seconds",
    )
    code = (compression.compact, compression.forward_passes, compression.timed, compression.to_bytes)
    return Result(parts, (RATES,), code, call)


def compact(network: Network) -> compression.CompactNetwork:
    """The pruned network without dead units, with a note on how it was trained."""
    return compression.compact(network.fit.model.network, network.pruned, config_to_json(network.fit.config))


def file_name(network: Network) -> str:
    """The name of the file that the visitor downloads."""
    return f"compact_{network.images}_{network.method}.safetensors"


def times_of(network: Network, count: int) -> dict[str, Array]:
    """Microseconds per image, (rounds,) by way, for forward passes of ``count`` images or of all there are."""
    x = network.fit.scaling.standardise_x(network.dataset.x_test[:count])

    def measure() -> dict[str, Array]:
        passes = compression.forward_passes(network.fit.model.network, network.whole, network.pruned, x)
        taken = draw_here(lambda: compression.timed(passes, SECONDS))
        return {name: 1e6 * seconds / len(x) for name, seconds in taken.items()}

    return remembered(network.fit, _measurement(network, count), measure)


def _measurement(network: Network, count: int) -> tuple[str, float, int]:
    return "speed", network.threshold, count


def _show_buttons(network: Network, count: int, content: bytes) -> None:
    def measure_again() -> None:
        forget(network.fit, _measurement(network, count))

    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Download the compact network", content, file_name(network), key="download_compact", on_click="ignore"
        )
        st.button("Measure again", key="measure_again", on_click=measure_again, type="tertiary")
