"""The main picture: softmax samples of one digit, the parts of its entropy, and its course under a change."""

from __future__ import annotations

import numpy as np

from bdlviz import plots
from bdlviz.data import shifts
from bdlviz.digits import number, percent, with_article
from bdlviz.methods import mc_dropout
from bdlviz.plots.images import scale_of
from bdlviz.plots.shift_course import COURSE_DRAWS
from bdlviz.plots.softmax import SURE
from bdlviz.predictive import functions, summaries, votes
from bdlviz.topics.digits.mc_dropout import (
    changes,
    views_accuracy,
    views_log,
    views_own,
    views_plane,
    views_sheet,
)
from bdlviz.topics.digits.mc_dropout.changes import BLEND, BLUR, CHANGE, CHANGES, NOTHING, Change
from bdlviz.topics.digits.mc_dropout.controls import (
    DIGIT,
    FIRST,
    IMAGES,
    METHOD,
    NUM_SAMPLES,
    ORDER,
    OWN,
    PLACE,
    UNSEEN,
)
from bdlviz.topics.digits.mc_dropout.picture import Picture, picture_of
from bdlviz.topics.digits.mc_dropout.source import Prediction, Source, needed
from bdlviz.topics.shared.calls import fit_snippet, load_snippet
from bdlviz.types import Array
from bdlviz.ui.model import (
    Below,
    Columns,
    Figure,
    Formula,
    Numbers,
    Part,
    Result,
    Says,
    Screen,
    Setting,
    Sheet,
    View,
    When,
    Widget,
    Words,
)

ADVANCED = (views_sheet.CHOICE, METHOD, NUM_SAMPLES, IMAGES, UNSEEN)
PLACED = tuple(
    When(lambda setting, order=order: setting[DIGIT] == FIRST and setting[ORDER] == order, (control,))
    for order, control in PLACE.items()
)
COURSE = "digit_course"
ALONE, LARGE, SMALL = 196, 84, 84  # px of the digit as it is, of a changed one, and of what it was before
ON_A_PHONE = 112  # px of the digit
WIDTHS = (1.3, 3.6)  # of the columns of the digit and of the figure
ALL, LEAST = 0.999, 0.01  # probability above which, and entropy in nats below which, no more digits are told

PARTS_OF_ENTROPY = Formula(
    summaries.summarise_classification,
    "The entropy of the mean is the mean entropy of a draw (noise) plus the disagreement of the draws (ignorance).",
    {
        "p_s": "probabilities of the 10 classes in draw s",
        r"\mathbb{I}[y, w]": "mutual information of class and weights, in nats",
        r"\mathbb{H}[p_s]": "entropy of one draw, in nats",
    },
    {r"\mathbb{I}[y, w]": "epistemic", r"\mathbb{H}[p_s]": "aleatoric"},
)
VOTES = Formula(
    votes.variation_ratio,
    "Each draw votes for its most probable class: the share of draws that vote for another one than most.",
    {"p_{sk}": "probability of class k in draw s", "S": "number of draws"},
)
LOSS = Formula(
    mc_dropout.build,
    "Training with a new mask for every digit; the same masks at test time give the draws.",
    {"z_i": "the mask of digit i: which units are kept", r"\lambda": "weight decay", "W": "weights of the network"},
)


def digit(setting: Setting, screen: Screen, source: Source) -> Result:
    """One digit with its softmax samples and numbers, its course under a change, and the sheet to choose from."""
    shown = picture_of(setting, source)
    draws, course = _draws(screen, shown), _course(setting, screen, shown)
    first, second = (course, draws) if course and setting[CHANGE] != BLUR else (draws, course)
    picture = Columns([_digit(setting, screen, shown), [first]], WIDTHS, gap="small")
    parts: list[Part] = [Says(sentence(setting, shown)), picture, Below()]
    parts += [Words(shown.chosen.remark)] if shown.chosen.remark else []
    parts.append(_numbers(shown))
    if second is not None:
        parts += [Words(_about_course(shown), "markdown"), second]
    return Result(
        [*parts, *views_sheet.sheet(setting, screen, source, shown.chosen)],
        (PARTS_OF_ENTROPY, VOTES, LOSS),
        (mc_dropout.sample, functions.dropout_masks, summaries.summarise_classification, shifts.rotate),
        call_of(setting, shown),
        tabs={
            "Noise or ignorance": lambda: views_plane.tab(screen, shown),
            "Accuracy against S": lambda: views_accuracy.tab(screen, source),
            "Printed training log": lambda: views_log.tab(screen),
        },
    )


