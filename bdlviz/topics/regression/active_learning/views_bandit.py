"""A bandit: learn which arm is best while every try counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from bdlviz.digits import number
from bdlviz.predictive.intervals import mean_interval
from bdlviz.topics.regression.active_learning import bandit, figures, figures_bandit, runs, study_bandit
from bdlviz.topics.regression.active_learning.study_bandit import (
    ARMS,
    BANDIT_FIRST,
    BANDIT_ROUNDS,
    FITTED_EPSILON,
    FITTED_NOISE,
    FITTED_POLICIES,
    FITTED_ROUNDS,
)
from bdlviz.types import Array
from bdlviz.ui.cache import memoised
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.model import (
    Columns,
    Figure,
    Formula,
    Function,
    Numbers,
    Part,
    Result,
    Says,
    Screen,
    Setting,
    When,
    Words,
)

POLICY = Control(
    "policy",
    "Policy watched",
    bandit.POLICIES,
    "thompson",
    "menu",
    "How an arm is chosen from the posterior of the rewards.",
    {
        "thompson": "Thompson sampling",
        "greedy": "greedy",
        "epsilon_greedy": "ε-greedy",
        "upper_confidence": "upper bound",
    },
)
BELIEF = Control(
    "belief",
    "Model of the rewards",
    ("exact", *study_bandit.BANDIT_SETTINGS),
    "exact",
    "menu",
    "Games with the exact posterior are played here. Those with networks, which are trained again after every try, "
    "are shipped.",
    {"exact": "exact posterior", "mc_dropout": "MC dropout", "deep_ensemble": "deep ensemble"},
)
REWARD = Control(
    "arms",
    "Rewards",
    tuple(study_bandit.REWARDS),
    "hills",
    "buttons",
    "Expected reward of the arms: two hills, the narrow one higher; one narrow needle; or simply the more the better.",
    {"hills": "two hills", "needle": "needle", "ramp": "ramp"},
)
EPSILON = number_control(
    "epsilon", "ε of ε-greedy", (0, 0.01, 0.03, 0.1, 0.3, 1), 0.1, "The probability of trying a random arm."
)
LENGTH_SCALE = number_control(
    "belief_scale",
    "Length-scale of the model",
    (0.03, 0.05, 0.1, 0.2, 0.3),
    0.1,
    "How far away a reward still informs about other arms. If it is too long, the model is certain of arms that were "
    "never tried.",
)
WIDENED = number_control(
    "widened",
    "Posterior sd, times",
    (0, 0.1, 0.3, 1, 3),
    1,
    "1 is Bayes' rule. Less is over-confident, 0 keeps the mean alone; more is under-confident.",
)
NOISE = number_control("reward_noise", "Noise sd of a reward", (0.1, 0.3, 1), 0.3)
ROUND = number_control(
    "bandit_round", "Round", range(1, BANDIT_ROUNDS + 1), 12, "The first two arms are given.", plays=True
)
EXACT = (REWARD, EPSILON, LENGTH_SCALE, WIDENED, NOISE)
ENTRIES = (
    POLICY,
    BELIEF,
    When(lambda setting: setting[BELIEF] == "exact", EXACT),
)
SLIDERS = (ROUND,)
LOOKED_AT = {"thompson": "Draw", "greedy": "Mean", "epsilon_greedy": "Mean", "upper_confidence": "Mean + 2 sd"}
REWARD_RANGE = (-2.5, 2.0)
REGRET_TOPS = {"hills": 60.0, "needle": 150.0, "ramp": 70.0}  # of the axis
LAST = 10  # rounds over which it is asked whether the best arm was found
NEAR = 0.1  # of the best reward, on average over them


REGRET = Formula(
    bandit.cumulative_regret,
    "What is lost against the best arm, summed over the rounds so far.",
    {"f(a)": "expected reward of arm a", "a_t": "arm of round t", "T": "rounds so far"},
)
AFTER = Formula(
    bandit.posterior_after,
    "Every reward changes the belief about all arms that are near.",
    {"C": "covariance of the arms", "m": "mean"},
)
GIVEN: Mapping[str, tuple[str, Mapping[str, str]]] = {  # of each policy: what it does, and its symbols
    "thompson": (
        "Draw one function from the belief, and take its best arm.",
        {r"\tilde f": "the draw", "D": "rewards so far"},
    ),
    "greedy": ("Take the arm with the highest mean.", {"f": "expected reward", "D": "rewards so far"}),
    "epsilon_greedy": (
        "Mostly greedy; with probability ε an arm by chance.",
        {r"\varepsilon": "probability of chance"},
    ),
    "upper_confidence": ("Take the arm with the highest mean plus two standard deviations.", {"f": "expected reward"}),
}


class Played(NamedTuple):
    """The game of one run, and the regret of each round in all runs, by policy, (R, T)."""

    policy: str
    arms: Array
    rewards: Array
    mean: Array
    std: Array
    looked_at: Array
    regret: Mapping[str, Array]


def game(setting: Setting, screen: Screen, _: object) -> Result:
    """One run round by round, and the regret of all policies."""
    found, parts = _exact(setting) if setting[BELIEF] == "exact" else _fitted(setting)
    if found is not None:
        at = min(int(setting[ROUND]), len(found.arms)) - 1
        name = "hills" if setting[BELIEF] != "exact" else setting[REWARD]
        played = _round(screen, found, at, name)
        parts.insert(0, Says(_sentence(found, at)))
        parts += [Columns([played, [_regret(screen, found, at, name)]], (1.75, 1), "small")]
        parts += [Numbers(_numbers(found)), Words(_verdict(found), "markdown")]
    policy = _function(setting[POLICY])
    return Result(
        parts,
        formulas=(Formula(policy, *GIVEN[setting[POLICY]]), REGRET, AFTER),
        code=(policy, bandit.play, bandit.posterior_after, bandit.GaussianModel),
        call=_call(setting),
    )


def _compared(found: Played) -> list[str]:
    """The policy that is watched and the one that it is compared with."""
    return [found.policy, "thompson" if found.policy == "greedy" else "greedy"]


def _sentence(found: Played, at: int) -> str:
    """What the policy has lost up to this round, beside greedy or, for greedy, Thompson sampling."""
    names = _compared(found)
    mine, other = (bandit.cumulative_regret(found.regret[name])[:, at] for name in names)
    lost = [number(float(values.mean()), 3) for values in (mine, other)]
    told = f"After {at + 1} rounds {POLICY.name(names[0])} has lost {lost[0]} against the best arm"
    verdict = runs.difference(mine, other, "less", "more")
    return f"{told}, {POLICY.name(names[1])} {lost[1]}: {verdict} in {len(mine)} runs."


def _function(policy: str) -> Function:
    return getattr(bandit, policy)


# The games ------------------------------------------------------------------------------------------------------------


def _exact(setting: Setting) -> tuple[Played, list[Part]]:
    """All policies with the exact posterior, played now."""
    length_scale, noise, widened = (setting.number(each) for each in (LENGTH_SCALE, NOISE, WIDENED))
    games = {
        each: _game(each, setting[REWARD], length_scale, noise, widened, _epsilon(setting, each))
        for each in bandit.POLICIES
    }
    chosen = games[setting[POLICY]]
    regret = {each: games[each].regret for each in bandit.POLICIES}
    first = (chosen.arms[0], chosen.rewards[0])
    return Played(setting[POLICY], *first, chosen.mean, chosen.std, chosen.looked_at, regret), []


def _epsilon(setting: Setting, policy: str) -> float:
    return setting.number(EPSILON) if policy == "epsilon_greedy" else 0.0


@memoised()
def _game(policy: str, reward: str, length_scale: float, noise: float, widened: float, epsilon: float) -> bandit.Game:
    return study_bandit.exact_game(reward, policy, length_scale, noise, widened, epsilon)


def _fitted(setting: Setting) -> tuple[Played | None, list[Part]]:
    """The shipped games of networks, and what has to be said of them."""
    shipped, missing = runs.study("active_bandit")
    if missing:
        return None, [Words(missing, "info")]
    told = (
        f"Two hills, noise sd {FITTED_NOISE:g}, ε = {FITTED_EPSILON:g}: games of networks are long, so only this "
        f"setting is shipped, {FITTED_ROUNDS} rounds of it. With the exact posterior, Thompson sampling loses "
        f"{runs.plus_minus(_exact_loss(), 1)} in as many."
    )
    parts: list[Part] = [Words(told)]
    method, policy = setting[BELIEF], setting[POLICY]
    if policy not in FITTED_POLICIES:
        parts.append(Words("No upper bound was played with networks; showing Thompson sampling."))
        policy = "thompson"
    of = {part: shipped[f"{method}_{policy}_{part}"] for part in ("arms", "rewards", "mean", "std", "looked_at")}
    of["arms"] = of["arms"].astype(int)
    regret = {each: shipped[f"{method}_{each}_regret"].astype(float) for each in FITTED_POLICIES}
    return Played(policy, **of, regret=regret), parts


def _exact_loss() -> Array:
    """What Thompson sampling with the exact posterior loses in as many rounds, (R,)."""
    game = _game("thompson", "hills", float(LENGTH_SCALE.default), FITTED_NOISE, 1.0, 0.0)
    return game.regret[:, :FITTED_ROUNDS].sum(1)


# The pictures ---------------------------------------------------------------------------------------------------------


def _round(screen: Screen, found: Played, at: int, reward: str) -> list[Part]:
    truth, chosen = study_bandit.REWARDS[reward](ARMS), int(found.arms[at])
    fig = figures_bandit.bandit_round(
        ARMS,
        truth,
        found.mean[at],
        found.std[at],
        found.looked_at[at],
        chosen=chosen,
        tried=found.arms[:at],
        rewards=found.rewards[:at],
        looked_at_name=LOOKED_AT[found.policy],
        y_range=REWARD_RANGE,
        theme=screen.theme,
    )
    alt = figures_bandit.describe_bandit_round(ARMS, truth, found.mean[at], chosen, found.arms[:at])
    told = f"Round {at + 1}: the first {BANDIT_FIRST} arms are the same for every policy."
    return [*([Words(told)] if at < BANDIT_FIRST else []), Figure("bandit_round_figure", fig, alt)]


def _regret(screen: Screen, found: Played, at: int, reward: str) -> Figure:
    rounds = np.arange(1, len(found.arms) + 1)
    total = {POLICY.name(each): bandit.cumulative_regret(values) for each, values in found.regret.items()}
    among = runs.intervals(total)
    fig = figures.runs_against(
        rounds,
        total,
        x_label="Round",
        y_label="Lost so far (regret)",
        x_range=(0.0, len(found.arms) + 1.0),
        y_range=(0.0, REGRET_TOPS[reward]),
        interval=among,
        chosen=POLICY.name(found.policy),
        marked=float(at + 1),
        told=[POLICY.name(name) for name in _compared(found)],
        theme=screen.theme,
    )
    alt = figures.describe_runs(rounds, among, what="Cumulative regret", where="rounds", at=at)
    return Figure("bandit_regret", fig, alt)


# Numbers and words ----------------------------------------------------------------------------------------------------


def _numbers(found: Played) -> list[tuple[str, str, str]]:
    shown, mine = found.policy, found.regret[found.policy]
    total = {each: bandit.cumulative_regret(values)[:, -1] for each, values in found.regret.items()}
    told = f"Lost against the best arm in {len(found.arms)} rounds; mean of {len(mine)} runs ± half its 95 % interval."
    rows = [(f"Regret, {POLICY.name(shown)}", runs.plus_minus(total[shown], 1), told)]
    other = "thompson" if shown != "thompson" else "greedy"
    rows.append((f"Regret, {POLICY.name(other)}", runs.plus_minus(total[other], 1), told))
    before, after = (float(found.std[at].mean()) for at in (BANDIT_FIRST, -1))
    told = f"Of this run, mean over the arms: after {BANDIT_FIRST} rewards, and before the last round."
    rows.append(("Posterior sd", f"{before:.1g} → {after:.1g}", told))
    at_best = float(np.mean(mine[:, -LAST:].mean(1) < NEAR))
    told = f"Share of the runs that lose less than {NEAR:g} a round over the last {LAST}."
    return [*rows, ("Runs at the best arm", f"{at_best:.0%}", told)]


def _verdict(found: Played) -> str:
    """One sentence: does drawing from the posterior lose less than taking its mean?"""
    lost = {each: found.regret[each].sum(1) for each in ("thompson", "greedy")}
    mean, low, high = (float(each) for each in mean_interval(lost["greedy"] - lost["thompson"]))
    between = f"95 %: {low:.1f} to {high:.1f}".replace("-", "−")
    pairs = f"in {len(found.arms)} rounds, over {len(lost['greedy'])} pairs of runs"
    if low > 0:
        return f"Thompson sampling loses {mean:.1f} less than greedy {pairs} ({between})."
    if high < 0:
        return f"Thompson sampling loses {-mean:.1f} more than greedy {pairs} (less, {between})."
    return f"Thompson sampling is not shown to lose less than greedy {pairs} (less, {between})."


def _call(setting: Setting) -> str:
    belief, policy = setting[BELIEF], setting[POLICY]
    if belief != "exact":
        return "\n".join(
            [
                "from bdlviz.topics.regression.active_learning import study_bandit",
                "",
                f"game = study_bandit.fitted_game({belief!r}, {policy!r}, run=0)",
                "print(game.regret.cumsum(-1))",
            ]
        )
    values = [setting.number(each) for each in (LENGTH_SCALE, NOISE, WIDENED)]
    arguments = ", ".join(map(repr, [setting[REWARD], policy, *values, _epsilon(setting, policy)]))
    return "\n".join(
        [
            "from bdlviz.topics.regression.active_learning import study_bandit",
            "from bdlviz.predictive.intervals import mean_interval",
            "",
            f"game = study_bandit.exact_game({arguments})",
            "print(mean_interval(game.regret.sum(1)))",
        ]
    )
