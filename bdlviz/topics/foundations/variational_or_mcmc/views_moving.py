"""A fit beside a Markov chain, or several chains, on a posterior of two weights, played step by step in the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.models.targets import Target
from bdlviz.plots.theme import Theme
from bdlviz.predictive.surface import pack
from bdlviz.topics.foundations.variational_or_mcmc.figures import CHAINS, TITLES, Spread, chain_color
from bdlviz.topics.foundations.variational_or_mcmc.gaussian_fit import History
from bdlviz.topics.foundations.variational_or_mcmc.samplers import Chains
from bdlviz.types import Array
from bdlviz.ui.frame import on_page
from bdlviz.ui.scrub import base, switch

SCRIPTS = ("ground", "chain", "fit", "view", "main")
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


@dataclass(frozen=True, eq=False)
class FitAndChain:
    """A fit, and one chain beside it: ``mean`` and ``std`` (T + 1,) of the first weight over its places so far.

    ``sentences`` say of every step what is seen.
    """

    history: History
    chain: Chains
    mean: Array
    std: Array
    sentences: Sequence[str]


def show_fit(
    theme: Theme, target: Target, density: Array, spread: Spread, course: FitAndChain, still: Still, alt: str
) -> None:
    """Put the steps of a fit and of a chain on the page, side by side on the posterior's density (G, G)."""
    history, chain = course.history, course.chain
    data = {"kind": "fit", "titles": list(TITLES), "spread": list(spread), "chains": 1, "corners": chain.paths.shape[2]}
    data["told"] = list(course.sentences)
    arrays = {"mean": history.mean, "factor": history.factor, "chain_mean": course.mean, "chain_std": course.std}
    arrays |= {"places": chain.places, "paths": chain.paths}
    on_page.note_figure("fit", still, alt)
    _show(theme, target, density, data, arrays, "fit_steps", {"accepted": chain.is_accepted.astype(np.uint8)})


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
    flags: Mapping[str, Array],
) -> None:
    shades = np.round(255 * np.sqrt(density / density.max())).astype(np.uint8)
    with np.errstate(over="ignore"):
        course = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
    blocks = {
        "ground": pack({"size": list(density.shape)}, {"density": shades}),
        "course": pack({}, course | dict(flags)),
    }
    texts = {"exact_text": theme.text(theme.exact), "warning_text": theme.text(theme.warning)}
    texts["chain_text"] = theme.text(chain_color(0, theme))
    spec = {
        **data,
        "name": key,
        "theme": base.tokens(theme) | texts | {"classes": [chain_color(chain, theme) for chain in range(len(CHAINS))]},
        "labels": list(target.labels),
        "limits": [list(limits) for limits in target.limits],
        **{name: base.block_name(block) for name, block in blocks.items()},
    }
    base.mount(base.component("chains", SCRIPTS), key, spec, blocks, switch.note_failure)
