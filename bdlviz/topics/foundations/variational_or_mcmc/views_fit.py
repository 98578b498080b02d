"""A Gaussian fitted to a posterior by gradient steps, beside a Markov chain on the same posterior."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import THIN
from bdlviz.models import targets
from bdlviz.models.targets import Target
from bdlviz.topics.foundations.variational_or_mcmc import figures, gaussian_fit, race, samplers, views_moving
from bdlviz.topics.foundations.variational_or_mcmc.controls import DIRECTION, FAMILY, SHARES, START
from bdlviz.topics.foundations.variational_or_mcmc.gaussian_fit import History
from bdlviz.topics.foundations.variational_or_mcmc.posterior import about_model, moments_of, plane_of, target_of
from bdlviz.topics.foundations.variational_or_mcmc.samplers import Chains
from bdlviz.types import Array
from bdlviz.ui.cache import memoised
from bdlviz.ui.model import Figure, Formula, Numbers, Result, Says, Screen, Setting, Widget
from bdlviz.ui.scrub import switch

ONE_MODE = 0.7  # what is narrower than this share of a posterior with two modes is on one of them
ELBO = Formula(
    gaussian_fit.elbo,
    "The ELBO of q: the only part of the evidence that a fit can compute, so the steps raise it.",
    {"q": "the Gaussian", r"\mathcal{D}": "the data", "w": "both weights"},
    {"q": "mean"},
)
REVERSE = Formula(gaussian_fit.reverse_kl, "The rest of the evidence, in nats; 0 only where q is the posterior.")
MATCHED = Formula(gaussian_fit.best_forward, "KL[p ‖ q] is lowest where q has the posterior's mean and covariance.")
MEAN_FIELD = Formula(
    gaussian_fit.best_mean_field,
    "The best q without correlation on a Gaussian posterior: its variances are too small.",
)
RIGHT = 0.15  # what differs by less than this share from the posterior's width is called right
UP, START_STD = 0.6, 0.3  # where q starts, as a share of the height of the picture, and its sd


def start_of(target: Target, start: str) -> Array:
    """The mean (2,) from which a fit starts."""
    return np.array(
        [low + share * (high - low) for (low, high), share in zip(target.limits, (SHARES[start], UP), strict=True)]
    )


@memoised()
def history_of(name: str, family: str, direction: str, start: str) -> History:
    """The steps of a fit, which takes a few tenths of a second."""
    target, grid = targets.find(name), targets.grid_of(name)
    return gaussian_fit.fit(target, grid, start_of(target, start), START_STD, family=family, direction=direction)


@memoised()
def chain_of(name: str, start: str, num_steps: int) -> Chains:
    """One chain of HMC from the mean of the first q."""
    target, step_size = targets.find(name), race.STEP_SIZES[name]["hmc"]
    rng, first = np.random.default_rng(0), start_of(target, start)[None]
    return samplers.run_chains(target, "hmc", step_size, first, num_steps, rng, keeps_paths=True)


def spreads_of(chain: Chains) -> tuple[Array, Array]:
    """Mean and sd of the first weight over all places so far of one chain: after every step, (T + 1,) each."""
    first, count = chain.places[:, 0, 0], np.arange(1, len(chain.places) + 1)
    mean = np.cumsum(first) / count
    return mean, np.sqrt(np.maximum(np.cumsum(np.square(first)) / count - np.square(mean), 0))


def fit(setting: Setting, screen: Screen, _: object) -> Result:
    """The fit and a chain on the posterior, and the history of the fit below."""
    target = target_of(setting)
    history = history_of(target.name, setting[FAMILY], setting[DIRECTION], setting[START])
    chain = chain_of(target.name, setting[START], len(history.elbo) - 1)
    alt = figures.describe_fit(history.elbo, history.reverse, history.forward)
    fig = figures.evidence_history(
        history.elbo, history.reverse, history.forward, theme=screen.theme, stacked=screen.is_narrow
    )
    best = MATCHED if setting[DIRECTION] == "forward" else MEAN_FIELD
    return Result(
        [
            Says(_sentences(target, history, chain)[-1]),
            _picture(setting, screen, target, history, chain, alt),
            about_model(target, f"A step of the chain takes {chain.evaluations} gradients: steps are not equal work."),
            Numbers(_key_numbers(target, history)),
            Figure("evidence_course", fig, alt),
        ],
        (ELBO, REVERSE, best),
        (gaussian_fit.fit, gaussian_fit.elbo_and_gradient, gaussian_fit.reverse_kl, samplers.run_chains),
        _call(setting, target),
        _sum(history),
    )


def _picture(
    setting: Setting, screen: Screen, target: Target, history: History, chain: Chains, alt: str
) -> Figure | Widget:
    plane, (mean, std) = plane_of(target.name), moments_of(target.name)
    spread = float(mean[0]), float(std[0])

    def still() -> go.Figure:
        return figures.fit_beside_chain(
            plane,
            spread,
            history.mean,
            history.covariance,
            chain.places[:, 0],
            theme=screen.theme,
            stacked=screen.is_narrow,
        )

    if not setting.text(switch.MOVES):
        return Figure("fit_picture", still(), alt)
    moving = views_moving.FitAndChain(history, chain, *spreads_of(chain), _sentences(target, history, chain))
    return Widget(lambda: views_moving.show_fit(screen.theme, target, plane.density, spread, moving, still, alt))


def _widths(target: Target, history: History) -> Array:
    """The sd of both weights under the q of every step, as shares of the posterior's, (T + 1, 2)."""
    return np.sqrt(np.diagonal(history.covariance, axis1=1, axis2=2)) / moments_of(target.name)[1]


