"""What the page on weight decay needs besides its picture: scores of the grid, choosing a lambda on the curve."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.predictive.prior import BIAS_STD, prior_draws
from bdlviz.studies import registry
from bdlviz.topics.shared.curves import inputs
from bdlviz.types import Array, Dataset, FitConfig, Predictive
from bdlviz.ui.controls import picked
from bdlviz.ui.controls.control import Control, number_control, text
from bdlviz.ui.frame.look import figure, present_theme
from bdlviz.ui.frame.window import is_narrow

TOO_LARGE = 30  # times the best weight decay
REMEMBERED = 8
SCORE_SAMPLES = 50  # for grids scored while a visitor waits
NUM_DRAWS = 20
SHOWN_RISE = 1.0  # how far above the best score the curve is shown, relative to it

RATE = number_control("dropout_rate", "Dropout rate p", registry.LAMBDA_RATES, 0)
BEST = "best"
CHOSEN = Control(
    "weight_decay",
    "Weight decay λ",
    (BEST, *(text(value) for value in registry.LAMBDA_DECAYS)),
    BEST,
    help="In the middle panel. “best”: where the held-out score is lowest.",
    names={BEST: "best held-out"},
)
METRIC = Control("metric", "Held-out score", ("nll", "rmse"), "nll", "buttons", names={"nll": "NLL", "rmse": "RMSE"})

_scores: OrderedDict[object, dict[str, Array]] = OrderedDict()


def configuration(dataset: Dataset) -> FitConfig:
    """The grid to show: shipped with the weights of its first seed and the scores of all, else trained with all."""
    whole = registry.lambda_config(dataset)
    first = replace(whole, seeds=whole.seeds[:1])
    try:
        return whole if shelf.extra(first) is None else first
    except CheckpointError:
        return first  # obtaining it says what is damaged


def scores(fit: Fit, dataset: Dataset) -> dict[str, Array] | None:
    """Held-out scores of the whole grid, (R, P, L) each: shipped, remembered or computed; None without such points."""
    if len(dataset.x_test) == 0 or fit.num_steps_done < fit.config.num_steps:
        return None
    try:
        if (found := shelf.extra(fit.config)) is not None:
            return found
    except CheckpointError:
        pass  # the page has already said that the shipped grid is damaged
    if fit.config not in _scores:
        with st.spinner("Scoring every network of the grid on held-out points …", show_time=True):
            _scores[fit.config] = registry.held_out_scores(fit, dataset, SCORE_SAMPLES)
        while len(_scores) > REMEMBERED:
            _scores.popitem(last=False)
    return _scores[fit.config]


def best(scored: dict[str, Array] | None, rate: int, metric: str) -> int:
    """Index of the weight decay with the lowest mean score over the seeds; the middle one where nothing was scored."""
    if scored is None:
        return len(registry.LAMBDA_DECAYS) // 2
    return int(np.argmin(scored[metric][:, rate].mean(0)))


def choose(scored: dict[str, Array] | None, rate: int, metric: str, option: str) -> tuple[int, int]:
    """Indices of the chosen and of the best weight decay."""
    lowest = best(scored, rate, metric)
    return (lowest if option == BEST else CHOSEN.options.index(option) - 1), lowest


def three(chosen: int, best_index: int) -> list[tuple[str, int]]:
    """Panel titles and the indices of the weight decays that they show: too small, chosen, too large."""
    decays = registry.LAMBDA_DECAYS
    large = int(np.searchsorted(decays, decays[best_index] * TOO_LARGE).clip(chosen, len(decays) - 1))
    middle = "good" if chosen == best_index else "chosen"
    return [
        (f"λ = {text(decays[index])} · {name}", index)
        for name, index in (("too small", 0), (middle, chosen), ("too large", large))
    ]


def predict(fit: Fit, dataset: Dataset, rate: int, decay: int) -> Predictive:
    """The predictive of one weight decay, first seed, on the figure's inputs."""
    cell = fit.cell(
        seed=fit.config.seeds[0],
        dropout_rate=registry.LAMBDA_RATES[rate],
        weight_decay=registry.LAMBDA_DECAYS[decay],
    )
    return cell.predict(inputs(dataset), 100)


