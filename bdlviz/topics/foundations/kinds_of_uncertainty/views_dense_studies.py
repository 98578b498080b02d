"""Dense prediction measured over trainings: both uncertainties for more scenes, and depth beside a second task."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.topics.foundations.kinds_of_uncertainty import dense_network as heads
from bdlviz.topics.foundations.kinds_of_uncertainty import dense_scores, figures_dense, study_dense
from bdlviz.topics.foundations.kinds_of_uncertainty import views_dense_source as source
from bdlviz.topics.foundations.kinds_of_uncertainty.scenes import CHANGES
from bdlviz.topics.foundations.kinds_of_uncertainty.study_dense import REGIONS, SIZE_SEEDS, STUDIED, TASK_SEEDS
from bdlviz.topics.foundations.kinds_of_uncertainty.views_dense_source import FRONT, NUM_SCENES, TASKS
from bdlviz.topics.results.register.views import html_table
from bdlviz.types import Array
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow

WHERE = {
    "outlines": "at outlines",
    "glossy": "on glossy things",
    "far": "farther than 5 m",
    "near": "nearer, matte",
}
SQUARE_ROOT = "that of a mean of N readings is -0.5."


def choose_sizes() -> None:
    """The N whose regions the table shows."""
    NUM_SCENES.show()


def show_sizes() -> Shown | None:
    """Both uncertainties and the coverage of the bands against the number of training scenes."""
    found, networks = source.bundle(study_dense.SIZES), source.bundle(study_dense.SCENES)
    if found is None or networks is None:
        return None
    beside = np.full((1, len(STUDIED)), np.nan)
    beside[0, : len(study_dense.NUM_SCENES)] = networks["networks_epistemic"]
    top = 1.1 * float(max(found["aleatoric"].max(), found["known"].max()))
    panels = [
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
                plots.Series("three networks", beside, "ink", "dash"),
            ],
        ),
        plots.Panel(
            "Readings in the 95 % band",
            "Share",
            (0.5, 1.0),
            [
                plots.Series("both", found["coverage_total"], "mean"),
                plots.Series("aleatoric alone", found["coverage_aleatoric"], "aleatoric"),
            ],
            truth=0.95,
        ),
    ]
    fig = plots.against_setting(
        np.array(STUDIED, float),
        panels,
        x_label="Training scenes N",
        theme=present_theme(),
        stacked=is_narrow(),
    )
    figure(fig, key="dense_sizes", alt=_told(found))
    at = study_dense.NUM_SCENES.index(int(NUM_SCENES.present()))
    numbers(_size_numbers(found, at))
    _say_what_stays(found)
    _show_regions(found, at, networks["networks_front"][at])
    return Shown(
        (dense_scores.depth_picture, dense_scores.coverage, dense_scores.correlation),
        (study_dense.sizes,),
        _snippet("SIZES"),
    )


def _told(found: dict[str, Array]) -> str:
    rows = zip(STUDIED, found["aleatoric"].mean(0), found["epistemic"].mean(0), strict=True)
    told = "; ".join(f"N = {count}: {aleatoric:.2f} and {epistemic:.2f} m" for count, aleatoric, epistemic in rows)
    return f"Mean aleatoric and epistemic sd: {told}. The sensor's own: {found['known'][0]:.2f} m."


def _size_numbers(found: dict[str, Array], at: int) -> list[tuple[str, str, str]]:
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


def _say_what_stays(found: dict[str, Array]) -> None:
    inside, aleatoric, known = found["coverage_total"].mean(0), found["aleatoric"].mean(0), found["known"][0]
    st.caption(
        f"From {STUDIED[0]} scenes the network learns their noise by heart, and its bands catch {inside[0]:.0%} of new "
        f"readings. From {STUDIED[-2]} on they catch {inside[-2]:.0%}, for whatever the network cannot fit it calls "
        f"noise: {aleatoric[-2]:.2f} m, where the sensor has {known:.2f} m. The masks of dropout do not come together "
        "as N grows: their rate sets how far they part."
    )


def _show_regions(found: dict[str, Array], at: int, networks: Array) -> None:
    """Where the noise is, and what a strange thing in front changes."""
    names = ("Pixels", "Known noise sd", "Aleatoric sd", "Epistemic sd")
    rows = [
        (
            WHERE[region],
            f"{found['known_by'][index]:.2f} m",
            _spread(found["aleatoric_by"][:, at, index]),
            _spread(found["epistemic_by"][:, at, index]),
        )
        for index, region in enumerate(REGIONS)
    ]
    html_table(names, rows)
    names = ("The thing in front", "Error of depth", "Aleatoric sd", "Epistemic sd", "Epistemic, three networks")
    measured = ("front_error", "front_aleatoric", "front_epistemic")
    rows = [
        (FRONT.name(change), *(_spread(found[key][:, at, index]) for key in measured), f"{networks[index]:.2f} m")
        for index, change in enumerate(CHANGES)
    ]
    html_table(names, rows)
    st.caption(f"Mean ± sd of {len(SIZE_SEEDS)} trainings at N = {NUM_SCENES.present()}; the same scenes in all rows.")


def _spread(values: Array) -> str:
    return f"{values.mean():.2f} ± {values.std(ddof=1):.2f} m"


def choose_tasks() -> None:
    """This view has no setting of its own."""
    st.caption("Four trainings of each network at N = 300, all with one learned noise for every pixel.")


def show_tasks() -> Shown | None:
    """The one learned noise of depth, alone and beside a second task."""
    found = source.bundle(study_dense.TASKS)
    if found is None:
        return None
    names = [TASKS.name(tasks) for tasks in study_dense.TASKS_OF]
    fig = figures_dense.second_task(names, found["sigma"], found["rmse"], theme=present_theme(), stacked=is_narrow())
    told = ", ".join(f"{name} {sigma:.3f} m" for name, sigma in zip(names, found["sigma"].mean(0), strict=True))
    figure(fig, key="second_task", alt=f"Learned noise of depth: {told}.")
    numbers(_task_numbers(found))
    st.caption(
        f"Two standard errors decide. Learned noise σ of depth: {_verdict(found['sigma'])}. Held-out error of depth: "
        f"{_verdict(found['rmse'])}. The paper's networks gained from a second task; a network this small shares its "
        "few channels and steps."
    )
    return Shown((heads.depth_loss, heads.weighed), (study_dense.tasks, heads.weighed), _snippet("TASKS"))


def _task_numbers(found: dict[str, Array]) -> list[tuple[str, str, str]]:
    """What each second task changes of the noise and of the error of depth, seed by seed."""
    rows: list[tuple[str, str, str]] = []
    for index, tasks in list(enumerate(study_dense.TASKS_OF))[1:]:
        weight = found["second"][:, index].mean()
        for name, key in (("σ", "sigma"), ("Error", "rmse")):
            change, error = _change(found[key], index)
            told = (
                f"Against depth alone; ± is one standard error of {len(TASK_SEEDS)} trainings, paired by seed. "
                f"The second task's own σ is {weight:.2f}: it weighs 1/σ² = {1 / weight**2:.1f}."
            )
            rows.append((f"{name} of depth, by {tasks}", f"{change:+.3f} ± {error:.3f} m", told))
    return rows


def _change(values: Array, index: int) -> tuple[float, float]:
    """What a set of tasks changes against depth alone, and its standard error, from values (R, tasks)."""
    change = values[:, index] - values[:, 0]
    return float(change.mean()), float(change.std(ddof=1) / np.sqrt(len(change)))


def _verdict(values: Array) -> str:
    """Which second tasks change a quantity by more than two standard errors, and how."""
    found = [(name, *_change(values, index)) for index, name in list(enumerate(study_dense.TASKS_OF))[1:]]
    told = (
        f"{'raise' if change > 0 else 'lower'} it"
        if abs(change) > 2 * error
        else "move it by no more than chance might"
        for _, change, error in found
    )
    return " and ".join(f"{name} {verb}" for (name, _, _), verb in zip(found, told, strict=True))


def _snippet(which: str) -> str:
    name = getattr(study_dense, which)
    return "\n".join(
        [
            "from bdlviz.fitted import bundles\nfrom bdlviz.topics.foundations.kinds_of_uncertainty import study_dense",
            "",
            f'found = bundles.shipped("{name}", study_dense.BUNDLES["{name}"].settings)',
            f"# made by: python -m bdlviz train {name}",
            "print({key: array.mean(0) for key, array in found.items()})",
        ]
    )
