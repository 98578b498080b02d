"""What draws of weights say of single digits, and the lecture notebook's network beside a plain one."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz import data, plots
from bdlviz.methods import bayes_by_backprop
from bdlviz.models import priors
from bdlviz.predictive import calibration, summaries
from bdlviz.topics.weights.signal_to_noise import figures, signal, study, views_runs
from bdlviz.topics.weights.signal_to_noise.figures import Line
from bdlviz.topics.weights.signal_to_noise.study import (
    NOTEBOOK_STEPS,
    NUM_DRAWS,
    NUM_UNSURE,
    PLAIN_STEPS,
    UNSURE,
    least_certain,
)
from bdlviz.topics.weights.signal_to_noise.views_runs import IMAGES, Run
from bdlviz.types import Array, Predictive
from bdlviz.ui.controls import picked
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import by_width
from bdlviz.ui.jobs.memory import remembered

DRAWS = 100  # of the digit that is looked at
WIDE, NARROW = 12, 6  # pictures side by side
WHOSE = Control(
    "whose",
    "Network",
    (*study.PRESETS, "notebook"),
    "honest",
    "menu",
    "Whose draws: two hidden layers with σ learned or tiny, or the notebook's one hidden layer.",
    {"honest": "learned σ", "small_sigma": "tiny σ", "notebook": "the notebook's"},
)
ORDER = Control(
    "unsure",
    "Least certain by",
    UNSURE,
    "spread",
    "menu",
    "The standard deviation over draws of the likeliest class's probability, or the lowest mean of that probability.",
    {"spread": "draws that differ (sd)", "largest": "lowest probability"},
)
RANK = number_control("rank", "Digit", range(1, NUM_UNSURE + 1), 1, "1 is the least certain. Or click a picture.")
CONTROLS = (WHOSE, ORDER, RANK)


def choose_digit() -> None:
    """Draw the controls of the view on single digits."""
    IMAGES.show()
    WHOSE.show()
    ORDER.show()
    RANK.show()


def show_digit() -> Shown | None:
    """The least certain digits, and the draws of one of them."""
    run = views_runs.present_run(WHOSE.present())
    if run is None:
        return None
    rows = least_certain(run.extra, ORDER.present())[:NUM_UNSURE]
    images = _images(run, rows)
    rank = int(RANK.present())
    row = int(rows[rank - 1])
    prediction = _draws_of(run, images[rank - 1 : rank], row)
    assert prediction.expected_entropy is not None and prediction.mutual_information is not None
    draws, label = prediction.draws[:, 0], int(run.extra["labels"][row])
    fig = plots.softmax_draws(
        draws,
        prediction.mean[0],
        expected_entropy=float(prediction.expected_entropy[0]),
        mutual_information=float(prediction.mutual_information[0]),
        label=label,
        theme=present_theme(),
        height=420,
    )
    figure(fig, key="digit_draws", alt=plots.describe_softmax_draws(draws, prediction.mean[0], label))
    _show_sheet(run, images.reshape(-1, *run.shape), rows, rank)
    _show_how_sure(run, rows)
    return Shown(
        (summaries.summarise_classification, calibration.auroc),
        (least_certain, study.held_out),
        _digit_snippet(run, row),
    )


def _images(run: Run, rows: Array) -> Array:
    """Some of the least certain held-out images, (M, D) from 0 to 1; those of MNIST stand beside the fit."""
    if run.images == "digits":
        return data.load("digits").x_test[rows]
    at = np.searchsorted(run.extra["unsure_rows"], rows)
    return run.extra["unsure_images"][at].astype(np.float32) / 255


def _draws_of(run: Run, image: Array, row: int) -> Predictive:
    return remembered(run.fit, ("digit", row), lambda: run.fit.predict(image, DRAWS))


def _show_sheet(run: Run, pictures: Array, rows: Array, rank: int) -> None:
    """The least certain digits with what the mean says of each, wrong ones in the colour of warnings."""
    answers = run.extra["probabilities"][rows].argmax(1)
    wrong = answers != run.extra["labels"][rows]
    st.caption(
        f"**Click a picture.** The {NUM_UNSURE} least certain of {len(run.extra['labels']):,} held-out digits; under "
        f"each what the mean of {NUM_DRAWS} draws says, :orange[orange] where it is wrong."
    )
    hover = [_told(run, int(row)) for row in rows]
    key = f"unsure_{run.name}_{ORDER.present()}"
    sheet = plots.contact_sheet(
        pictures,
        by_width(WIDE, NARROW),
        names=[str(answer) for answer in answers],
        is_wrong=wrong,
        rows=np.arange(1, len(rows) + 1),
        chosen=rank - 1,
        hover=hover,
        theme=present_theme(),
        size=by_width(70, 52),
    )
    alt = f"The {len(rows)} least certain digits; {int(wrong.sum())} of them are classified wrongly."
    figure(sheet, key=key, alt=alt, on_select=lambda: _pick(key), selection_mode="points")


def _told(run: Run, row: int) -> str:
    mean, spread = run.extra["probabilities"][row].astype(float), float(run.extra["spread"][row])
    return f"label {run.extra['labels'][row]}<br>mean says {mean.argmax()} ({mean.max():.0%} ± {spread:.0%} over draws)"


def _pick(key: str) -> None:
    ranks = picked.rows(key)
    if ranks and str(ranks[0]) in RANK.options:
        st.session_state[RANK.key] = str(ranks[0])


def _show_how_sure(run: Run, rows: Array) -> None:
    """Does uncertainty tell the wrong answers from the right ones?"""
    wrong = run.extra["probabilities"].argmax(1) != run.extra["labels"]
    spread = run.extra["spread"].astype(np.float32)
    numbers(
        [
            ("Held-out error", f"{100 * wrong.mean():.2f} %", f"Mean of {NUM_DRAWS} draws."),
            (f"Wrong among these {len(rows)}", f"{int(wrong[rows].sum())}", "Of the digits on the sheet."),
            ("Mistakes found (AUROC)", found_mistakes(spread, wrong), "By the sd over draws: 0.5 is guessing."),
            ("Their median sd", f"{np.median(spread[rows]):.2f}", "Over draws, of the likeliest class's probability."),
        ]
    )


def found_mistakes(spread: Array, is_wrong: Array) -> str:
    """How well the spread (N,) ranks wrong answers above right ones; a dash where all are alike."""
    if is_wrong.all() or not is_wrong.any():
        return "–"
    return f"{calibration.auroc(spread[~is_wrong], spread[is_wrong]):.2f}"


def _digit_snippet(run: Run, row: int) -> str:
    download = ", download=True" if run.images == "mnist" else ""
    return "\n".join(
        [
            "import bdlviz",
            "from bdlviz.fitted import shelf",
            "",
            f"data = bdlviz.dataset({study.IMAGES[run.images]!r}{download})",
            f"fit, extra = shelf.shipped({run.name!r})",
            f"predictive = fit.predict(data.x_test[{row} : {row + 1}], num_samples={DRAWS})",
            'print(predictive.mean, predictive.draws.std(0), extra["spread"].argmax())',
        ]
    )


# The notebook ---------------------------------------------------------------------------------------------------------


def show_notebook() -> Shown | None:
    """Held-out error over the steps of the notebook's two networks."""
    run = views_runs.present_run("notebook")
    if run is None:
        return None
    extra = run.extra
    lines = [
        Line(f"plain, {PLAIN_STEPS:,} steps", extra["plain_step"], 100 * extra["plain_error"].astype(float), "plain"),
        Line(f"Bayes by Backprop, {NOTEBOOK_STEPS:,}", extra["step"], 100 * extra["error"].astype(float), "bayes"),
    ]
    fig = figures.errors_over_training(lines, x_label="Optimisation steps", theme=present_theme())
    figure(fig, key="notebook_course", alt=figures.describe_lines(lines))
    wrong = extra["probabilities"].argmax(1) != extra["labels"]
    count, below = len(wrong), run.share_below(1)
    numbers(
        [
            ("Error, plain", f"{lines[0].y[-1]:.2f} %", f"After {PLAIN_STEPS:,} steps, {count:,} images."),
            ("Error, Bayes", f"{lines[1].y[-1]:.2f} %", f"Mean of {NUM_DRAWS} draws after {NOTEBOOK_STEPS:,} steps."),
            ("NLL, plain / Bayes", f"{extra['plain_nll'][0]:.3f} / {extra['nll'][0]:.3f}", "Held out, nats per image."),
            (
                "Mistakes found (AUROC)",
                found_mistakes(extra["spread"].astype(np.float32), wrong),
                "By the sd of draws.",
            ),
        ]
    )
    is_better = extra["nll"][0] < extra["plain_nll"][0]
    tenth = np.argsort(-extra["spread"].astype(np.float32), kind="stable")[: count // 10]
    st.markdown(
        f"**What else it knows.** By negative log likelihood it is {'better' if is_better else 'worse'} than the plain "
        f"network here. But {int(wrong[tenth].sum())} of its {int(wrong.sum())} mistakes are in the tenth of the "
        f"digits on which its draws differ most, and {below:.0%} of its weights have a σ above their mean: it can "
        "say which it does not need. The plain network gives one answer and no such list. "
        "(The notebook trains with RMSProp at 10⁻³, here it is Adam at 10⁻³; its prior mixes two Gaussians.)"
    )
    snippet = "\n".join(
        [
            "from bdlviz.fitted import shelf",
            "",
            f"fit, extra = shelf.shipped({run.name!r})  # or study.notebook({run.images!r}): minutes",
            'print(extra["plain_error"][-1], extra["error"][-1], extra["plain_nll"], extra["nll"])',
        ]
    )
    formulas = (bayes_by_backprop.build, priors.log_scale_mixture, signal.signal_to_noise)
    return Shown(formulas, (study.notebook, study.held_out), snippet)