def show_curve(scored: dict[str, Array], rate: int, metric: str, chosen: int, unit: str) -> None:
    """The held-out curve; a click on it chooses the weight decay of the middle panel."""
    label = "NLL in nats" if metric == "nll" else f"RMSE{unit}"
    decays = np.array(registry.LAMBDA_DECAYS)
    values = scored[metric][:, rate]
    theme = present_theme()
    fig = plots.held_out_curve(
        decays, values, metric=label, chosen=chosen, theme=theme, y_range=_score_range(scored[metric]), height=300
    )
    alt = plots.describe_held_out_curve(decays, values, metric=label)
    figure(fig, key="held_out_curve", alt=alt, on_select=_choose, selection_mode="points")
    st.caption("Click a point of the curve to see its functions in the middle panel. Thin lines: seeds.")


def _score_range(values: Array) -> tuple[float, float]:
    """One axis for all dropout rates, with room for a label below; the flat, hopeless end may leave it at the top."""
    low = float(values.mean(0).min())
    high = low + SHOWN_RISE * max(abs(low), 1.0)
    return low - 0.25 * (high - low), high


def _choose() -> None:
    cells = picked.rows("held_out_curve")
    if cells and cells[0] < len(registry.LAMBDA_DECAYS):
        st.session_state[CHOSEN.key] = text(registry.LAMBDA_DECAYS[cells[0]])


def tabs(fit: Fit | None, dataset: Dataset, rate: int, metric: str, option: str) -> dict[str, Callable[[], None]]:
    """The tabs of this page for a finished grid."""
    if fit is None:
        return {}
    chosen, _ = choose(scores(fit, dataset), rate, metric, option)
    return {"Prior and posterior": lambda: _show_prior(fit, dataset, rate, chosen)}


def _show_prior(fit: Fit, dataset: Dataset, rate: int, decay: int) -> None:
    """Functions from the prior that this weight decay amounts to, beside functions from the posterior."""
    cell = fit.cell(
        seed=fit.config.seeds[0],
        dropout_rate=registry.LAMBDA_RATES[rate],
        weight_decay=registry.LAMBDA_DECAYS[decay],
    )
    x, scaling = inputs(dataset), cell.scaling
    rng = np.random.Generator(np.random.SFC64([0, *b"prior"]))
    outputs = prior_draws(cell.model.network, scaling.standardise_x(x), cell.length_scales, rng, NUM_DRAWS)
    prior = (outputs * scaling.y_scale + scaling.y_mean)[..., 0]
    posterior = cell.predict(x, NUM_DRAWS).draws[..., 0]
    fig = plots.prior_and_posterior(x[:, 0], prior, posterior, dataset, theme=present_theme(), stacked=is_narrow())
    figure(fig, key="prior_picture", alt="Functions from the prior (left, own axis) and the posterior (right).")
    st.caption(_of_prior(registry.LAMBDA_DECAYS[decay], cell.length_scales))


def _of_prior(weight_decay: float, length_scales: tuple[float, ...]) -> str:
    """What the prior's panel shows, and what of it is assumed."""
    first, *_, last = length_scales
    scales = (
        f"ℓ = {first:.3g} for the weights of every layer"
        if first == last
        else f"ℓ = {first:.3g} for the weights of the first layer, whose input is not dropped, and ℓ = {last:.3g} for "
        "those of the other layers"
    )
    return (
        f"λ = {text(weight_decay)} amounts to a prior w ~ N(0, ℓ⁻²) with {scales}. **Assumed:** biases ~ "
        f"N(0, {BIAS_STD:g}) in standardised units. λ does not penalise biases, so their prior in training is flat, "
        "and nothing can be drawn from a flat prior. The smaller ℓ, the larger the functions: the left panel has its "
        "own scale."
    )