def _sentences(target: Target, history: History, chain: Chains) -> list[str]:
    """How wide q and the draws of the chain are after every step, as shares of the posterior's width."""
    told, of_posterior = [], moments_of(target.name)[1][0]
    for step, widths in enumerate(
        zip(_widths(target, history)[:, 0], spreads_of(chain)[1] / of_posterior, strict=True)
    ):
        of_fit, of_chain = (f"{100 * width:.0f}{THIN}%" for width in widths)
        first, second = (_verdict(target, width) for width in widths)
        told.append(
            f"At step {step} the fit q is {of_fit} as wide as the posterior ({first}), the chain {of_chain} ({second})."
        )
    return told


def _verdict(target: Target, width: float) -> str:
    if target.name == "unit" and width < ONE_MODE:  # the posterior with two modes
        return "on one mode"
    return "too narrow" if width < 1 - RIGHT else "about right" if width <= 1 + RIGHT else "too wide"


def _parts(history: History) -> tuple[float, float, float]:
    """ELBO, divergence and evidence after the last step, rounded to three decimals so that they add up."""
    evidence, elbo = round(float(history.elbo[-1] + history.reverse[-1]), 3), round(float(history.elbo[-1]), 3)
    return elbo, evidence - elbo, evidence


def _key_numbers(target: Target, history: History) -> list[tuple[str, str, str]]:
    widths, (elbo, left, evidence) = _widths(target, history)[-1], _parts(history)
    return [
        ("log p(D) (nats)", _signed(evidence), "The log evidence. It does not depend on q: ELBO + KL is always this."),
        ("ELBO at the end (nats)", _signed(elbo), "The only part of the sum that VI can compute."),
        ("KL[q ‖ p] left (nats)", _signed(left), "VI cannot compute it, and more steps do not reduce it."),
        (
            "sd of q over true sd",
            f"{widths[0]:.2f}, {widths[1]:.2f}",
            f"Of {target.labels[0]} and {target.labels[1]}: 1 is right, less is too certain.",
        ),
    ]


def _signed(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def _sum(history: History) -> str:
    elbo, left, evidence = _parts(history)
    return (
        rf"\underbrace{{{elbo:.3f}}}_{{\text{{ELBO}}}} + \underbrace{{{left:.3f}}}_{{\text{{KL}}}} = "
        rf"{evidence:.3f} = \log p(\mathcal{{D}})"
    )


def _call(setting: Setting, target: Target) -> str:
    mean = ", ".join(f"{value:.4g}" for value in start_of(target, setting[START]))
    return "\n".join(
        [
            "import numpy as np",
            "from bdlviz.models import targets",
            "from bdlviz.topics.foundations.variational_or_mcmc import figures, gaussian_fit, samplers",
            "",
            f"target = targets.find({target.name!r})",
            "grid = targets.on_grid(target)",
            f"start = np.array([{mean}])",
            f"settings = dict(family={setting[FAMILY]!r}, direction={setting[DIRECTION]!r})",
            f"history = gaussian_fit.fit(target, grid, start, {START_STD}, **settings)",
            "print(history.elbo[-1], history.reverse[-1], grid.log_evidence)",
            f"step_size, rng = {race.STEP_SIZES[target.name]['hmc']:g}, np.random.default_rng(0)",
            "chain = samplers.run_chains(target, 'hmc', step_size, start[None], 100, rng)",
            "plane = figures.Plane(*targets.shown(target), target.labels)",
            "spread = grid.moments[0][0], grid.moments[1][0, 0] ** 0.5",
            "course = history.mean, history.covariance, chain.places[:, 0]",
            "figures.fit_beside_chain(plane, spread, *course).show()",
        ]
    )
