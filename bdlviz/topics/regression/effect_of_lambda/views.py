"""The pictures of the page on weight decay: three panels or one that moves, the held-out curve, the prior."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.data.built_in import part_of
from bdlviz.digits import number
from bdlviz.methods import mc_dropout
from bdlviz.plots.panels import panel_axes
from bdlviz.plots.theme import tint
from bdlviz.plots.traces import scatter
from bdlviz.predictive import length_scale, prior, summaries
from bdlviz.predictive.intervals import mean_interval
from bdlviz.predictive.prior import BIAS_STD
from bdlviz.studies import grids
from bdlviz.topics.regression.effect_of_lambda import grid as trained
from bdlviz.topics.regression.effect_of_lambda import study
from bdlviz.topics.regression.effect_of_lambda.controls import CHOSEN, DATA, METRIC
from bdlviz.topics.regression.effect_of_lambda.grid import Chosen, Grid
from bdlviz.topics.shared import draw_inspector, reproduce
from bdlviz.topics.shared.calls import fit_snippet
from bdlviz.topics.shared.curves import NUM_INPUTS, inputs, near_points
from bdlviz.types import Array, Dataset
from bdlviz.ui.controls import picked
from bdlviz.ui.controls.control import text
from bdlviz.ui.controls.data_choice import dataset_of
from bdlviz.ui.model import Columns, Figure, Formula, Part, Result, Says, Screen, Setting, Tab, Words

NUM_DRAWS = 20
NUM_NEW = 20  # of the new points are drawn
# Short, so that the legend has one row.
NAMES = {
    "Predictive mean": "Mean",
    "Noise (aleatoric)": "Noise",
    "Held-out data": "New points",
    "Epistemic (1, 2 sd)": "Epistemic",
}
PENALTY = Formula(
    mc_dropout.build,
    "Training adds λ times the squared weights to the mean loss of a point.",
    {r"\lambda": "weight decay, per point", "W": "weights of all layers", "z_i": "dropout mask of point i"},
)
PRIOR = Formula(
    length_scale.layer_length_scales,
    "The same penalty is a Gaussian prior of the weights: a larger λ is a narrower prior.",
    {
        r"\ell": "length-scale of a layer: the prior of its weights is N(0, 1/ℓ²)",
        "N": "number of points",
        r"\tau": "precision of the noise, for standardised y",
        "p": "dropout rate",
    },
    {r"\ell": "prior"},
)
SCORE = Formula(
    summaries.negative_log_likelihood,
    "As NLL, the error at new points judges the whole prediction: its mean and the width of its band.",
    {"N": "number of new points", "S": "number of draws", r"\sigma_s": "sd of the noise"},
)
SHOWN_RISE = 2.0  # how far above the best score, at most, the curve is shown, relative to it


def draw(setting: Setting, screen: Screen, grid: Grid) -> Result:
    """The functions at three weight decays, beside the error at new points of all."""
    dataset, chosen = dataset_of(setting, DATA), Chosen.of(setting, grid.scores)
    picture = _panels(screen, dataset, grid, chosen, setting[METRIC])
    parts: list[Part] = [Says(_sentence(setting, dataset, grid.scores, chosen))]
    if grid.scores is None:
        parts.append(picture)
    else:
        curve = _curve(setting, screen, dataset, grid.scores, chosen)
        words = "Each grey line beside the curve is one training. A click on the curve shows the functions of that λ."
        parts += [Columns([[picture], [curve]], (2, 1), "small"), Words(words)]
    return _result(setting, dataset, parts, {"Prior and posterior": lambda: _prior(screen, dataset, grid, chosen)})


def _sentence(setting: Setting, dataset: Dataset, scores: dict[str, Array] | None, chosen: Chosen) -> str:
    """The error of the chosen weight decay beside the lowest one or that of the largest, mean over seeds."""
    if scores is None:
        return "There are no new points, so no error tells which λ is best."
    values = scores[setting[METRIC]][:, chosen.rate].astype(float)
    shown = [number(value) for value in values.mean(0)]
    here = f"{shown[chosen.decay]}{_unit(setting, dataset)}"
    told = f"With λ = {number(study.LAMBDA_DECAYS[chosen.decay])} the error at new points is {here}"
    if chosen.decay == chosen.best:
        return f"{told}; the smallest λ has {shown[0]}, the largest {shown[-1]}."
    _, low, _ = mean_interval(values[:, chosen.decay] - values[:, chosen.best])
    amount = "too small" if chosen.decay < chosen.best else "too large"
    verdict = f"so this λ is {amount}" if low > 0 else "about as good"
    return f"{told}; the best λ has {shown[chosen.best]}, {verdict}."


def _unit(setting: Setting, dataset: Dataset) -> str:
    return " nats" if setting[METRIC] == "nll" else draw_inspector.unit(dataset)


def about(setting: Setting) -> Result:
    """What the tabs show while nothing is drawn yet."""
    return _result(setting, dataset_of(setting, DATA), [], {})


def _result(setting: Setting, dataset: Dataset, parts: list[Part], tabs: dict[str, Tab]) -> Result:
    return Result(
        parts,
        formulas=(PENALTY, PRIOR, SCORE),
        code=(study.lambda_config, grids.held_out_scores, prior.prior_draws),
        call=_call(setting, dataset),
        tabs=tabs,
    )


def _call(setting: Setting, dataset: Dataset) -> str:
    """Code that trains the whole grid and computes its scores or, without held-out points, the middle panel."""
    whole = study.lambda_config(dataset)
    lines = [
        "import numpy as np",
        "import bdlviz",
        "from bdlviz.studies.grids import held_out_scores",
        "",
        reproduce.data_call(dataset, setting, DATA),
        fit_snippet(whole),
    ]
    if len(dataset.x_test):
        is_shipped = trained.configuration(dataset) != whole
        count = grids.SCORE_SAMPLES if is_shipped else trained.SCORE_SAMPLES
        lines += [
            f"scores = held_out_scores(fit, data, {count})  # nll and rmse, (seeds, dropout rates, weight decays)",
            f"best = scores['{setting[METRIC]}'].mean(0).argmin(-1)  # for each dropout rate",
        ]
    else:
        (low, high), chosen = dataset.x_range, Chosen.of(setting, None)
        rate, decay = study.LAMBDA_RATES[chosen.rate], study.LAMBDA_DECAYS[chosen.decay]
        lines += [
            f"middle = fit.cell(seed={whole.seeds[0]}, dropout_rate={rate!r}, weight_decay={decay!r})",
            f"predictive = middle.predict(np.linspace({low!r}, {high!r}, {NUM_INPUTS}), {trained.NUM_DRAWS})",
        ]
    return "\n".join(lines)


def _panels(screen: Screen, dataset: Dataset, grid: Grid, chosen: Chosen, metric: str) -> Figure:
    panels = [(title, grid.predict(dataset, chosen.rate, index)) for title, index in chosen.three()]
    rows = np.argsort(dataset.x_test[:, 0])[:: max(1, len(dataset.x_test) // NUM_NEW)]
    nearby = near_points(part_of(dataset, x_test=dataset.x_test[rows], y_test=dataset.y_test[rows]))
    shown = {"mean", "truth", "data", "held_out", *(("epistemic",) if study.LAMBDA_RATES[chosen.rate] else ())}
    shown |= {"aleatoric"} if metric == "nll" else set()  # which RMSE does not judge
    fig = plots.small_multiples(panels, nearby, theme=screen.theme, stacked=screen.is_narrow, show=shown)
    fig.update_xaxes(nticks=4).update_layout(showlegend=not screen.is_narrow)
    fig.for_each_trace(lambda trace: trace.update(name=NAMES.get(trace.name, trace.name)))
    for panel, (_, predictive) in enumerate(panels):
        means = np.interp(nearby.x_test[:, 0], predictive.x[:, 0], predictive.mean[:, 0])
        x = np.repeat(nearby.x_test[:, 0], 3)
        y = np.stack([nearby.y_test[:, 0], means, np.full(len(means), np.nan)], 1).ravel()
        look = {"mode": "lines", "line": screen.theme.line(screen.theme.muted, 1), "showlegend": False}
        fig.add_trace(scatter(x, y, name="Distances", hoverinfo="skip", **look) | panel_axes(panel))
    fig.layout.annotations[1].font.color = screen.theme.text(screen.theme.mean)  # type: ignore[attr-defined]
    if grid.scores is not None:
        look = {"font": screen.theme.font(small=True), "bgcolor": tint(screen.theme.paper, 0.75), "showarrow": False}
        at = {"x": 0.5, "xref": "x3 domain", "y": 0.25, "yref": "y3 domain", "yanchor": "bottom"}
        fig.add_annotation(text="thin line:<br>error at a<br>new point", **look, **at)
        values = grid.scores[metric][:, chosen.rate].astype(float).mean(0)
        look = {"y": 0.01, "yanchor": "bottom", "font": screen.theme.font(bold=True), "showarrow": False}
        judged = {"rmse": summaries.rmse, "nll": summaries.negative_log_likelihood}[metric]
        for panel, (_, index) in enumerate(chosen.three()):
            axes = {key[0] + "ref": f"{name} domain" for key, name in panel_axes(panel).items()}
            seen = judged(grid.cell(chosen.rate, index).predict(dataset.x, NUM_DRAWS), dataset.y)
            text = f"error {number(values[index])}<br>at data {number(seen, 2)}"
            fig.add_annotation(x=0.5, text=text, bgcolor=tint(screen.theme.paper, 0.75), **axes, **look)
    return Figure("three_lambdas", fig, plots.describe_function_draws(panels[1][1], dataset))


def _curve(setting: Setting, screen: Screen, dataset: Dataset, scores: dict[str, Array], chosen: Chosen) -> Figure:
    """The held-out curve; a click on it chooses the weight decay of the middle panel."""
    metric = setting[METRIC]
    label = f"error at new points ({METRIC.name(metric)}{_unit(setting, dataset)})"
    decays, values = np.array(study.LAMBDA_DECAYS), scores[metric][:, chosen.rate]
    fig = plots.held_out_curve(
        decays,
        values,
        metric=label,
        chosen=chosen.decay,
        theme=screen.theme,
        y_range=_score_range(scores[metric]),
    ).update_layout(showlegend=False)
    decades = fig.layout.xaxis  # type: ignore[attr-defined]
    fig.update_xaxes(tickvals=decades.tickvals[::2], ticktext=decades.ticktext[::2])  # all do not fit beside the panels
    theme, best = screen.theme, fig.layout.annotations[0]  # type: ignore[attr-defined]
    means = values.astype(float).mean(0)
    best.update(text=f"{best.text}<br>error {number(means.min())}", xanchor="right", xshift=-6)
    if chosen.decay != chosen.best and number(means[chosen.decay]) != number(means[-1]):  # not written yet
        side, shift = ("left", 10) if chosen.decay < chosen.best else ("right", -10)
        value, top = float(means[chosen.decay]), fig.layout.yaxis.range[1]  # type: ignore[attr-defined]
        place = {"x": float(np.log10(decays[chosen.decay])), "xanchor": side, "xshift": shift, "y": min(value, top)}
        place |= {"yanchor": "bottom" if value < 0.9 * top else "top", "showarrow": False}
        fig.add_annotation(text=number(value), font=theme.font(bold=True, color=theme.text(theme.mean)), **place)
    above = float(np.interp(0.85, (0, 1), _score_range(scores[metric])))
    start = {"x": float(np.log10(decays[0])), "y": min(float(values[:, :10].max()), above)}
    look = {"font": theme.font(small=True), "showarrow": False, "xanchor": "left", "yanchor": "bottom"}
    fig.add_annotation(text=f"grey: {len(values)} runs", bgcolor=theme.paper, borderpad=0, **start, **look)
    last = {"x": float(np.log10(decays[-1])), "y": means[-1], "xanchor": "right", "yanchor": "top", "yshift": -6}
    fig.add_annotation(text=number(means[-1]), font=theme.font(bold=True), showarrow=False, **last)
    alt = plots.describe_held_out_curve(decays, values, metric=label)
    return Figure("held_out_curve", fig, alt, on_select=choose_clicked)


def choose_clicked() -> None:
    """A click on the curve chooses its weight decay (for use in a callback)."""
    cells = picked.rows("held_out_curve")
    if cells and cells[0] < len(study.LAMBDA_DECAYS):
        st.session_state[CHOSEN.key] = text(study.LAMBDA_DECAYS[cells[0]])


def _score_range(values: Array) -> tuple[float, float]:
    """One axis for all dropout rates, with room for a label below; the flat, hopeless end may leave it at the top."""
    low = float(values.mean(0).min())
    high = min(low + SHOWN_RISE * max(abs(low), 1.0), 1.02 * float(values.mean(0).max()))
    return low - 0.25 * (high - low), high


def _prior(screen: Screen, dataset: Dataset, grid: Grid, chosen: Chosen) -> list[Part]:
    """Functions from the prior that this weight decay amounts to, beside functions from the posterior."""
    cell, x = grid.cell(chosen.rate, chosen.decay), inputs(dataset)
    rng = np.random.Generator(np.random.SFC64([0, *b"prior"]))
    outputs = prior.prior_draws(cell.model.network, cell.scaling.standardise_x(x), cell.length_scales, rng, NUM_DRAWS)
    before = (outputs * cell.scaling.y_scale + cell.scaling.y_mean)[..., 0]
    after = cell.predict(x, NUM_DRAWS).draws[..., 0]
    fig = plots.prior_and_posterior(x[:, 0], before, after, dataset, theme=screen.theme, stacked=screen.is_narrow)
    alt = "Functions from the prior (left, own axis) and the posterior (right)."
    return [Figure("prior_picture", fig, alt), Words(_of_prior(study.LAMBDA_DECAYS[chosen.decay], cell.length_scales))]


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
        f"λ = {number(weight_decay)} amounts to a prior w ~ N(0, ℓ⁻²) with {scales}. **Assumed:** biases ~ "
        f"N(0, {BIAS_STD:g}) in standardised units. λ does not penalise biases, so their prior in training is flat, "
        "and nothing can be drawn from a flat prior. The smaller ℓ, the larger the functions: the left panel has its "
        "own scale."
    )
