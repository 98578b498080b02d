"""The further picture *Printed training log*: one run that a lecture printed, among runs of our own."""

from __future__ import annotations

import numpy as np

from bdlviz import published
from bdlviz.digits import number, percent
from bdlviz.published import DIGITS_LOG
from bdlviz.topics.digits.mc_dropout import figures_log
from bdlviz.ui.model import Figure, Part, Says, Screen, Words

MEASUREMENT = "mc_dropout_log"
TITLES = {
    "cross_entropy": "Cross-entropy (nats)",
    "penalty": "Weight decay (10⁻³ nats)",
    "accuracy": "Accuracy, training digits (%)",
}


def tab(screen: Screen) -> list[Part]:
    """Cross-entropy, penalty and accuracy over ten epochs, printed and, where they are measured, of our runs."""
    claims = [claim for claim in published.CLAIMS if claim.measurement == MEASUREMENT]  # in the order of the log
    rows = published.rows(claims=claims)
    ours = np.array([[row.ours, row.low, row.high] for row in rows], float).reshape(len(TITLES), -1, 3).swapaxes(1, 2)
    is_measured = bool(np.isfinite(ours).all())
    printed = {title: DIGITS_LOG[part] for part, title in TITLES.items()}
    of_runs = dict(zip(TITLES.values(), ours, strict=True)) if is_measured else {}
    fig = figures_log.training_log(printed, of_runs, theme=screen.theme, stacked=screen.is_narrow)
    accuracy, fall = DIGITS_LOG["accuracy"], DIGITS_LOG["cross_entropy"]
    ends = f"accuracy ends at {percent(accuracy[-1] / 100)}"
    says = f"In the printed log {ends}; no runs of ours are measured yet."
    if is_measured:
        inside = sum(row.verdict == "reproduced" for row in rows)
        says = (
            f"Of {len(rows)} printed numbers, {inside} lie in the central {percent(0.95)} of our {rows[0].seeds} runs; "
            f"{ends}, ours at {percent(ours[-1, 0, -1] / 100)}."
        )
    alt = (
        f"Cross-entropy, weight decay and accuracy over {len(fall)} epochs of training: rings for a printed run, whose "
        f"cross-entropy falls from {number(fall[0])} to {number(fall[-1])} nats, and the range of our runs."
    )
    return [
        Says(says),
        Figure("printed_log", fig, alt),
        Words(
            "Rings: the log in Lee's slides, Bayesian deep learning, MNIST-1000, means over the minibatches of an "
            f"epoch. The slides leave out the dropout rate; ours is 0.5. By chance alone about {0.05 * len(rows):g} "
            "numbers would lie outside. The page [Register](register) has each number."
        ),
    ]