def _digit(setting: Setting, screen: Screen, shown: Picture) -> list[Part]:
    if setting[DIGIT] == OWN:
        return views_own.column(screen, shown)
    shape = shown.source.shape
    told = [shown.chosen.name]
    if shown.chosen.label is not None:
        told.append(f"label **{shown.chosen.label}**")
    told.append(f"prediction **{int(shown.mean.argmax())}**")
    alt = ", ".join(told).replace("**", "")
    size = screen.by_width(ALONE if setting[CHANGE] in (NOTHING, BLUR) else LARGE, ON_A_PHONE)
    parts: list[Part] = [
        Sheet(shown.picture[None], 1, f"The digit: {alt}.", scale_of(shape, size)),
        Words(" · ".join(told)),
    ]
    if shown.course is not None and not screen.is_narrow:
        before = [shown.chosen.picture]
        if setting[CHANGE] == BLEND:
            before.append(changes.other_picture(setting, shown.source, shown.chosen))
        caption = "The original." if len(before) == 1 else "The two digits that are blended."
        alt = f"{shown.chosen.name}. {caption}"
        sheet = Sheet(np.stack(before), len(before), alt, scale_of(shape, SMALL))
        parts.append(Columns([[sheet], [Words(caption)]], (len(before), 1.2), gap="small", align="center"))
    return parts if screen.is_presenting else [*parts, Widget(views_own.show_invitation)]


def _draws(screen: Screen, shown: Picture) -> Figure:
    fig = plots.softmax_draws(
        shown.draws,
        shown.mean,
        expected_entropy=shown.expected,
        mutual_information=shown.mutual,
        label=shown.chosen.label,
        theme=screen.theme,
        height=460,
        is_narrow=screen.is_narrow,
    )
    return Figure("softmax_draws", fig, plots.describe_softmax_draws(shown.draws, shown.mean, shown.chosen.label))


def _numbers(shown: Picture) -> Numbers:
    total = shown.expected + shown.mutual
    ratio = float(votes.variation_ratio(shown.prediction.draws)[0])
    return Numbers(
        [
            ("Predictive entropy (nats)", f"{total:.2f}", "Entropy of the mean; at most log 10 = 2.30."),
            ("= expected entropy", f"{shown.expected:.2f}", "Noise (aleatoric): the mean entropy of single draws."),
            ("+ mutual information", f"{shown.mutual:.2f}", "Ignorance (epistemic): how far the draws disagree."),
            ("Variation ratio", f"{ratio:.2f}", "Share of draws whose class is not the most frequent one."),
        ]
    )


def sentence(setting: Setting, shown: Picture) -> str:
    """What the picture shows: the answer, and how its entropy is divided; or the course under a change."""
    label, answer, said = shown.chosen.label, with_article(int(shown.mean.argmax())), _said(shown)
    is_right = int(shown.mean.argmax()) == label
    if shown.change is not None and shown.course is not None and setting[CHANGE] != BLUR:
        start = f"{changes.told(setting, shown.change)}, {_digit_name(label)} is called {answer} with {said}"
        return f"{start}; {_entropy_of_course(setting, shown.change, shown.course[1])}"
    total = shown.expected + shown.mutual
    name = _digit_name(label).capitalize()
    name += "" if shown.change is None else f", {changes.told(setting, shown.change).lower()},"
    start = f"{name} is {'recognised' if is_right else f'called {answer}'}"
    if label is not None and label == shown.source.unseen:
        start = f"Never trained on {label}s, it calls this one {answer}"
    if total < SURE:
        entropy = f"{number(round(total, 2))} nats" if total >= LEAST else _nats(total)
        return f"{start}, for certain{'' if is_right or label is None else ' but wrongly'}: the entropy is {entropy}."
    if len(shown.draws) == 1:
        return f"{start} with {said}; there is one draw only, so all of its doubt counts as noise."
    noise, ignorance = f"noise {shown.expected:.2f} nats (unsure draws)", f"ignorance {shown.mutual:.2f} nats"
    return f"{start} with {said}: {noise}, {ignorance} (draws disagree)."


