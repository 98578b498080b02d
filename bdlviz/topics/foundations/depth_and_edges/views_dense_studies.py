"""Dense prediction over several trainings: both uncertainties against the number of scenes, and a second task."""

from __future__ import annotations

import numpy as np

from bdlviz import plots
from bdlviz.digits import number, percent
from bdlviz.predictive.intervals import mean_interval
from bdlviz.topics.foundations.depth_and_edges import dense_network as heads
from bdlviz.topics.foundations.depth_and_edges import dense_scores, figures_dense, study_dense
from bdlviz.topics.foundations.depth_and_edges.controls import FRONT, NUM_SCENES, TASKS
from bdlviz.topics.foundations.depth_and_edges.dense_source import Arrays, bundle_needed
from bdlviz.topics.foundations.depth_and_edges.scenes import CHANGES
from bdlviz.topics.foundations.depth_and_edges.study_dense import REGIONS, SIZE_SEEDS, STUDIED, TASK_SEEDS
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Formula, Need, Note, Numbers, Part, Result, Says, Screen, Setting, Table, Words

WHERE = {
    "outlines": "at outlines",
    "glossy": "on glossy things",
    "far": "farther than 5 m",
    "near": "nearer, matte",
}
SQUARE_ROOT = "for the mean of N readings it would be -0.5."
DEPTH = Formula(dense_scores.depth_picture, "Mean and both standard deviations of a pixel from S draws.")
COVERAGE = Formula(dense_scores.coverage, "The share of readings inside the band.")
CORRELATION = Formula(dense_scores.correlation, "Whether the noise is large where it should be.")
ONE_NOISE = Formula(
    heads.depth_loss,
    "The loss of depth, with one learned noise for every pixel.",
    {r"\sigma": "noise of depth, in metres"},
)
WEIGHED = Formula(heads.weighed, "A task with much noise counts less.", {r"\sigma": "learned noise of the task"})
ABOUT_TASKS = Note(lambda _: "Four trainings of each network at N = 300, all with one learned noise for every pixel.")


# More scenes ----------------------------------------------------------------------------------------------------------


def sizes_needed(_: Setting) -> list[Need[Arrays]]:
    """The arrays of the study of the number of scenes, and the networks (for the ensemble without dropout)."""
    return [bundle_needed(study_dense.SIZES), bundle_needed(study_dense.SCENES)]


