"""Chains that walk through a posterior: where they have been, and what R-hat and ESS say of them."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from bdlviz.models import targets
from bdlviz.models.targets import Target
from bdlviz.predictive.chains import CONVERGED, ENOUGH, effective_sample_size, judge, split_r_hat
from bdlviz.topics.foundations.variational_or_mcmc import figures, samplers, views_moving
from bdlviz.topics.foundations.variational_or_mcmc import views_setting as setting
from bdlviz.topics.foundations.variational_or_mcmc.samplers import SAMPLERS, Walk
from bdlviz.types import Array
from bdlviz.ui.cache import memoised
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame import on_page
from bdlviz.ui.frame.legacy import Shown
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.window import is_narrow
from bdlviz.ui.scrub import switch

NUM_STEPS = 300
WARM_UP = 100  # steps before which nothing is judged; then the later half holds 50 draws of each chain
VERDICTS = {
    "warm-up": f"Warm-up: no verdict before step {WARM_UP}",
    "disagree": f"NOT CONVERGED: R-hat is not below {CONVERGED:g}",
    "too few": f"NO VERDICT: fewer than {ENOUGH} effective draws",
    "agree": "The chains agree, which is not yet a proof",
}
SAMPLER = Control(
    "sampler",
    "Walk",
    tuple(SAMPLERS),
    "hmc",
    "menu",
    "Metropolis proposes blindly. Langevin follows the gradient once, Hamiltonian Monte Carlo for many steps.",
    {name: sampler.title for name, sampler in SAMPLERS.items()},
)
STEP = number_control(
    "walk_step",
    "Step size ε",
    (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8, 1.2, 2),
    0.1,
    "Metropolis: the sd of a proposal. The others: the size of a leapfrog step.",
)
LEAPFROG = number_control("walk_leapfrog", "Leapfrog steps L", (1, 2, 5, 10, 20, 40), 10, "Of one trajectory of HMC.")
PLACES = {
    "spread": ((0.2, 0.2), (0.8, 0.2), (0.2, 0.8), (0.8, 0.8)),
    "one": ((0.65, 0.65),) * 4,
}
STARTS = Control(
    "walk_starts",
    "Four chains start",
    tuple(PLACES),
    "spread",
    "buttons",
    "R-hat can only find a disagreement that the starts allow.",
    {"spread": "far apart", "one": "in one place"},
)
SEED = number_control("walk_seed", "Seed", range(10), 0, "Another walk from the same starts.")
CONTROLS = (SAMPLER, STEP, LEAPFROG, STARTS, SEED)


def choose() -> None:
    """Draw the controls of this view."""
    long = (LEAPFROG,) if SAMPLERS[SAMPLER.present()].is_long else ()
    setting.choose(SAMPLER, STEP, *long, STARTS, SEED)


def starts_of(target: Target, places: str) -> Array:
    """Where the chains start, (4, 2)."""
    low, high = np.array(target.limits).T
    return low + np.array(PLACES[places]) * (high - low)


@memoised()
def walk_of(name: str, sampler: str, step_size: float, num_leapfrog: int, places: str, seed: int) -> Walk:
    """The walk, which takes at most a few tenths of a second."""
    target, rng = targets.find(name), np.random.default_rng(seed)
    starts = starts_of(target, places)
    settings = {"num_leapfrog": num_leapfrog, "keeps_paths": True}
    return samplers.walk(target, sampler, step_size, starts, NUM_STEPS, rng, **settings)


def later_half(walk: Walk, step: int) -> Array:
    """What counts after so many steps, (chains, kept, 2): the earlier half is the warm-up."""
    return walk.places[step // 2 + 1 : step + 1].swapaxes(0, 1)


@memoised()
def diagnostics_of(walk: Walk) -> dict[str, Array]:
    """R-hat and ESS, the worse of both weights, and the acceptance so far: after every step, (T + 1,).

    ``verdict`` (T + 1,) is the position in `VERDICTS`. In the warm-up it is 0, and R-hat and ESS are not a number.
    """
    steps, names = range(len(walk.places)), list(VERDICTS)
    r_hat, ess = np.full((2, len(steps)), np.nan)
    verdict = np.zeros(len(steps), np.uint8)
    for step in steps[WARM_UP:]:
        kept = later_half(walk, step)
        r_hat[step], ess[step] = split_r_hat(kept).max(), effective_sample_size(kept).min()
        verdict[step] = names.index(judge(r_hat[step], ess[step]))
    accepted = np.cumsum(walk.is_accepted.mean(-1)) / np.arange(1, len(steps))
    return {"r_hat": r_hat, "ess": ess, "acceptance": np.concatenate([[0.0], accepted]), "verdict": verdict}


def show() -> Shown:
    """The chains on the posterior, and each weight over the steps below."""
    target, plane = setting.present_target(), setting.plane_of(setting.TARGET.present())
    sampler, step_size, num_leapfrog = SAMPLER.present(), float(STEP.present()), int(LEAPFROG.present())
    walk = walk_of(target.name, sampler, step_size, num_leapfrog, STARTS.present(), int(SEED.present()))
    found = diagnostics_of(walk)
    mean, std = setting.moments_of(target.name)
    alt = f"Four chains of {SAMPLERS[sampler].title} after {NUM_STEPS} steps; R-hat {_r_hat(found['r_hat'][-1])}."

    def still() -> go.Figure:
        return figures.posterior_with_chains(plane, walk.places, theme=present_theme())

    if setting.plays():
        on_page.note_figure("walk", still, alt)
        views_moving.show_walk(
            target,
            plane.density,
            walk,
            found,
            switch.note_failure,
            key="walk_steps",
            is_adjusted=SAMPLERS[sampler].is_adjusted,
            verdicts=list(VERDICTS.values()),
            converged=CONVERGED,
        )
    else:
        figure(still(), key="walk_picture", alt=alt)
    setting.say_model(target)
    _verdict(walk, found, mean, std)
    fig = figures.chain_traces(
        walk.places, mean, std, target.limits, target.labels, theme=present_theme(), stacked=is_narrow()
    )
    figure(fig, key="chain_traces", alt=alt)
    return _shown(target, sampler, step_size, num_leapfrog)


def _r_hat(value: float) -> str:
    return "∞" if not np.isfinite(value) else f"{value:.3f}" if value < 10 else f"{value:.0f}"


def _verdict(walk: Walk, found: dict[str, Array], mean: Array, std: Array) -> None:
    """Numbers after the last step; what has not converged is never shown as an answer."""
    kept, r_hat = later_half(walk, NUM_STEPS).reshape(-1, 2), found["r_hat"][-1]
    ran_away = not np.isfinite(kept).all()
    error = np.nan if ran_away else float(np.sqrt(np.square((kept.mean(0) - mean) / std).mean()))
    width = (np.nan, np.nan) if ran_away else kept.std(0) / std
    judgement = judge(r_hat, found["ess"][-1])
    if judgement == "disagree":
        reason = "a chain ran away" if ran_away else f"R-hat {_r_hat(r_hat)} is not below {CONVERGED:g}"
        st.markdown(f":red[**NOT CONVERGED** after {NUM_STEPS} steps: {reason}.] What follows is no answer yet.")
    elif judgement == "too few":
        st.markdown(
            f":red[**NO VERDICT** after {NUM_STEPS} steps:] {found['ess'][-1]:.0f} effective draws are fewer than the "
            f"{ENOUGH} that R-hat needs to mean something. What follows is no answer yet."
        )
    elif error > 0.5:
        st.markdown(":red[**Converged, says R-hat, and wrong:**] all chains agree on a part of the posterior.")
    numbers(
        [
            (
                "R-hat, later half",
                _r_hat(r_hat),
                f"Chains agree below {CONVERGED:g}, given enough effective draws. The worse of both weights.",
            ),
            (
                "Effective draws",
                f"{found['ess'][-1]:.0f}",
                f"ESS of {len(kept)} draws; {ENOUGH} are enough. The worse of both weights.",
            ),
            (
                "Error of the mean (sd)",
                _number(error),
                "Both weights together, in standard deviations of the posterior.",
            ),
            ("sd found over true sd", f"{_number(width[0])}, {_number(width[1])}", "Of the two weights; 1 is right."),
        ]
    )


def _number(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else "–"


def _shown(target: Target, sampler: str, step_size: float, num_leapfrog: int) -> Shown:
    starts = np.round(starts_of(target, STARTS.present()), 4).tolist()
    snippet = "\n".join(
        [
            "import numpy as np",
            "from bdlviz import plots",
            "from bdlviz.models import samplers, targets",
            "from bdlviz.predictive.chains import effective_sample_size, split_r_hat",
            "",
            f"target, rng = targets.find({target.name!r}), np.random.default_rng({int(SEED.present())})",
            f"starts = np.array({starts})",
            f"walk = samplers.walk(target, {sampler!r}, {step_size:g}, starts, {NUM_STEPS}, rng, "
            f"num_leapfrog={num_leapfrog})",
            f"kept = walk.places[{NUM_STEPS // 2 + 1}:].swapaxes(0, 1)  # (chains, kept, 2)",
            "print(split_r_hat(kept), effective_sample_size(kept), walk.acceptance)",
            "plane = plots.Plane(*targets.shown(target), target.labels)",
            "plots.posterior_with_chains(plane, walk.places).show()",
        ]
    )
    moves = () if sampler == "metropolis" else (samplers.leapfrog,)
    bias = (samplers.unadjusted_covariance,) if sampler == "unadjusted" else (samplers.accepts,)
    formulas = (*moves, *bias, split_r_hat, effective_sample_size, Target.gradient)
    return Shown(formulas, (samplers.walk, samplers.leapfrog, samplers.accepts, split_r_hat), snippet)
