"""Markov chains on a posterior: where they have been, and what R-hat and ESS say of them."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import percent
from bdlviz.models import targets
from bdlviz.models.targets import Target
from bdlviz.predictive.chains import CONVERGED, ENOUGH, effective_sample_size, judge, split_r_hat, stopped
from bdlviz.topics.foundations.variational_or_mcmc import figures, samplers, views_moving
from bdlviz.topics.foundations.variational_or_mcmc.controls import LEAPFROG, PLACES, SAMPLER, SEED, STARTS, STEP
from bdlviz.topics.foundations.variational_or_mcmc.posterior import about_model, moments_of, plane_of, target_of
from bdlviz.topics.foundations.variational_or_mcmc.samplers import SAMPLERS, Chains
from bdlviz.types import Array
from bdlviz.ui.cache import memoised
from bdlviz.ui.model import Figure, Formula, Numbers, Part, Result, Says, Screen, Setting, Widget, Words
from bdlviz.ui.scrub import switch

NUM_STEPS = 300
WRONG = 0.5  # posterior sds: chains that agree and whose mean is farther off have missed a part of the posterior
WARM_UP = 100  # steps before which nothing is judged; then the later half holds 50 draws of each chain
VERDICTS = {
    "warm-up": f"Warm-up: no verdict before step {WARM_UP}",
    "disagree": f"NOT CONVERGED: R-hat is not below {CONVERGED:g}",
    "too few": f"NO VERDICT: fewer than {ENOUGH} effective draws",
    "agree": "The chains agree, which is not yet a proof",
}

SHORT = {"metropolis": "Metropolis", "langevin": "Langevin", "unadjusted": "Unadjusted Langevin", "hmc": "HMC"}
WARNINGS = {
    "disagree": f":red[**NOT CONVERGED** after {NUM_STEPS} steps:] the estimates below are not reliable yet.",
    "too few": f":red[**NO VERDICT** after {NUM_STEPS} steps:] the estimates below are not reliable yet.",
}
ACCEPTED = Formula(
    samplers.accepts,
    "A proposal is accepted with this probability; without the gradient or with it, the chain then has the posterior.",
)
LEAPS = Formula(
    samplers.leapfrog,
    "A leapfrog step of a trajectory; the proposal at its end is accepted by the change of energy.",
    {r"\epsilon": "step size", "w": "both weights"},
)
RULES = {
    "metropolis": ACCEPTED,
    "langevin": LEAPS,
    "hmc": LEAPS,
    "unadjusted": Formula(
        samplers.unadjusted_covariance, "Without rejections the chain is too wide on a Gaussian, by this covariance."
    ),
}
R_HAT = Formula(split_r_hat, "R-hat compares halves of all chains with each other; 1 where they agree.")
ESS = Formula(effective_sample_size, "So many independent draws would give the same error of the mean.")


def starts_of(target: Target, places: str) -> Array:
    """Where the chains start, (4, 2)."""
    low, high = np.array(target.limits).T
    return low + np.array(PLACES[places]) * (high - low)


@memoised()
def chains_of(name: str, sampler: str, step_size: float, num_leapfrog: int, places: str, seed: int) -> Chains:
    """Four chains, which take at most a few tenths of a second."""
    target, rng = targets.find(name), np.random.default_rng(seed)
    starts = starts_of(target, places)
    return samplers.run_chains(
        target, sampler, step_size, starts, NUM_STEPS, rng, num_leapfrog=num_leapfrog, keeps_paths=True
    )


def later_half(chains: Chains, step: int) -> Array:
    """The draws that count after so many steps, (chains, kept, 2): the earlier half is the warm-up."""
    return chains.places[step // 2 + 1 : step + 1].swapaxes(0, 1)


def agreement(chains: Chains, step: int = NUM_STEPS) -> tuple[float, float]:
    """R-hat and ESS after so many steps, the worse of both weights."""
    kept = later_half(chains, step)
    return float(split_r_hat(kept).max()), float(effective_sample_size(kept).min())


@memoised()
def diagnostics_of(chains: Chains) -> dict[str, Array]:
    """R-hat and ESS, the worse of both weights, and the acceptance so far: after every step, (T + 1,).

    ``verdict`` (T + 1,) is the position in `VERDICTS`. In the warm-up it is 0, and R-hat and ESS are not a number.
    """
    steps, names = range(len(chains.places)), list(VERDICTS)
    r_hat, ess = np.full((2, len(steps)), np.nan)
    verdict = np.zeros(len(steps), np.uint8)
    for step in steps[WARM_UP:]:
        r_hat[step], ess[step] = agreement(chains, step)
        verdict[step] = names.index(judge(r_hat[step], ess[step]))
    accepted = np.cumsum(chains.is_accepted.mean(-1)) / np.arange(1, len(steps))
    return {"r_hat": r_hat, "ess": ess, "acceptance": np.concatenate([[0.0], accepted]), "verdict": verdict}


def chains(setting: Setting, screen: Screen, _: object) -> Result:
    """The chains on the posterior, and each weight over the steps below."""
    target, sampler, num_leapfrog = target_of(setting), setting[SAMPLER], int(setting[LEAPFROG])
    found = chains_of(target.name, sampler, setting.number(STEP), num_leapfrog, setting[STARTS], int(setting[SEED]))
    judged, moments = agreement(found), moments_of(target.name)
    alt = f"Four chains of {SAMPLERS[sampler].title} after {NUM_STEPS} steps; R-hat {_r_hat(judged[0])}."
    fig = figures.chain_traces(
        found.places, *moments, target.limits, target.labels, theme=screen.theme, stacked=screen.is_narrow
    )
    return Result(
        [
            Says(_sentence(setting, found, *judged, *moments)),
            _picture(setting, screen, target, found, alt),
            about_model(target),
            *_verdict(found, *judged, *moments),
            Figure("chain_traces", fig, alt),
        ],
        (RULES[sampler], R_HAT, ESS),
        (samplers.run_chains, samplers.leapfrog, samplers.accepts, split_r_hat),
        _call(setting, target),
    )


def _picture(setting: Setting, screen: Screen, target: Target, found: Chains, alt: str) -> Figure | Widget:
    plane = plane_of(target.name)

    def still() -> go.Figure:
        return figures.posterior_with_chains(plane, found.places, theme=screen.theme)

    if not setting.text(switch.MOVES):
        return Figure("walk_picture", still(), alt)
    told = views_moving.Told(
        diagnostics_of(found), SAMPLERS[setting[SAMPLER]].is_adjusted, list(VERDICTS.values()), CONVERGED
    )
    return Widget(lambda: views_moving.show_chains(screen.theme, target, plane.density, found, told, still, alt))


def _r_hat(value: float) -> str:
    return "∞" if not np.isfinite(value) else f"{value:.3f}" if value < 10 else f"{value:.0f}"


def _error_of_mean(found: Chains, mean: Array, std: Array) -> float:
    """The distance of the mean of the kept draws from the posterior's, in its sds; not a number if a chain ran away."""
    kept = later_half(found, NUM_STEPS).reshape(-1, 2)
    return float(np.sqrt(np.square((kept.mean(0) - mean) / std).mean())) if np.isfinite(kept).all() else np.nan


