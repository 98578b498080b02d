"""LeNet-300-100 on MNIST: what the literature reports and what the shipped networks reach."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import streamlit as st

from bdlviz.errata import ERRATA
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.results.register.views import html_table
from bdlviz.topics.weights.sparsity import study
from bdlviz.topics.weights.sparsity.views_runs import METHODS, times


class Row(NamedTuple):
    """Held-out error and sparsity per layer, both in percent, compression, and where it is from."""

    name: str
    error: str
    sparsity: str
    compression: str
    source: str


IN_MOLCHANOV = "as quoted by Molchanov et al. 2017"
PUBLISHED = (
    Row("Not pruned", "1.64", "–", "×1", IN_MOLCHANOV),
    Row("Pruning (Han et al. 2015)", "1.59", "92.0 · 91.0 · 74.0", "×12", IN_MOLCHANOV),
    Row("DNS (Guo et al. 2016)", "1.99", "98.2 · 98.2 · 94.5", "×56", IN_MOLCHANOV),
    Row("SWS (Ullrich et al. 2017)", "1.94", "–", "×23", IN_MOLCHANOV),
    Row("Sparse VD, the authors, 200 epochs", "1.92", "98.9 · 97.2 · 62.0", "×68", "Molchanov et al. 2017"),
    Row("Sparse VD, 100 epochs", "1.6", "97.3 · 95.5 · 70", "×33", "the authors' teaching notebook"),
    Row("ARD, 100 epochs", "–", "–", "×35", "Mittov's lecture"),
)
TITLES = {"sparse_variational_dropout": "Sparse VD, ours", "ard": "ARD, ours"}
EAGER = 1.0  # a lower threshold of log alpha than the papers' 3
DIFFERENCES = """
**What differs.** Ours: {ours}. The noise starts at log σ = −5, log α is not clipped, weights with log α > 3 are removed
(or > 1, as the row says), biases are kept and not counted. The notebook: 100 epochs, log σ from −5, log α clipped to
[−10, 10], the KL term's weight raised by 0.02 an epoch. We do not clip: outside the clip a weight hears nothing of its
KL, and one that starts below it might never do, while the divergence itself needs no clip.
"""
FALLING = {"linear": "falling to 0 in a straight line", "drop_at_half": "and a tenth of it from half time on"}


def tabs() -> dict[str, Callable[[], None]]:
    """What else there is on this page."""
    return {"LeNet-300-100": show_table, "Errata": show_errata}


def show_table() -> None:
    """Published rows, and ours below."""
    rows = [*PUBLISHED, *(row for method in METHODS for row in (our_row(method), *eager_rows(method)))]
    heads = ("Network", "Error %", "Sparsity % by layer", "Compression", "Source")
    html_table(heads, [list(row) for row in rows])
    st.markdown(DIFFERENCES.format(ours="; ".join(_training(method) for method in METHODS)))


def _training(method: str) -> str:
    settings = study.settings_of(method, "mnist")
    return (
        f"{TITLES[method].removesuffix(', ours')}, {settings['num_epochs']} epochs of Adam in minibatches of "
        f"{settings['batch_size']}, learning rate {settings['learning_rate']:g} {FALLING[settings['schedule']]}, KL "
        f"warm-up over the first {settings['kl_warm_up']:.0%}"
    )


def our_row(method: str) -> Row:
    """The shipped LeNet-300-100 of a method: means and standard deviations over seeds."""
    name = study.name_of(method, "mnist")
    try:
        extra = shelf.shipped(name)[1]
    except CheckpointError:
        return Row(TITLES[method], "–", "–", "–", f"not shipped: <code>python -m bdlviz train {name}</code>")
    error, compression = 100 * (1 - extra["seed_accuracy"].astype(float)), extra["seed_compression"].astype(float)
    several = len(error) > 1
    spread = f" ± {error.std(ddof=1):.2f}" if several else ""
    compressed = f"{times(float(compression.mean()))}{f' ± {compression.std(ddof=1):.0f}' if several else ''}"
    sparsity = " · ".join(f"{100 * share:.1f}" for share in np.asarray(extra["sparsity"][-1], float))
    source = f"<code>{name}</code>, {len(error)} seed{'s' if several else ''}; sparsity of the first"
    return Row(TITLES[method], f"{error.mean():.2f}{spread}", sparsity, compressed, source)


def eager_rows(method: str) -> list[Row]:
    """The same network with more weights removed, of the first seed; nothing where it is not shipped."""
    name = study.name_of(method, "mnist")
    try:
        fit, extra = shelf.shipped(name)
    except CheckpointError:
        return []
    at = int(np.abs(study.THRESHOLDS - EAGER).argmin())
    shares = extra["threshold_sparsity"][at].astype(float)
    counts = np.array([before * after for before, after in pairwise(fit.model.network.sizes)])
    error = 100 * (1 - float(extra["threshold_accuracy"][at]))
    compressed = times(float(counts.sum() / max(1.0, (counts * (1 - shares)).sum())))
    sparsity = " · ".join(f"{100 * share:.1f}" for share in shares)
    return [Row(f"{TITLES[method]}, log α > {EAGER:g}", f"{error:.2f}", sparsity, compressed, f"<code>{name}</code>")]


def show_errata() -> None:
    """The two slips in a lecture's formulas of ARD."""
    for name in ("ard-kl", "ard-constant"):
        erratum = ERRATA[name]
        st.markdown(f"**[{erratum.title}](errata?erratum={name})**, {erratum.where}. {erratum.why}")
