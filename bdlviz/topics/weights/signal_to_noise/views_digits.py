"""The draws of weights on single digits, and the lecture notebook's network beside a plain one."""

from __future__ import annotations

import numpy as np

from bdlviz import data, plots
from bdlviz.digits import percent, with_article
from bdlviz.methods import bayes_by_backprop
from bdlviz.models import priors
from bdlviz.predictive import calibration, summaries
from bdlviz.topics.shared.calls import load_snippet
from bdlviz.topics.weights.signal_to_noise import figures, signal, study
from bdlviz.topics.weights.signal_to_noise.controls import IMAGES, ORDER, RANK, WHOSE
from bdlviz.topics.weights.signal_to_noise.figures import Line
from bdlviz.topics.weights.signal_to_noise.run import Run, need_of, result_of
from bdlviz.topics.weights.signal_to_noise.study import (
    NOTEBOOK_STEPS,
    NUM_DRAWS,
    NUM_UNSURE,
    PLAIN_STEPS,
    least_certain,
)
from bdlviz.types import Array
from bdlviz.ui.cache import remembered
from bdlviz.ui.controls import picked
from bdlviz.ui.model import Figure, Formula, Need, Numbers, Part, Result, Says, Screen, Setting, Words

DRAWS = 100  # of the chosen digit
WIDE, NARROW = 12, 6  # pictures side by side


def needed(setting: Setting) -> Need[Run]:
    """The run of the network whose draws are shown."""
    return need_of(setting[IMAGES], setting[WHOSE])


def uncertain(setting: Setting, screen: Screen, run: Run) -> Result:
    """The least certain digits, and the draws of one of them."""
    rows = least_certain(run.extra, setting[ORDER])[:NUM_UNSURE]
    images = _images(run, rows)
    place = int(setting[RANK]) - 1
    row = int(rows[place])
    prediction = remembered(run.fit, ("unsure digits", setting[ORDER]), lambda: run.fit.predict(images, DRAWS))
    assert prediction.expected_entropy is not None and prediction.mutual_information is not None
    mean, draws, label = prediction.mean[place], prediction.draws[:, place], int(run.extra["labels"][row])
    fig = plots.softmax_draws(
        draws,
        mean,
        expected_entropy=float(prediction.expected_entropy[place]),
        mutual_information=float(prediction.mutual_information[place]),
        label=label,
        theme=screen.theme,
        height=420,
        is_narrow=screen.is_narrow,
    )
    shown = Figure("digit_draws", fig, plots.describe_softmax_draws(draws, mean, label))
    sheet = _sheet(setting, screen, run, images.reshape(-1, *run.shape), rows)
    formulas = (
        Formula(summaries.summarise_classification, "The entropy of the mean: the mean entropy plus the disagreement."),
        Formula(calibration.auroc, "How often a wrong answer is less certain than a right one."),
    )
    spread = float(draws[:, mean.argmax()].std())
    says = Says(
        f"{with_article(label).capitalize()} that the mean of {DRAWS} draws calls "
        f"{with_article(int(mean.argmax()))} with "
        f"{percent(float(mean.max()))}; over draws this varies by {percent(spread)} (sd)."
    )
    parts = [says, shown, *sheet, _certainty(run, rows)]
    return result_of(setting, screen, parts, formulas, (least_certain, study.held_out), _digit_call(run, row))


def _images(run: Run, rows: Array) -> Array:
    """Some of the least certain held-out images, (M, D) from 0 to 1; those of MNIST stand beside the fit."""
    if run.images == "digits":
        return data.load("digits").x_test[rows]
    at = np.searchsorted(run.extra["unsure_rows"], rows)
    return run.extra["unsure_images"][at].astype(np.float32) / 255


def _sheet(setting: Setting, screen: Screen, run: Run, pictures: Array, rows: Array) -> list[Part]:
    """The least certain digits with the class of the mean; wrong ones in the colour of warnings."""
    answers, wrong = run.extra["probabilities"][rows].argmax(1), run.is_wrong[rows]
    told = Words(
        f"**Click a picture.** The {NUM_UNSURE} least certain of {len(run.extra['labels']):,} held-out digits; under "
        f"each the likeliest class of the mean of {NUM_DRAWS} draws, :orange[orange] where it is wrong."
    )
    fig = plots.contact_sheet(
        pictures,
        screen.by_width(WIDE, NARROW),
        names=[str(answer) for answer in answers],
        is_wrong=wrong,
        rows=np.arange(1, len(rows) + 1),
        chosen=int(setting[RANK]) - 1,
        hover=[_hover(run, int(row)) for row in rows],
        theme=screen.theme,
        size=screen.by_width(70, 52),
    )
    key = f"unsure_{run.name}_{setting[ORDER]}"
    alt = f"The {len(rows)} least certain digits; {int(wrong.sum())} of them are classified wrongly."
    return [told, Figure(key, fig, alt, on_select=lambda: picked.into_control(key, RANK))]