def sizes(setting: Setting, screen: Screen, arrays: list[Arrays | None]) -> Result:
    """Both uncertainties and the coverage of the bands against the number of training scenes."""
    found, networks = arrays
    if found is None or networks is None:
        return Result([Says("A study of this picture is missing.")])
    fig = plots.against_setting(
        np.array(STUDIED, float),
        _size_panels(found, networks),
        x_label="Training scenes N",
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    at = study_dense.NUM_SCENES.index(int(setting[NUM_SCENES]))
    return Result(
        [
            Says(_at_size(found, STUDIED.index(int(setting[NUM_SCENES])))),
            Figure("dense_sizes", fig, _described(found)),
            Numbers(_size_numbers(found, at)),
            Words(_what_stays(found)),
            *_regions(found, at, networks["networks_front"][at]),
        ],
        (DEPTH, COVERAGE, CORRELATION),
        (study_dense.sizes,),
        _call("SIZES"),
    )


def _at_size(found: Arrays, at: int) -> str:
    """Both uncertainties and the coverage at one number of scenes, the mean of the trainings."""
    noise, between, inside = (float(found[key].mean(0)[at]) for key in ("aleatoric", "epistemic", "coverage_total"))
    return (
        f"From {STUDIED[at]} scenes: noise {number(noise, 2)} m (sensor {number(float(found['known'][0]), 2)}), draws "
        f"differ by {number(between, 2)} m; 95 % bands hold {percent(inside)} of new readings."
    )


def _size_panels(found: Arrays, networks: Arrays) -> list[plots.Panel]:
    of_networks = np.full((1, len(STUDIED)), np.nan)
    of_networks[0, : len(study_dense.NUM_SCENES)] = networks["networks_epistemic"]
    top = 1.1 * float(max(found["aleatoric"].max(), found["known"].max()))
    return [
        plots.Panel(
            "Aleatoric",
            "Mean sd (m)",
            (0.0, top),
            [plots.Series("aleatoric sd", found["aleatoric"], "aleatoric")],
            truth=float(found["known"][0]),
        ),
        plots.Panel(
            "Epistemic",
            "Mean sd (m)",
            (0.0, top),
            [
                plots.Series("dropout masks", found["epistemic"], "epistemic"),
                plots.Series("three networks", of_networks, "ink", "dash"),
            ],
        ),
        plots.Panel(
            "Readings in 95 % band",
            "Share",
            (0.5, 1.0),
            [
                plots.Series("both", found["coverage_total"], "mean"),
                plots.Series("aleatoric alone", found["coverage_aleatoric"], "aleatoric"),
            ],
            truth=0.95,
        ),
    ]


def _described(found: Arrays) -> str:
    rows = zip(STUDIED, found["aleatoric"].mean(0), found["epistemic"].mean(0), strict=True)
    by_count = "; ".join(f"N = {count}: {aleatoric:.2f} and {epistemic:.2f} m" for count, aleatoric, epistemic in rows)
    return f"Mean aleatoric and epistemic sd: {by_count}. Known noise of the sensor: {found['known'][0]:.2f} m."


def _size_numbers(found: Arrays, at: int) -> list[tuple[str, str, str]]:
    epistemic, aleatoric = found["epistemic"].mean(0), found["aleatoric"].mean(0)
    slope = np.polyfit(np.log(STUDIED), np.log(epistemic), 1)[0]
    count = f"Mean of {len(SIZE_SEEDS)} trainings, {study_dense.NUM_HELD_OUT} held-out scenes."
    return [
        (
            "Epistemic, least to most N",
            f"× {epistemic[-1] / epistemic[0]:.2f}",
            f"Slope of log sd against log N: {slope:.2f}; {SQUARE_ROOT} {count}",
        ),
        (
            "Aleatoric, least to most N",
            f"× {aleatoric[-1] / aleatoric[0]:.2f}",
            f"From {aleatoric[0]:.2f} to {aleatoric[-1]:.2f} m. {count}",
        ),
        ("Aleatoric and known sd", f"r = {found['correlation'].mean(0)[at]:.2f}", f"Over pixels, at this N. {count}"),
        ("Error of depth", f"{found['rmse'].mean(0)[at]:.2f} m", f"Root mean square, against the truth. {count}"),
    ]


def _what_stays(found: Arrays) -> str:
    inside, aleatoric, known = found["coverage_total"].mean(0), found["aleatoric"].mean(0), found["known"][0]
    return (
        f"With {STUDIED[0]} scenes the network overfits their noise, and its bands contain {100 * inside[0]:.0f} % of "
        f"new readings. With {STUDIED[-2]} scenes they contain {100 * inside[-2]:.0f} %, because the learned noise "
        f"includes the error of what the network cannot fit: it is {aleatoric[-2]:.2f} m, and the noise of the sensor "
        f"is {known:.2f} m. The standard deviation over dropout masks does not fall as N grows, because the dropout "
        "rate sets it."
    )


def _regions(found: Arrays, at: int, networks: Array) -> list[Part]:
    """A table of both uncertainties by region, and a table by the change of the thing in front."""
    by_region = [
        (
            WHERE[region],
            f"{found['known_by'][index]:.2f} m",
            _mean_and_sd(found["aleatoric_by"][:, at, index]),
            _mean_and_sd(found["epistemic_by"][:, at, index]),
        )
        for index, region in enumerate(REGIONS)
    ]
    measured = ("front_error", "front_aleatoric", "front_epistemic")
    by_front = [
        (FRONT.name(change), *(_mean_and_sd(found[key][:, at, index]) for key in measured), f"{networks[index]:.2f} m")
        for index, change in enumerate(CHANGES)
    ]
    return [
        Table(("Pixels", "Known noise sd", "Aleatoric sd", "Epistemic sd"), by_region),
        Table(
            ("The thing in front", "Error of depth", "Aleatoric sd", "Epistemic sd", "Epistemic, three networks"),
            by_front,
        ),
        Words(
            f"Mean ± sd of {len(SIZE_SEEDS)} trainings at N = {study_dense.NUM_SCENES[at]}; the same scenes in all "
            "rows."
        ),
    ]


def _mean_and_sd(values: Array) -> str:
    return f"{values.mean():.2f} ± {values.std(ddof=1):.2f} m"


# A second task --------------------------------------------------------------------------------------------------------


def tasks_needed(_: Setting) -> Need[Arrays]:
    """The study of a second task."""
    return bundle_needed(study_dense.TASKS)


def tasks(setting: Setting, screen: Screen, found: Arrays) -> Result:
    """The one learned noise of depth, alone and with a second task."""
    names = [TASKS.name(tasks) for tasks in study_dense.TASKS_OF]
    fig = figures_dense.second_task(names, found["sigma"], found["rmse"], theme=screen.theme, stacked=screen.is_narrow)
    sigmas = ", ".join(f"{name} {sigma:.3f} m" for name, sigma in zip(names, found["sigma"].mean(0), strict=True))
    verdict = (
        "Here only changes whose 95 % interval (Student) does not contain 0 count. Learned noise σ of depth: "
        f"{_verdict(found['sigma'])}. Held-out error of depth: {_verdict(found['rmse'])}. In the paper a second task "
        "lowered the error; the network here is smaller, and it is trained for fewer steps."
    )
    return Result(
        [
            Says(_with_a_second_task(found)),
            Figure("second_task", fig, f"Learned noise of depth: {sigmas}."),
            Numbers(_task_numbers(found)),
            Words(verdict),
        ],
        (ONE_NOISE, WEIGHED),
        (study_dense.tasks, heads.weighed),
        _call("TASKS"),
    )


def _with_a_second_task(found: Arrays) -> str:
    """The learned noise of depth alone and with each second task, and whether the trainings show a change."""
    alone, edges, classes = (number(float(value)) for value in found["sigma"].mean(0))
    ends = [_change(found["sigma"], index)[1:] for index in (1, 2)]
    is_shown = any(low > 0 or high < 0 for low, high in ends)
    verdict = "the trainings show a change" if is_shown else f"{len(TASK_SEEDS)} trainings show no change"
    return f"The noise of depth is {alone} m alone, {edges} m with edges and {classes} m with classes: {verdict}."


def _task_numbers(found: Arrays) -> list[tuple[str, str, str]]:
    """The changes of the learned noise and of the error of depth by each second task, with half their intervals."""
    rows: list[tuple[str, str, str]] = []
    for index, tasks in list(enumerate(study_dense.TASKS_OF))[1:]:
        sigma = found["second"][:, index].mean()
        for name, key in (("σ", "sigma"), ("Error", "rmse")):
            change, _, high = _change(found[key], index)
            explanation = (
                f"Change from depth alone; ± is half the 95 % interval of {len(TASK_SEEDS)} trainings, paired by seed. "
                f"The learned σ of the second task is {sigma:.2f}: the weight of its loss is 1/σ² = {1 / sigma**2:.1f}."
            )
            rows.append((f"{name} of depth, by {tasks}", f"{change:+.3f} ± {high - change:.3f} m", explanation))
    return rows


def _change(values: Array, index: int) -> tuple[float, float, float]:
    """The mean change from depth alone to set ``index`` of tasks, and its 95 % interval, from values (R, tasks)."""
    mean, low, high = mean_interval(values[:, index] - values[:, 0])
    return float(mean), float(low), float(high)


def _verdict(values: Array) -> str:
    """For each second task, whether it raises or lowers a quantity: 0 lies outside of the interval of its change."""
    clauses = []
    for index, name in list(enumerate(study_dense.TASKS_OF))[1:]:
        _, low, high = _change(values, index)
        verb = "raise" if low > 0 else "lower"
        clauses.append(f"{name} {verb} it" if low > 0 or high < 0 else f"{name} are not shown to change it")
    return " and ".join(clauses)


def _call(which: str) -> str:
    name = getattr(study_dense, which)
    return "\n".join(
        [
            "from bdlviz.fitted import bundles\nfrom bdlviz.topics.foundations.depth_and_edges import study_dense",
            "",
            f"# computed by: python -m bdlviz train {name}",
            f'arrays = bundles.shipped("{name}", study_dense.ARRAYS["{name}"].settings)',
            "print({key: array.mean(0) for key, array in arrays.items()})",
        ]
    )
