"""Error against work: fits stop at their bias, chains do not. Shipped, or run in the background."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bdlviz.digits import number
from bdlviz.fitted import bundles
from bdlviz.models import targets
from bdlviz.topics.foundations.variational_or_mcmc import figures, gaussian_fit, race, study
from bdlviz.topics.foundations.variational_or_mcmc.controls import ERROR, RACE, TARGET
from bdlviz.topics.foundations.variational_or_mcmc.gaussian_fit import FAMILIES
from bdlviz.topics.foundations.variational_or_mcmc.posterior import about_model, target_of
from bdlviz.types import Snapshot
from bdlviz.ui.jobs.queue import Job
from bdlviz.ui.jobs.watch import time_left
from bdlviz.ui.model import Figure, Formula, Look, Need, Numbers, Result, Says, Screen, Setting, View

NAMED = {"mean_field", "metropolis", "langevin", "hmc"}  # in the row of numbers, which holds four
ERRORS = Formula(
    race.moment_errors,
    "The errors of the means and of the sds, over both weights, in sds of the posterior.",
    {
        r"\hat\mu_i, \hat\sigma_i": "mean and sd of weight i that a method gives",
        r"\mu_i, \sigma_i": "those of the posterior",
    },
)
LATER = Formula(
    race.later_half,
    "A chain estimates them from the later half of its draws.",
    {"w_t": "draw t", "n": "draws so far", "m": "draws left out"},
)
TICKS = 1000  # of the progress


@dataclass(frozen=True, eq=False)
class Runs:
    """What has been run so far, by method."""

    found: Mapping[str, race.Run]


# How the runs are got -------------------------------------------------------------------------------------------------


def needed(setting: Setting) -> Need[Runs | None]:
    """The runs of all methods on the chosen posterior."""
    name = setting[TARGET]
    return Need(
        ("race", name),
        shipped=lambda: Runs(study.runs_on(bundles.shipped(study.RACE, study.settings()), name)),
        work=lambda look, _: run_all(name, look),
        read=lambda runs: runs if runs.found else None,
        waits=False,
        kind="race",
        tell=_how_far,
    )


def run_all(name: str, look: Look, **settings: Any) -> Runs:
    """All methods one after another, the quick ones first; ``look`` is given those that have ended.

    Raises:
        InvalidInput: it was stopped.
    """
    start = time.monotonic()

    def report(found: Mapping[str, race.Run], share: float) -> bool:
        step, now = max(1, round((len(found) + share) / len(race.RUNNERS) * TICKS)), Runs(dict(found))
        return look(Snapshot(step, TICKS, time.monotonic() - start, lambda: now))

    return Runs(race.run_all(targets.find(name), report, **settings))


def _how_far(job: Job[Runs]) -> tuple[float, str]:
    left = time_left(job.progress[0]) if job.progress else ""
    words = f"Forty seeds of every method{f' · {left}' if left else ' …'}"
    return job.progress[0].fraction if job.progress else 0.0, words


# The picture ----------------------------------------------------------------------------------------------------------


def errors(setting: Setting, screen: Screen, runs: Runs) -> Result:
    """Errors of every method that there is against its work."""
    of_mean = setting[ERROR] == "mean"
    shown = [
        figures.Errors(race.RUNNERS[name], run.evaluations, run.mean if of_mean else run.std, name in FAMILIES)
        for name, run in runs.found.items()
    ]
    label = f"Error of the posterior's {'means' if of_mean else 'sds'} (posterior sd)"
    picture = figures.error_against_work(shown, label=label, last=race.EVALUATIONS, theme=screen.theme)
    last = {each.name: float(np.median(each.errors[-1])) for each in shown}
    listed = [race.RUNNERS[name] for name in runs.found if name in NAMED]
    parts = [
        Says(_sentence(shown, "means" if of_mean else "sds")),
        Figure("race", picture, figures.describe_errors(shown)),
        about_model(target_of(setting), "Lines are medians over 40 seeds, bands hold 80 % of them."),
        Numbers(
            [
                (f"{name}, at its end", f"{last[name]:.3f}", "Median over the seeds, in posterior sds.")
                for name in listed
            ]
        ),
    ]
    return Result(parts, *_tabs(setting))


def _sentence(shown: Sequence[figures.Errors], what: str) -> str:
    """The last median errors: of the fits, which then stay, and of the best chain."""
    last = {run.name: float(np.median(run.errors[-1])) for run in shown}
    fits = " and ".join(f"{number(last[run.name], 2)} ({run.name})" for run in shown if run.is_fit)
    chains = [run for run in shown if not run.is_fit]
    if not chains:
        return f"Median error of the {what} at the end, in posterior sds: {fits}."
    best = min(chains, key=lambda run: last[run.name])
    error, work = f"{number(last[best.name], 2)} posterior sd", int(best.evaluations[-1])
    return f"After {work:,} evaluations {best.name} errs by {error} in the {what}; fits stay at {fits}."


def about(setting: Setting) -> Result:
    """What stands in the tabs while there are no runs yet."""
    return Result([], *_tabs(setting))


def _tabs(setting: Setting) -> tuple[tuple[Any, ...], tuple[Any, ...], str]:
    formulas = (ERRORS, LATER)
    return formulas, (race.run, race.moment_errors, gaussian_fit.fit_by_draws), _call(setting)


def _call(setting: Setting) -> str:
    return "\n".join(
        [
            "from bdlviz.models import targets",
            "from bdlviz.topics.foundations.variational_or_mcmc import figures, race",
            "from bdlviz.topics.foundations.variational_or_mcmc.gaussian_fit import FAMILIES",
            "",
            f"target = targets.find({setting[TARGET]!r})",
            "runs = {runner: race.run(target, runner) for runner in race.RUNNERS}",
            "shown = [",
            f"    figures.Errors(race.RUNNERS[name], run.evaluations, run.{setting[ERROR]}, name in FAMILIES)",
            "    for name, run in runs.items()",
            "]",
            "figures.error_against_work(shown, label='Error (posterior sd)', last=race.EVALUATIONS).show()",
        ]
    )


VIEW = View("race", "Error against work", errors, RACE, needs=needed, about=about)
