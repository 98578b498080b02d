"""A fit or Markov chains on a posterior of two weights, played step by step in the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.models.targets import Target
from bdlviz.plots.theme import Theme
from bdlviz.predictive.surface import pack
from bdlviz.topics.foundations.variational_or_mcmc.figures import CHAINS, Spread, chain_color
from bdlviz.topics.foundations.variational_or_mcmc.gaussian_fit import History
from bdlviz.topics.foundations.variational_or_mcmc.samplers import Chains
from bdlviz.types import Array
from bdlviz.ui.frame import on_page
from bdlviz.ui.scrub import base, switch

SCRIPTS = ("ground", "fit", "chain", "view", "main")
FLOOR = 12.0  # nats below the evidence, where the bars begin
Still = Callable[[], go.Figure]


@dataclass(frozen=True, eq=False)
class Told:
    """What the view says of chains.

    ``diagnostics`` are ``r_hat``, ``ess`` and ``acceptance``, (T + 1,) each, the first two not a number where nothing
    is judged, and ``verdict`` (T + 1,) uint8, positions in ``verdicts``. The first verdict says that it is too early,
    the last one is agreement. Chains may be said to agree where R-hat is below ``converged``.
    """

    diagnostics: Mapping[str, Array]
    is_adjusted: bool
    verdicts: Sequence[str]
    converged: float


def show_fit(
    theme: Theme, target: Target, density: Array, spread: Spread, history: History, still: Still, alt: str
) -> None:
    """Put the steps of a fit on the page: ellipses on the posterior's density (G, G), and the evidence as two bars."""
    evidence = float(history.elbo[-1] + history.reverse[-1])
    arrays = {"mean": history.mean, "factor": history.factor}
    arrays |= {"elbo": history.elbo, "reverse": history.reverse}
    data = {"kind": "fit", "evidence": evidence, "floor": evidence - FLOOR, "spread": list(spread)}
    on_page.note_figure("fit", still, alt)
    _show(theme, target, density, data, arrays, "fit_steps")


def show_chains(
    theme: Theme, target: Target, density: Array, chains: Chains, told: Told, still: Still, alt: str
) -> None:
    """Put the steps of chains on the page, with what can be said of them so far."""
    data = {
        "kind": "chains",
        "chains": chains.places.shape[1],
        "corners": chains.paths.shape[2],
        "evaluations": chains.evaluations,
        "adjusted": told.is_adjusted,
        "verdicts": list(told.verdicts),
        "converged": told.converged,
    }
    numbers = {name: told.diagnostics[name] for name in ("r_hat", "ess", "acceptance")}
    arrays = {"places": chains.places, "paths": chains.paths, **numbers}
    flags = {"accepted": chains.is_accepted.astype(np.uint8), "verdict": told.diagnostics["verdict"]}
    on_page.note_figure("walk", still, alt)
    _show(theme, target, density, data, arrays, "walk_steps", flags)


def _show(
    theme: Theme,
    target: Target,
    density: Array,
    data: Mapping[str, Any],
    arrays: Mapping[str, Array],
    key: str,
    flags: Mapping[str, Array] | None = None,
) -> None:
    shades = np.round(255 * np.sqrt(density / density.max())).astype(np.uint8)
    with np.errstate(over="ignore"):
        course = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
    blocks = {
        "ground": pack({"size": list(density.shape)}, {"density": shades}),
        "course": pack({}, course | dict(flags or {})),
    }
    texts = {"exact_text": theme.text(theme.exact), "warning_text": theme.text(theme.warning)}
    texts |= {"kl": theme.prior, "kl_text": theme.text(theme.prior)}
    spec = {
        **data,
        "name": key,
        "theme": base.tokens(theme) | texts | {"classes": [chain_color(chain, theme) for chain in range(len(CHAINS))]},
        "labels": list(target.labels),
        "limits": [list(limits) for limits in target.limits],
        **{name: base.block_name(block) for name, block in blocks.items()},
    }
    base.mount(base.component("chains", SCRIPTS), key, spec, blocks, switch.note_failure)
