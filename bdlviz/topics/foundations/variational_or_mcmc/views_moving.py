"""A fit or a walk on a posterior of two weights, played step by step in the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bdlviz.models.targets import Target
from bdlviz.predictive.surface import pack
from bdlviz.topics.foundations.variational_or_mcmc.gaussian_fit import Course
from bdlviz.topics.foundations.variational_or_mcmc.samplers import Walk
from bdlviz.types import Array
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.scrub import base

SCRIPTS = ("ground", "fit", "walk", "view", "main")
FLOOR = 12.0  # nats below the evidence, where the bars begin
Commit = Callable[[dict[str, Any]], None]


def show_fit(target: Target, density: Array, course: Course, on_commit: Commit, *, key: str) -> None:
    """Put the steps of a fit on the page: ellipses on the posterior's density (G, G), and the evidence as two bars."""
    evidence = float(course.elbo[-1] + course.reverse[-1])
    arrays = {"mean": course.mean, "factor": course.factor}
    arrays |= {"elbo": course.elbo, "reverse": course.reverse, "forward": course.forward}
    data = {"kind": "fit", "evidence": evidence, "floor": evidence - FLOOR}
    _show(target, density, data, arrays, on_commit, key)


def show_walk(
    target: Target,
    density: Array,
    walk: Walk,
    diagnostics: Mapping[str, Array],
    on_commit: Commit,
    *,
    key: str,
    is_adjusted: bool,
    verdicts: Sequence[str],
    converged: float,
) -> None:
    """Put the steps of chains on the page, with what can be said of them so far.

    Args:
        diagnostics: ``r_hat``, ``ess`` and ``acceptance``, (T + 1,) each, the first two not a number where nothing is
            judged; ``verdict`` (T + 1,) uint8, positions in ``verdicts``.
        verdicts: what may be said of the chains; the first one says that it is too early, the last one is agreement.
        converged: R-hat below which chains may be said to agree.
    """
    data = {
        "kind": "walk",
        "chains": walk.places.shape[1],
        "corners": walk.paths.shape[2],
        "evaluations": walk.evaluations,
        "adjusted": is_adjusted,
        "verdicts": list(verdicts),
        "converged": converged,
    }
    numbers = {name: diagnostics[name] for name in ("r_hat", "ess", "acceptance")}
    arrays = {"places": walk.places, "paths": walk.paths, **numbers}
    flags = {"accepted": walk.is_accepted.astype(np.uint8), "verdict": diagnostics["verdict"]}
    _show(target, density, data, arrays, on_commit, key, flags)


def _show(
    target: Target,
    density: Array,
    data: Mapping[str, Any],
    arrays: Mapping[str, Array],
    on_commit: Commit,
    key: str,
    flags: Mapping[str, Array] | None = None,
) -> None:
    theme = present_theme()
    shades = np.round(255 * np.sqrt(density / density.max())).astype(np.uint8)
    with np.errstate(over="ignore"):
        course = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
    blocks = {
        "ground": pack({"size": list(density.shape)}, {"density": shades}),
        "course": pack({}, course | dict(flags or {})),
    }
    texts = {"exact_text": theme.text(theme.exact), "warning_text": theme.text(theme.warning)}
    spec = {
        **data,
        "name": key,
        "theme": base.tokens(theme) | texts | {"classes": list(theme.classes)},
        "labels": list(target.labels),
        "limits": [list(limits) for limits in target.limits],
        **{name: base.block_name(block) for name, block in blocks.items()},
    }
    base.mount(base.component("chains", SCRIPTS), key, spec, blocks, on_commit)
