"""A bandit: learn which arm is best while every try counts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.topics.regression.active_learning import bandit, figures, figures_bandit, study_bandit, views_play
from bdlviz.topics.regression.active_learning.active import mean_interval
from bdlviz.topics.regression.active_learning.study_bandit import (
    ARMS,
    BANDIT_FIRST,
    BANDIT_ROUNDS,
    FITTED_EPSILON,
    FITTED_NOISE,
    FITTED_POLICIES,
    FITTED_ROUNDS,
)
from bdlviz.topics.regression.active_learning.views_runs import intervals, plus_minus, study
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown

POLICY = Control(
    "policy",
    "Policy watched",
    bandit.POLICIES,
    "thompson",
    "menu",
    "How an arm is chosen from what is believed.",
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
    "The exact posterior is played here and now; networks, trained again after every try, are shipped.",
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
    "epsilon", "ε of ε-greedy", (0, 0.01, 0.03, 0.1, 0.3, 1), 0.1, "How often any arm is tried, whatever is known."
)
LENGTH_SCALE = number_control(
    "belief_scale",
    "Length-scale believed",
    (0.03, 0.05, 0.1, 0.2, 0.3),
    0.1,
    "How far one arm's reward tells of another's. Too long: sure of what nobody has tried.",
)
WIDENED = number_control(
    "widened",
    "Posterior sd, times",
    (0, 0.1, 0.3, 1, 3),
    1,
    "1 is Bayes' rule. Less is over-confident, 0 a single guess; more is too timid.",
)
NOISE = number_control("reward_noise", "Noise sd of a reward", (0.1, 0.3, 1), 0.3)
ROUND = views_play.round_control("bandit_round", "Round", BANDIT_ROUNDS, 12, "The first two arms are given.", first=1)
EXACT = (REWARD, EPSILON, LENGTH_SCALE, WIDENED, NOISE)
CONTROLS = (ROUND, POLICY, BELIEF, *EXACT)
LOOKED_AT = {"thompson": "Draw", "greedy": "Mean", "epsilon_greedy": "Mean", "upper_confidence": "Mean + 2 sd"}
REWARD_RANGE = (-2.5, 2.0)
REGRET_TOPS = {"hills": 60.0, "needle": 150.0, "ramp": 70.0}  # of the axis
LAST = 10  # rounds over which it is asked whether the best arm was found
NEAR = 0.1  # of the best reward, on average over them


class Watched(NamedTuple):
    """The game of one run, and the regret of each round in all runs, by policy, (R, T)."""

    arms: Array
    rewards: Array
    mean: Array
    std: Array
    looked_at: Array
    regret: Mapping[str, Array]


def choose() -> None:
    """Draw the controls of this view."""
    views_play.show_player(ROUND)
    POLICY.show()
    BELIEF.show()
    if BELIEF.present() == "exact":
        for control in EXACT:
            control.show()


def show() -> Shown | None:
    """One run round by round, and the regret of all policies."""
    policy = POLICY.present()
    try:
        found = _exact(policy) if BELIEF.present() == "exact" else _fitted(policy)
    except InvalidInput as error:
        st.error(str(error))
        return None
    if found is None:
        return None
    at = views_play.present_round(ROUND, len(found.arms)) - 1
    picture, course = st.columns([1.75, 1], gap="small")
    with picture:
        _show_round(found, policy, at)
    with course:
        _show_regret(found, policy, at)
    numbers(_numbers(found, policy))
    st.markdown(_verdict(found))
    return Shown(
        (_policy(policy), bandit.cumulative_regret, bandit.posterior_after),
        (_policy(policy), bandit.play, bandit.posterior_after, bandit.GaussianModel),
        _snippet(policy),
    )


def _policy(policy: str):
    return getattr(bandit, policy)


def _exact(policy: str) -> Watched:
    """All policies with the exact posterior, played now."""
    setting = (REWARD.present(), *(float(each.present()) for each in (LENGTH_SCALE, NOISE, WIDENED)))
    games = {each: _game(each, *setting, _epsilon(each)) for each in bandit.POLICIES}
    game = games[policy]
    regret = {each: games[each].regret for each in bandit.POLICIES}
    return Watched(game.arms[0], game.rewards[0], game.mean, game.std, game.looked_at, regret)


def _epsilon(policy: str) -> float:
    return float(EPSILON.present()) if policy == "epsilon_greedy" else 0.0


@lru_cache(maxsize=256)
def _game(policy: str, reward: str, length_scale: float, noise: float, widened: float, epsilon: float) -> bandit.Game:
    return study_bandit.exact_game(reward, policy, length_scale, noise, widened, epsilon)


def _fitted(policy: str) -> Watched | None:
    """The shipped games of networks."""
    runs, method = study("active_bandit"), BELIEF.present()
    if not runs:
        return None
    st.caption(
        f"Two hills, noise sd {FITTED_NOISE:g}, ε = {FITTED_EPSILON:g}: games of networks are long, so this setting "
        f"alone is shipped, {FITTED_ROUNDS} rounds of it. With the exact posterior, Thompson sampling loses "
        f"{plus_minus(_exact_loss(), 1)} in as many."
    )
    if policy not in FITTED_POLICIES:
        st.caption("No upper bound was played with networks; showing Thompson sampling.")
        policy = "thompson"
    parts = {part: runs[f"{method}_{policy}_{part}"] for part in ("arms", "rewards", "mean", "std", "looked_at")}
    parts["arms"] = parts["arms"].astype(int)
    regret = {each: runs[f"{method}_{each}_regret"].astype(float) for each in FITTED_POLICIES}
    return Watched(**parts, regret=regret)


def _exact_loss() -> Array:
    """What Thompson sampling with the exact posterior loses in as many rounds, (R,)."""
    game = _game("thompson", "hills", float(LENGTH_SCALE.default), FITTED_NOISE, 1.0, 0.0)
    return game.regret[:, :FITTED_ROUNDS].sum(1)


def _reward() -> str:
    return REWARD.present() if BELIEF.present() == "exact" else "hills"


def _truth() -> Array:
    return study_bandit.REWARDS[_reward()](ARMS)


def _show_round(found: Watched, policy: str, at: int) -> None:
    truth, chosen = _truth(), int(found.arms[at])
    name = LOOKED_AT[policy]
    if policy not in found.regret:
        name = LOOKED_AT["thompson"]
    if at < BANDIT_FIRST:
        st.caption(f"Round {at + 1}: the first {BANDIT_FIRST} arms are the same for every policy.")
    fig = figures_bandit.bandit_round(
        ARMS,
        truth,
        found.mean[at],
        found.std[at],
        found.looked_at[at],
        chosen=chosen,
        tried=found.arms[:at],
        rewards=found.rewards[:at],
        looked_at_name=name,
        y_range=REWARD_RANGE,
        theme=present_theme(),
    )
    figure(
        fig,
        key="bandit_round_figure",
        alt=figures_bandit.describe_bandit_round(ARMS, truth, found.mean[at], chosen, found.arms[:at]),
    )


def _show_regret(found: Watched, policy: str, at: int) -> None:
    rounds = np.arange(1, len(found.arms) + 1)
    total = {POLICY.name(each): bandit.cumulative_regret(values) for each, values in found.regret.items()}
    among = intervals(total)
    fig = figures.runs_against(
        rounds,
        total,
        x_label="Round",
        y_label="Cumulative regret",
        x_range=(0.0, len(found.arms) + 1.0),
        y_range=(0.0, REGRET_TOPS[_reward()]),
        interval=among,
        chosen=POLICY.name(policy),
        marked=float(at + 1),
        theme=present_theme(),
    )
    alt = figures.describe_runs(rounds, among, what="Cumulative regret", where="rounds", at=at)
    figure(fig, key="bandit_regret", alt=alt)


def _numbers(found: Watched, policy: str) -> list[tuple[str, str, str]]:
    shown = policy if policy in found.regret else "thompson"
    mine = found.regret[shown]
    total = {each: bandit.cumulative_regret(values)[:, -1] for each, values in found.regret.items()}
    told = f"Lost against the best arm in {len(found.arms)} rounds; mean of {len(mine)} runs ± half its 95 % interval."
    rows = [(f"Regret, {POLICY.name(shown)}", plus_minus(total[shown], 1), told)]
    other = "thompson" if shown != "thompson" else "greedy"
    rows.append((f"… {POLICY.name(other)}", plus_minus(total[other], 1), told))
    before, after = (float(found.std[at].mean()) for at in (BANDIT_FIRST, -1))
    told = f"Of this run, mean over the arms: after {BANDIT_FIRST} rewards, and before the last round."
    rows.append(("Sd of the belief", f"{before:.1g} → {after:.1g}", told))
    at_best = float(np.mean(mine[:, -LAST:].mean(1) < NEAR))
    told = f"Share of the runs that lose less than {NEAR:g} a round over the last {LAST}."
    return [*rows, ("Runs at the best arm", f"{at_best:.0%}", told)]


def _verdict(found: Watched) -> str:
    """One sentence: does drawing from the posterior lose less than trusting its mean?"""
    lost = {each: found.regret[each].sum(1) for each in ("thompson", "greedy")}
    mean, low, high = (float(each) for each in mean_interval(lost["greedy"] - lost["thompson"]))
    between = f"95 %: {low:.1f} to {high:.1f}".replace("-", "−")
    pairs = f"in {len(found.arms)} rounds, over {len(lost['greedy'])} pairs of runs"
    if low > 0:
        return f"Thompson sampling loses {mean:.1f} less than greedy {pairs} ({between})."
    if high < 0:
        return f"Thompson sampling loses {-mean:.1f} more than greedy {pairs} (less, {between})."
    return f"Thompson sampling is not shown to lose less than greedy {pairs} (less, {between})."


def _snippet(policy: str) -> str:
    if BELIEF.present() != "exact":
        return "\n".join(
            [
                "from bdlviz.topics.regression.active_learning import study_bandit",
                "",
                f"game = study_bandit.fitted_game({BELIEF.present()!r}, {policy!r}, run=0)",
                "print(game.regret.cumsum(-1))",
            ]
        )
    values = [float(each.present()) for each in (LENGTH_SCALE, NOISE, WIDENED)]
    arguments = ", ".join(map(repr, [REWARD.present(), policy, *values, _epsilon(policy)]))
    return "\n".join(
        [
            "from bdlviz.topics.regression.active_learning import study_bandit",
            "from bdlviz.topics.regression.active_learning.active import mean_interval",
            "",
            f"game = study_bandit.exact_game({arguments})",
            "print(mean_interval(game.regret.sum(1)))",
        ]
    )
