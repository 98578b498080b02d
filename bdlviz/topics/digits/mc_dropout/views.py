"""The main picture: softmax samples of one digit, the parts of its entropy, and its course under a change."""

from __future__ import annotations

import numpy as np

from bdlviz import plots
from bdlviz.data import shifts
from bdlviz.methods import mc_dropout
from bdlviz.plots.images import scale_of
from bdlviz.predictive import functions, summaries, votes
from bdlviz.topics.digits.mc_dropout import (
    changes,
    choice,
    views_accuracy,
    views_own,
    views_plane,
    views_sheet,
)
from bdlviz.topics.digits.mc_dropout.changes import BLEND, CHANGE, CHANGES
from bdlviz.topics.digits.mc_dropout.controls import IMAGES, METHOD, NUM_SAMPLES, UNSEEN
from bdlviz.topics.digits.mc_dropout.picture import Picture, picture_of
from bdlviz.topics.digits.mc_dropout.source import Source
from bdlviz.topics.shared.calls import fit_snippet, load_snippet
from bdlviz.types import Array
from bdlviz.ui.model import Columns, Figure, Numbers, Part, Result, Screen, Setting, Sheet, Words

CONTROLS = (IMAGES, METHOD, NUM_SAMPLES, views_sheet.CHOICE, *changes.CONTROLS, UNSEEN)
COURSE = "digit_course"
LARGE, SMALL = 190, 84  # px of the digit, and of what it was before
SURE = 0.1  # nats below which there is nothing to explain


def digit(setting: Setting, screen: Screen, source: Source) -> Result:
    """One digit with its softmax samples and numbers, its course under a change, and the sheet to choose from."""
    shown = picture_of(setting, source)
    parts: list[Part] = [Words(shown.chosen.remark)] if shown.chosen.remark else []
    parts.append(Columns([_digit(setting, shown), [_draws(screen, shown)]], (1, 3.6), gap="small"))
    parts += [_numbers(shown), Words(verdict(shown), "markdown"), *_course(setting, screen, shown)]
    parts += views_sheet.sheet(setting, screen, source, choice.rows_of(setting, source), shown.chosen)
    return Result(
        parts,
        (summaries.summarise_classification, summaries.entropy, votes.variation_ratio, mc_dropout.build),
        (mc_dropout.sample, functions.dropout_masks, summaries.summarise_classification, shifts.rotate),
        call_of(setting, shown),
        tabs={
            "Noise or ignorance": lambda: views_plane.tab(screen, shown),
            "Accuracy against S": lambda: views_accuracy.tab(screen, source),
            "Your own digit": lambda: views_own.tab(setting, screen, source),
        },
    )


def _digit(setting: Setting, shown: Picture) -> list[Part]:
    shape = shown.source.shape
    told = [shown.chosen.name]
    if shown.chosen.label is not None:
        told.append(f"label **{shown.chosen.label}**")
    told.append(f"mean says **{int(shown.mean.argmax())}**")
    alt = ", ".join(told).replace("**", "")
    parts: list[Part] = [
        Sheet(shown.picture[None], 1, f"The digit: {alt}.", scale_of(shape, LARGE)),
        Words(" · ".join(told)),
    ]
    if shown.course is not None:
        before = [shown.chosen.picture]
        if setting[CHANGE] == BLEND:
            before.append(changes.other_picture(setting, shown.source, shown.chosen))
        caption = "Before." if len(before) == 1 else "The two that are blended."
        alt = f"{shown.chosen.name}. {caption}"
        parts += [Sheet(np.stack(before), len(before), alt, scale_of(shape, SMALL)), Words(caption)]
    return parts


def _draws(screen: Screen, shown: Picture) -> Figure:
    one_pass = shown.prediction.one_pass
    fig = plots.softmax_draws(
        shown.draws,
        shown.mean,
        expected_entropy=shown.expected,
        mutual_information=shown.mutual,
        one_pass=None if one_pass is None else one_pass[0],
        label=shown.chosen.label,
        theme=screen.theme,
        height=540,
    )
    return Figure("softmax_draws", fig, plots.describe_softmax_draws(shown.draws, shown.mean, shown.chosen.label))


def _numbers(shown: Picture) -> Numbers:
    total = shown.expected + shown.mutual
    ratio = float(votes.variation_ratio(shown.prediction.draws)[0])
    return Numbers(
        [
            ("Predictive entropy (nats)", f"{total:.2f}", "Of the mean; at most log 10 = 2.30."),
            ("= expected entropy", f"{shown.expected:.2f}", "Noise: the mean entropy of one draw."),
            ("+ mutual information", f"{shown.mutual:.2f}", "Ignorance: how far the draws contradict each other."),
            ("Variation ratio", f"{ratio:.2f}", "Share of draws that vote for another class than most of them."),
        ]
    )


