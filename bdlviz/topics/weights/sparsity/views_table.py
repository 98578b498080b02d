"""LeNet-300-100 on MNIST: what the literature reports and what the shipped networks reach."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bdlviz.digits import THIN
from bdlviz.errata import ERRATA
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.weights.sparsity import study
from bdlviz.topics.weights.sparsity.run import METHODS, times
from bdlviz.ui.model import Part, Says, Table, Words


class Row(NamedTuple):
    """Held-out error and sparsity per layer, both in percent, compression, and where it is from."""

    name: str
    error: str
    sparsity: str
    compression: str
    source: str


IN_MOLCHANOV = "as quoted by Molchanov et al. 2017"
AUTHORS = Row("Sparse VD, the authors, 200 epochs", "1.92", "98.9 · 97.2 · 62.0", "×68", "Molchanov et al. 2017")
PUBLISHED = (
    Row("Not pruned", "1.64", "–", "×1", IN_MOLCHANOV),
    Row("Pruning (Han et al. 2015)", "1.59", "92.0 · 91.0 · 74.0", "×12", IN_MOLCHANOV),
    Row("DNS (Guo et al. 2016)", "1.99", "98.2 · 98.2 · 94.5", "×56", IN_MOLCHANOV),
    Row("SWS (Ullrich et al. 2017)", "1.94", "–", "×23", IN_MOLCHANOV),
    AUTHORS,
    Row("Sparse VD, 100 epochs", "1.6", "97.3 · 95.5 · 70", "×33", "the authors' teaching notebook"),
    Row("ARD, 100 epochs", "–", "–", "×35", "Mittov's lecture"),
)
TITLES = {"sparse_variational_dropout": "Sparse VD, ours", "ard": "ARD, ours"}
EAGER = 1.0  # a lower threshold of log alpha than the papers' 3
DIFFERENCES = """
**What differs.** Ours: {ours}. The noise starts at log σ = −5, log α is not clipped, weights with log α > 3 are removed
(or > 1, as the row says), biases are kept and not counted. The notebook: 100 epochs, log σ from −5, log α clipped to
[−10, 10], the KL term's weight raised by 0.02 an epoch. We do not clip: outside the clip the KL has no gradient, and a
weight that starts below it might never leave it. The divergence itself needs no clip.
"""
FALLING = {"linear": "falling to 0 in a straight line", "drop_at_half": "and a tenth of it from half time on"}


def table() -> list[Part]:
    """Published rows, and ours below."""
    rows = [*PUBLISHED, *(row for method in METHODS for row in (our_row(method), *eager_rows(method)))]
    heads = ("Network", "Error %", "Sparsity % by layer", "Compression", "Source")
    told = DIFFERENCES.format(ours="; ".join(_training(method) for method in METHODS))
    return [Says(_beside_the_authors()), Table(heads, [list(row) for row in rows]), Words(told, "markdown")]


def _beside_the_authors() -> str:
    """The shipped network of sparse variational dropout beside that of the authors."""
    theirs = f"{AUTHORS.compression} smaller, with {AUTHORS.error}{THIN}% of the digits wrong"
    ours = our_row(study.SPARSE)
    if ours.error == "–":
        return f"The network of the method's authors is {theirs}."
    return (
        f"Ours is {ours.compression} smaller, with {ours.error}{THIN}% wrong; that of the method's authors is {theirs}."
    )


def _training(method: str) -> str:
    settings = study.settings_of(method, "mnist")
    return (
        f"{TITLES[method].removesuffix(', ours')}, {settings['num_epochs']} epochs of Adam in minibatches of "
        f"{settings['batch_size']}, learning rate {settings['learning_rate']:g} {FALLING[settings['schedule']]}, KL "
        f"warm-up over the first {100 * (settings['kl_warm_up']):.0f} %"
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


def errata() -> list[Part]:
    """The two errors in a lecture's formulas of ARD."""
    found = [ERRATA[name] for name in ("ard-kl", "ard-constant")]
    told = [f"**[{each.title}](errata?erratum={each.name})**, {each.where}. {each.why}" for each in found]
    says = Says(f"A lecture's formulas of ARD have {len(found)} errors.")
    return [says, *(Words(each, "markdown") for each in told)]