def _sentence(setting: Setting, found: Chains, r_hat: float, ess: float, mean: Array, std: Array) -> str:
    """What the chains have reached after the last step, and how one knows."""
    sampler, error, judgement = SAMPLERS[setting[SAMPLER]], _error_of_mean(found, mean, std), judge(r_hat, ess)
    later, chains = later_half(found, NUM_STEPS), f"{found.places.shape[1]} chains"
    steps = f"{SHORT[sampler.name]}, {NUM_STEPS} steps"
    if np.isnan(error):
        away = int((~np.isfinite(later).all((1, 2))).sum())
        return f"{steps} of size {setting[STEP]}: {away} of {chains} have run away, because no step is rejected."
    if judgement == "too few":
        return (
            f"{steps}: {ess:.0f} effective draws are fewer than the {ENOUGH} that R-hat needs, so there is no verdict."
        )
    if judgement == "agree" and error > WRONG:
        off = f"their mean is {error:.1f} posterior sd off"
        return f"{steps}: all {chains} agree (R-hat {_r_hat(r_hat)}) and are wrong; {off}."
    if judgement == "agree":
        first, second = (f"{share:.2f}" for share in later.reshape(-1, 2).std(0) / std)
        return (
            f"{steps}: the {chains} agree (R-hat {_r_hat(r_hat)}); their mean is {error:.2f} posterior sd off, "
            f"their sds {first} and {second} of the true."
        )
    if still := sum(each.any() for each in stopped(later)):
        return f"{steps}: {still} of {chains} did not move in a half of their draws; they have not converged."
    accepted = f"{percent(found.acceptance)} of the proposals are accepted, but " if sampler.is_adjusted else ""
    return f"{steps}: {accepted}R-hat is {_r_hat(r_hat)}, not below {CONVERGED:g}: the {chains} have not converged."


def _verdict(found: Chains, r_hat: float, ess: float, mean: Array, std: Array) -> list[Part]:
    """Numbers after the last step, and a warning where they are of chains that have not converged."""
    kept = later_half(found, NUM_STEPS).reshape(-1, 2)
    error = _error_of_mean(found, mean, std)
    width = (np.nan, np.nan) if np.isnan(error) else kept.std(0) / std
    said = WARNINGS.get(judge(r_hat, ess), "")
    agree = f"Chains agree below {CONVERGED:g}, given enough effective draws. The worse of both weights."
    values = [
        ("R-hat, later half", _r_hat(r_hat), agree),
        ("Effective draws", f"{ess:.0f}", f"ESS of {len(kept)} draws; {ENOUGH} are enough. The worse of both weights."),
        ("Error of the mean (sd)", _number(error), "Both weights together, in standard deviations of the posterior."),
        ("sd found over true sd", f"{_number(width[0])}, {_number(width[1])}", "Of the two weights; 1 is right."),
    ]
    return [*([Words(said, "markdown")] if said else []), Numbers(values)]


def _number(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else "–"


def _call(setting: Setting, target: Target) -> str:
    starts = np.round(starts_of(target, setting[STARTS]), 4).tolist()
    return "\n".join(
        [
            "import numpy as np",
            "from bdlviz.models import targets",
            "from bdlviz.predictive.chains import effective_sample_size, split_r_hat",
            "from bdlviz.topics.foundations.variational_or_mcmc import figures, samplers",
            "",
            f"target, rng = targets.find({target.name!r}), np.random.default_rng({int(setting[SEED])})",
            f"starts = np.array({starts})",
            f"chains = samplers.run_chains(target, {setting[SAMPLER]!r}, {setting.number(STEP):g}, starts, "
            f"{NUM_STEPS}, rng, num_leapfrog={int(setting[LEAPFROG])})",
            f"kept = chains.places[{NUM_STEPS // 2 + 1}:].swapaxes(0, 1)  # (chains, kept, 2)",
            "print(split_r_hat(kept), effective_sample_size(kept), chains.acceptance)",
            "plane = figures.Plane(*targets.shown(target), target.labels)",
            "figures.posterior_with_chains(plane, chains.places).show()",
        ]
    )
