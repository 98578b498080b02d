"""The pictures of the scoreboard: each belongs to one or more columns of its table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bdlviz import plots
from bdlviz.data import shifts
from bdlviz.digits import number, percent
from bdlviz.predictive import calibration, summaries
from bdlviz.topics.results.scoreboard import figures, study
from bdlviz.topics.results.scoreboard.controls import METHOD, REFUSED, SURE
from bdlviz.topics.results.scoreboard.rows import ON_BOARD, Row, chosen, mean_sd, needed, smallest_to_largest
from bdlviz.topics.results.scoreboard.views_table import table
from bdlviz.topics.results.scoreboard.views_tabs import accuracies as all_accuracies
from bdlviz.topics.results.scoreboard.views_tabs import intervals, lecture
from bdlviz.topics.shared.calls import fit_snippet, load_snippet
from bdlviz.types import Array
from bdlviz.ui.jobs.shipped import IMAGES
from bdlviz.ui.model import Figure, Formula, Numbers, Obtained, Part, Result, Says, Screen, Setting, Words

PRINTED = "Printed accuracies"  # a further picture
SHUFFLED, FASHION = "shuffled", "fashion"
USUAL, LOW = 440, 290  # px; a picture may become 1.4 times as high
CODE = (calibration.reliability, calibration.risk_coverage, figures.reliability_diagram)
Rows = Sequence[Row]
Picture = Callable[[Setting, Screen, Rows, Row], list[Part]]
Draw = Callable[[Setting, Screen, Rows], Result]


def _view(picture: Picture, *formulas: Formula) -> Draw:
    """A view: the picture of the chosen method, and the tabs. The table is under it: see `board`."""

    def draw(setting: Setting, screen: Screen, found: Rows) -> Result:
        row = chosen(found, setting[METHOD])
        parts = _picture(picture, setting, screen, found, row)
        tabs = {PRINTED: lecture, "Intervals": lambda: intervals(found)}
        return Result(parts, formulas, CODE, call_of(row) if row is not None else "", tabs=tabs)

    return draw


def board(setting: Setting) -> list[Part]:
    """The table of all methods, over the whole width of the page."""
    hint = Words("All methods and scores: click a heading to sort, or a cell to see its picture.")
    return [hint, Obtained(needed(setting), lambda found: table(found, setting.number(REFUSED) / 100))]


def _picture(picture: Picture, setting: Setting, screen: Screen, found: Rows, row: Row | None) -> list[Part]:
    """The picture of a row; a sentence after it where this is not the method that was chosen."""
    if row is None:
        return [Words("No scores are shipped: `python -m bdlviz train scoreboard` makes them.", "warning")]
    shown = picture(setting, screen, found, row)
    if row.spec.name == setting[METHOD]:
        return shown
    return [*shown, Words(f"{ON_BOARD[setting[METHOD]].title} has no scores; this is {row.spec.title}.", "info")]


def _height(screen: Screen) -> int:
    """The usual height of a diagram in px; in a wide window the table under it is to be on the first screen, too."""
    return USUAL if screen.is_narrow or screen.is_presenting else LOW


def call_of(row: Row) -> str:
    """Python that scores the same fit."""
    assert row.fit is not None
    return "\n".join(
        [
            "import bdlviz",
            "from bdlviz.predictive import calibration",
            "",
            load_snippet(row.fit.config.dataset),
            fit_snippet(row.fit.config),
            f"probabilities = fit.predict(data.x_test, num_samples={study.NUM_SAMPLES}).mean",
            "print(calibration.accuracy(probabilities, data.y_test))",
            "print(calibration.negative_log_likelihood(probabilities, data.y_test))",
            "print(calibration.expected_calibration_error(probabilities, data.y_test))",
            "print(calibration.brier_score(probabilities, data.y_test))",
        ]
    )


# Probabilities --------------------------------------------------------------------------------------------------------


def _reliability(setting: Setting, screen: Screen, __: Rows, row: Row) -> list[Part]:
    scores, sure = row.known, setting.number(SURE) / 100
    of_mean, of_one = (
        calibration.reliability(np.concatenate(scores[key]), np.tile(scores["labels"], len(scores[key])))
        for key in ("probabilities", "one_pass")
    )
    averaged, one_pass = (figures.Binned(each.confidence, each.accuracy, each.count) for each in (of_mean, of_one))
    fig = figures.reliability_diagram(
        averaged,
        one_pass if row.is_averaged else None,
        sure=sure,
        num_answers=len(scores["labels"]),
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    of_one_pass = f" One network: {_told_nll(scores['nll_one_pass'])}." if row.is_averaged else ""
    told = f"Average surprise at the right class (NLL, nats): {_told_nll(scores['nll'])}.{of_one_pass}"
    return [
        Says(_how_sure(row, averaged, one_pass, sure, len(scores["labels"]))),
        Figure("reliability", fig, figures.describe_reliability(averaged)),
        Words(told),
    ]


def _how_sure(row: Row, averaged: figures.Binned, one_pass: figures.Binned, sure: float, num_answers: int) -> str:
    """How often the answers of the marked bin are right, and how far that is from the diagonal."""
    told = []
    for bins in (one_pass, averaged):
        at = bins.place(sure)
        right = "too few answers" if at is None else percent(float(bins.accuracy[at]))
        told.append(right if at is None else f"{right} ({bins.verdict(at, num_answers)[-1]})")
    start, title = f"≈{percent(sure)} sure,", row.spec.title
    if not row.is_averaged:
        return f"{start} {title} is right on {told[1]}."
    return f"{start} one network of {title} is right on {told[0]}, the networks' average on {told[1]}."


def _told_nll(values: Array) -> str:
    return f"{values.mean():.3f}, from {smallest_to_largest(values)}"


def _unknown(_: Setting, screen: Screen, __: Rows, row: Row) -> list[Part]:
    scores = row.known
    inside, outside = scores["predictive_entropy"].ravel(), scores[f"entropy_{SHUFFLED}"].ravel()
    names = ("test digits", "the same, cut into 16 patches that changed places")
    top = float(np.log(scores["probabilities"].shape[-1]))
    fig = figures.entropy_histograms(inside, outside, names=names, top=top, theme=screen.theme, height=_height(screen))
    means = f"{inside.mean():.2f} nats for digits, {outside.mean():.2f} for shuffled ones"
    low, high = scores[f"auroc_{SHUFFLED}_interval"].mean(0)
    told = [
        ("AUROC", mean_sd(scores[f"auroc_{SHUFFLED}"], 3), "Mean ± sd over seeds; 0.5 is guessing."),
        ("95 % interval", f"{low:.3f} – {high:.3f}", "Of one fit: bootstrap over images, mean over seeds."),
        ("AUROC of one pass", mean_sd(scores[f"auroc_{SHUFFLED}_one_pass"], 3), "Without averaging."),
    ]
    if f"auroc_{FASHION}" in scores:
        told.append(("AUROC, clothes", mean_sd(scores[f"auroc_{FASHION}"], 3), "Fashion-MNIST instead."))
    ranked = percent(float(scores[f"auroc_{SHUFFLED}"].mean()))
    says = (
        f"Shuffled digits have a mean uncertainty (entropy) of {number(outside.mean(), 2)} nats, digits "
        f"{number(inside.mean(), 2)}; it ranks {ranked} of such pairs correctly."
    )
    return [Says(says), Figure("unknown", fig, f"Histograms of predictive entropy: {means}."), Numbers(told)]


# Accuracies -----------------------------------------------------------------------------------------------------------


def _accuracies(setting: Setting, screen: Screen, found: Rows, _: Row) -> list[Part]:
    shown = all_accuracies(found, with_lecture=setting[IMAGES] == "mnist")
    values = [value for each in shown for value in (each.ours, each.published) if value is not None]
    low, high = min(mean - sd for mean, sd in values), max(mean + sd for mean, sd in values)
    limits = (np.floor(2 * low) / 2 - 0.25, np.ceil(2 * high) / 2 + 0.25)
    fig = figures.accuracies(shown, x_range=limits, theme=screen.theme)
    told = "; ".join(f"{each.label} {each.ours[0]:.1f} %" for each in shown if each.ours)
    gains = [
        (row.spec.title, 100 * float((row.known["accuracy"] - row.known["accuracy_one_pass"]).mean()))
        for row in found
        if row.is_averaged
    ]
    said = "Accuracy of the mean of the draws or members minus that of one alone, mean over seeds."
    numbers = Numbers([(title, f"{gain:+.2f} points".replace("-", "−"), said) for title, gain in gains[:4]])
    return [Says(_what_averaging_changes(found)), Figure("accuracies", fig, f"Test accuracies: {told}."), numbers]


def _what_averaging_changes(found: Rows) -> str:
    """By how much the mean of the draws is more accurate than one pass, and whether any method agrees in every seed."""
    changes = [100 * (row.known["accuracy"] - row.known["accuracy_one_pass"]) for row in found if row.is_averaged]
    means = [float(change.mean()) for change in changes]
    agreed = sum(bool((change > 0).all() or (change < 0).all()) for change in changes)
    seeds = f"{agreed} of them in" if agreed else "none of them alike in"
    return (
        f"Averaging draws or members changes the accuracy of {len(means)} methods by {number(min(means), 2)} to "
        f"{number(max(means), 2)} points, {seeds} every seed."
    )


def _rotation(_: Setting, screen: Screen, found: Rows, row: Row) -> list[Part]:
    entropy, accuracy = (
        {each.spec.title: each.scores[key].mean(0) for each in found if each.scores is not None}
        for key in ("rotation_entropy", "rotation_accuracy")
    )
    scores, title = row.known, row.spec.title
    degrees, expected = scores["rotation_degrees"].astype(float), scores["rotation_expected"].mean(0)
    fig = figures.rotation_curves(degrees, entropy, accuracy, expected, chosen=title, theme=screen.theme)
    alt = figures.describe_rotation(degrees, entropy[title], accuracy[title])
    mutual = entropy[title] - expected
    at = int(np.argmin(np.abs(degrees - 90)))
    numbers = Numbers(
        [
            ("Entropy upright (nats)", f"{entropy[title][0]:.2f}", "Predictive entropy, mean over images."),
            ("Entropy at 90° (nats)", f"{entropy[title][at]:.2f}", "Of the same images after a quarter turn."),
            ("Mutual information at 90°", f"{mutual[at]:.2f}", f"In nats; upright it is {mutual[0]:.2f}."),
            ("Right at 90° (%)", f"{100 * accuracy[title][at]:.0f}", f"Upright: {100 * accuracy[title][0]:.0f}."),
        ]
    )
    before, after = accuracy[title][0], accuracy[title][at]
    way = "rises" if entropy[title][at] > entropy[title][0] else "falls"
    says = (
        f"After a quarter turn {title} is right on {percent(float(after))} instead of {percent(float(before))}; its "
        f"uncertainty (entropy, nats) {way} from {number(entropy[title][0], 2)} to {number(entropy[title][at], 2)}."
    )
    return [Says(says), Figure("rotation", fig, alt), numbers]


def _refusing(setting: Setting, screen: Screen, found: Rows, row: Row) -> list[Part]:
    refused, title, curves = setting.number(REFUSED) / 100, row.spec.title, row.risks
    present = [each for each in found if each.scores is not None]
    risk = {each.spec.title: np.mean([curve.risk for curve in each.risks], 0) for each in present}
    top = 0.02 + max(float(curve[-1]) for curve in risk.values())
    fig = figures.risk_coverage(
        risk, chosen=title, refused=refused, y_range=(0.0, top), theme=screen.theme, height=_height(screen)
    )
    before, after = (100 * np.array([curve.risk_after_refusing(share) for curve in curves]) for share in (0.0, refused))
    wrong, wrong_before = (percent(float(each.mean()) / 100) for each in (after, before))
    said = (
        f"Refusing the {percent(refused)} most uncertain digits leaves {wrong} of the others wrong, not {wrong_before}."
        if refused
        else f"With no digit refused, {wrong} of the answers are wrong."
    )
    area = 100 * np.array([curve.area for curve in curves])
    num_digits = len(row.known["labels"])
    numbers = Numbers(
        [
            ("Wrong, all answered (%)", mean_sd(before), "Mean ± sd over seeds."),
            (f"Wrong, {100 * refused:.0f} % refused (%)", mean_sd(after), "Of the digits that get an answer."),
            ("Refused digits", f"{round(refused * num_digits):,}", f"Of {num_digits:,} held-out ones."),
            ("Area under the curve (%)", mean_sd(area), "Mean risk over all coverages; small is good."),
        ]
    )
    alt = f"{title}: {before.mean():.1f} % of all answers are wrong. {said}"
    return [Says(said), Figure("refusing", fig, alt), numbers]


def _samples(_: Setting, screen: Screen, __: Rows, row: Row) -> list[Part]:
    scores = row.known
    accuracy, one_pass = scores["accuracy_by_samples"], scores["accuracy_one_pass"]
    spread = scores["accuracy_by_samples_sd"]
    fig = plots.accuracy_by_samples(scores["samples"], accuracy, spread, one_pass, theme=screen.theme)
    known = np.flatnonzero(np.isfinite(accuracy).all(0))
    first, last = known[0], known[-1]
    told = f"{100 * accuracy[:, first].mean():.1f} % with one draw, {100 * accuracy[:, last].mean():.1f} % with all"
    numbers = Numbers(
        [
            ("One draw (%)", mean_sd(100 * accuracy[:, first]), "Mean ± sd over seeds."),
            (f"S = {scores['samples'][last]} (%)", mean_sd(100 * accuracy[:, last]), "The most that were averaged."),
            ("One network (%)", mean_sd(100 * one_pass), "One pass without masks: the naive approximation."),
            ("Parameters", f"{scores['num_parameters'].item():,}", "Numbers that are trained."),
        ]
    )
    one, many = (percent(float(accuracy[:, place].mean()), 3) for place in (first, last))
    says = (
        f"{row.spec.title} is right on {one} with one of its networks, and on {many} with the "
        f"mean of {scores['samples'][last]}."
    )
    return [Says(says), Figure("samples", fig, f"Accuracy against the number of draws: {told}."), numbers]


# The views ------------------------------------------------------------------------------------------------------------

ENTROPY = Formula(
    summaries.entropy, "The uncertainty of a prediction.", {"p_c": "predicted probability of class c", "c": "class"}
)
ACCURACY = Formula(calibration.accuracy, "The share of right answers.", {"N": "number of digits"})
DECOMPOSED = Formula(
    summaries.summarise_classification, "Total uncertainty is noise in every draw plus disagreement between draws."
)
reliability = _view(
    _reliability,
    Formula(
        calibration.expected_calibration_error,
        "Answers are sorted into bins by confidence; in each bin confidence and accuracy should be equal.",
        {"B": "number of bins", "n_b": "answers in bin b", "N": "all answers"},
    ),
    Formula(calibration.negative_log_likelihood, "The average surprise; it punishes being sure and wrong most."),
    Formula(calibration.brier_score, "The squared distance of the probabilities from the truth, from 0 to 2."),
)
accuracies = _view(_accuracies, ACCURACY)
rotation = _view(_rotation, Formula(shifts.rotate, "Every image is turned about its middle."), DECOMPOSED)
refusing = _view(
    _refusing,
    Formula(calibration.risk_coverage, "The error among the answers that are given, the most certain ones first."),
    ENTROPY,
)
unknown = _view(
    _unknown,
    Formula(calibration.auroc, "How often a shuffled digit has a larger entropy than a digit; 0.5 is guessing."),
    ENTROPY,
)
samples = _view(_samples, DECOMPOSED, ACCURACY)