def _said(shown: Picture) -> str:
    """The mean probability of the answer."""
    share = float(shown.mean.max())
    return percent(share) if share < ALL else f"more than {percent(ALL)}"


def _nats(entropy: float) -> str:
    return f"{number(entropy, 2)} nats" if entropy >= LEAST else f"less than {number(LEAST)} nats"


def _entropy_of_course(setting: Setting, change: Change, course: Prediction) -> str:
    total = course.expected_entropy + course.mutual_information
    at, peak = changes.position(setting, change), int(total.argmax())
    if at == peak:
        return f"its entropy, {_nats(total[at])}, is the largest."
    most = change.place.format(number(changes.stops(change)[peak]))
    return f"entropy {_nats(total[at])}, at most {number(total[peak], 2)} (at {most})."


def _digit_name(label: int | None) -> str:
    return "your digit" if label is None else f"this {label}"


# The course under a change --------------------------------------------------------------------------------------------


def _course(setting: Setting, screen: Screen, shown: Picture) -> Figure | None:
    """The predictive distribution at every value of the slider; None for the digit as it is."""
    change = shown.change
    if change is None or shown.course is None:
        return None
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
        height=screen.by_width(540, 480),
    )
    alt = plots.describe_shift_course(stops, course.expected_entropy, course.mutual_information)
    key = f"{COURSE}_{setting[CHANGE]}"
    return Figure(key, fig, alt, on_select=views_sheet.pick_step(key, change.control))


def _about_course(shown: Picture) -> str:
    """What the course shows in numbers, and how to read it."""
    assert shown.course is not None and shown.change is not None
    course, stops = shown.course[1], changes.stops(shown.change)
    total = course.expected_entropy + course.mutual_information
    told = of_course(stops, course.draws.mean(0), total, shown.change.place)
    count = min(len(course.draws), COURSE_DRAWS)
    return (
        f"{told} Dots are {count} of the {len(course.draws):,} draws, lines are means. Click a digit under the curves "
        "to go to that step."
    )


def of_course(stops: Array, mean: Array, entropy: Array, place: str = "{}") -> str:
    """Where the entropy (T,) is largest, and where it is smallest although the mean (T, K) gives another answer.

    ``stops`` (T,) are the slider's values; the unchanged picture is at 0. ``place`` writes a value with its unit.
    """
    answers, peak = mean.argmax(1), int(entropy.argmax())
    text = f"The predictive entropy is largest at {place.format(number(stops[peak]))}: **{entropy[peak]:.2f} nats**."
    others = np.flatnonzero(answers != answers[np.abs(stops).argmin()])
    if not len(others):
        return f"{text} The most probable class is {answers[0]} at every step."
    least = int(others[entropy[others].argmin()])
    return (
        f"{text} A low entropy does not mean a right answer: at {stops[least]:g} the mean says "
        f"**{answers[least]} with {100 * mean[least].max():.0f} %**, {entropy[least]:.2f} nats."
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


def _view(name: str) -> View:
    """The view of the digit as it is, or under a change, whose slider stands under the picture."""
    if name == NOTHING:
        return View(name, "No change", digit, (ORDER,), PLACED, (), ADVANCED, needed, is_fragment=True)
    change = CHANGES[name]
    controls = (changes.OTHER, ORDER) if name == BLEND else (ORDER,)
    return View(name, change.title, digit, controls, (change.control,), (), ADVANCED, needed, None, True)


VIEWS = [_view(name) for name in CHANGE.options]