def verdict(shown: Picture) -> str:
    """What the numbers say, in one or two sentences."""
    label = shown.chosen.label
    is_unseen = shown.source.unseen is not None and label == shown.source.unseen
    return (f"This network never saw a {label}. " if is_unseen else "") + _verdict(shown)


def _verdict(shown: Picture) -> str:
    total, label, answer = shown.expected + shown.mutual, shown.chosen.label, int(shown.mean.argmax())
    if total < SURE:
        if label is not None and answer != label:
            return f"**Certain, and wrong:** nearly every draw says {answer}, the label is {label}."
        return f"**Certain:** nearly every draw says {answer} with almost all of its probability."
    if len(shown.draws) == 1:
        return (
            "**One function only:** there is no other draw to contradict it, so all of the entropy counts as noise, "
            "whatever its reason is."
        )
    share = shown.mutual / total
    if share > 0.5:
        return (
            f"**Mostly ignorance:** {share:.0%} of the uncertainty is disagreement between draws. Each of them is "
            "fairly certain, of different classes. If the network is right, more data of this kind would decide it."
        )
    return (
        f"**Mostly noise, by this network:** {1 - share:.0%} of the uncertainty is inside the single draws: each of "
        "them is uncertain, whichever units are dropped."
    )


# The course under a change --------------------------------------------------------------------------------------------


def _course(setting: Setting, screen: Screen, shown: Picture) -> list[Part]:
    change = shown.change
    if change is None or shown.course is None:
        return []
    pictures, course = shown.course
    stops = changes.stops(change)
    fig = plots.shift_course(
        stops,
        course.draws.swapaxes(0, 1),
        course.expected_entropy,
        course.mutual_information,
        pictures,
        label=change.control.label,
        chosen=changes.position(setting, change),
        theme=screen.theme,
        height=540,
    )
    alt = plots.describe_shift_course(stops, course.expected_entropy, course.mutual_information)
    told = of_course(stops, course.draws.mean(0), course.expected_entropy + course.mutual_information)
    count = min(len(course.draws), 40)
    key = f"{COURSE}_{setting[CHANGE]}"
    return [
        Figure(key, fig, alt, on_select=views_sheet.pick_step(key, change.control)),
        Words(told, "markdown"),
        Words(
            f"Top: probabilities of the classes that matter, a dot for each of {count} draws and lines for the means. "
            "Click a picture under the curves to go there."
        ),
    ]


def of_course(stops: Array, mean: Array, entropy: Array) -> str:
    """Where the entropy (T,) is largest, and where it is smallest although the mean (T, K) gives another answer.

    ``stops`` (T,) are the slider's values; the unchanged picture is at 0.
    """
    answers, peak = mean.argmax(1), int(entropy.argmax())
    text = f"The predictive entropy is largest at {stops[peak]:g}: **{entropy[peak]:.2f} nats**."
    others = np.flatnonzero(answers != answers[np.abs(stops).argmin()])
    if not len(others):
        return f"{text} The most probable class is {answers[0]} at every step."
    least = int(others[entropy[others].argmin()])
    return (
        f"{text} Among the steps with another answer than the unchanged picture it is smallest at {stops[least]:g}: "
        f"the mean says **{answers[least]} with {mean[least].max():.0%}**, {entropy[least]:.2f} nats."
    )


def call_of(setting: Setting, shown: Picture) -> str:
    """Python that gives the numbers of the page."""
    found, (height, width) = shown.source, shown.source.shape
    lines = ["import bdlviz", "from bdlviz.data import shifts", "", load_snippet(found.fit.config.dataset)]
    if found.unseen is not None:
        lines.append(f"data = shifts.without_class(data, {found.unseen})")
    lines.append(fit_snippet(found.fit.config))
    row = shown.chosen.row or 0  # the visitor's own digit is not in the data
    lines.append(f"image = data.x_test[{row}].reshape(1, {height}, {width})")
    if shown.change is not None:
        if shown.change is CHANGES[BLEND]:
            other = changes.other_row(setting, found, shown.chosen)
            lines.append(f"other = data.x_test[{other}].reshape(1, {height}, {width})")
        lines.append(f"image = {shown.change.code.format(value=setting[shown.change.control])}")
    lines += [
        f"found = fit.predict(image.reshape(1, -1), num_samples={setting[NUM_SAMPLES]})",
        "print(found.mean.round(3))",
        "print(found.predictive_entropy, '=', found.expected_entropy, '+', found.mutual_information)",
    ]
    return "\n".join(lines)