def _hover(run: Run, row: int) -> str:
    mean, spread = run.extra["probabilities"][row].astype(float), float(run.extra["spread"][row])
    told = f"{100 * mean.max():.0f} ± {100 * spread:.0f} % over draws"
    return f"label {run.extra['labels'][row]}<br>prediction {mean.argmax()} ({told})"


def _certainty(run: Run, rows: Array) -> Numbers:
    """How well uncertainty separates wrong answers from right ones."""
    wrong, spread = run.is_wrong, run.spread
    return Numbers(
        [
            ("Held-out error", f"{100 * wrong.mean():.2f} %", f"Mean of {NUM_DRAWS} draws."),
            (f"Wrong among these {len(rows)}", f"{int(wrong[rows].sum())}", "Of the digits on the sheet."),
            ("Mistakes found (AUROC)", found_mistakes(spread, wrong), "By the sd over draws: 0.5 is guessing."),
            ("Their median sd", f"{np.median(spread[rows]):.2f}", "Over draws, of the likeliest class's probability."),
        ]
    )


def found_mistakes(spread: Array, is_wrong: Array) -> str:
    """How well the sd over draws (N,) ranks wrong answers above right ones; a dash where all are alike."""
    if is_wrong.all() or not is_wrong.any():
        return "–"
    return f"{calibration.auroc(spread[~is_wrong], spread[is_wrong]):.2f}"


def _digit_call(run: Run, row: int) -> list[str]:
    return [
        "import bdlviz",
        "from bdlviz.fitted import shelf",
        "",
        load_snippet(study.IMAGES[run.images]),
        f"fit, extra = shelf.shipped({run.name!r})",
        f"predictive = fit.predict(data.x_test[{row} : {row + 1}], num_samples={DRAWS})",
        'print(predictive.mean, predictive.draws.std(0), extra["spread"].argmax())',
    ]


# The notebook ---------------------------------------------------------------------------------------------------------


def notebook(setting: Setting, screen: Screen, run: Run) -> Result:
    """Held-out error over the steps of the notebook's two networks."""
    extra = run.extra
    lines = [
        Line(f"plain, {PLAIN_STEPS:,} steps", extra["plain_step"], 100 * extra["plain_error"].astype(float), "plain"),
        Line(f"Bayes by Backprop, {NOTEBOOK_STEPS:,}", extra["step"], 100 * extra["error"].astype(float), "bayes"),
    ]
    fig = figures.errors_over_training(lines, x_label="Optimisation steps", theme=screen.theme)
    plain_nll, nll = float(extra["plain_nll"][0]), float(extra["nll"][0])
    values = Numbers(
        [
            ("Error, plain", f"{lines[0].y[-1]:.2f} %", f"After {PLAIN_STEPS:,} steps, {len(run.is_wrong):,} images."),
            ("Error, Bayes", f"{lines[1].y[-1]:.2f} %", f"Mean of {NUM_DRAWS} draws after {NOTEBOOK_STEPS:,} steps."),
            (
                "Surprise, plain / Bayes",
                f"{plain_nll:.3f} / {nll:.3f}",
                "Mean of −log p of the right digit (NLL, nats).",
            ),
            ("Mistakes found (AUROC)", found_mistakes(run.spread, run.is_wrong), "By the sd of draws."),
        ]
    )
    call = [
        "from bdlviz.fitted import shelf",
        "",
        f"fit, extra = shelf.shipped({run.name!r})  # or study.notebook({run.images!r}): minutes",
        'print(extra["plain_error"][-1], extra["error"][-1], extra["plain_nll"], extra["nll"])',
    ]
    shown = Figure("notebook_course", fig, figures.describe_lines(lines))
    plain, bayes = (percent(float(line.y[-1]) / 100) for line in lines)
    says = Says(f"The plain network is wrong on {plain} of the digits, Bayes by Backprop on {bayes}.")
    parts = [says, shown, values, Words(_what_else(run, nll < plain_nll), "markdown")]
    formulas = (
        Formula(bayes_by_backprop.build, "The loss: the data term of a minibatch and the divergence from the prior."),
        Formula(priors.log_scale_mixture, "The prior of a weight: a wide and a narrow Gaussian, mixed."),
        Formula(signal.signal_to_noise, "How many of its own standard deviations a weight's mean is away from 0."),
    )
    return result_of(setting, screen, parts, formulas, (study.notebook, study.held_out), call)


def _what_else(run: Run, is_better: bool) -> str:
    """What the Bayesian network offers besides its error, in words."""
    wrong, tenth = run.is_wrong, np.argsort(-run.spread, kind="stable")[: len(run.is_wrong) // 10]
    return (
        "**What the Bayesian network offers besides.** Its negative log-likelihood is "
        f"{'better' if is_better else 'worse'} than that of the plain network here. But "
        f"{int(wrong[tenth].sum())} of its {int(wrong.sum())} mistakes are in the tenth of the digits on which its "
        f"draws differ most, and {100 * run.share_below(1):.0f} % of its weights have a σ above their mean, so it "
        "shows which weights it does not need. The plain network gives one answer and no such "
        "list. (The notebook trains with RMSProp at 10⁻³, here it is Adam at 10⁻³; its prior mixes two Gaussians.)"
    )
