"""The main picture: softmax samples of one digit, where its uncertainty comes from, and its course under a change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.plots.images import scale_of
from bdlviz.predictive.votes import variation_ratio
from bdlviz.topics.digits.mc_dropout import views_change, views_choice, views_source
from bdlviz.topics.digits.mc_dropout.views_change import BLEND, CHANGES
from bdlviz.topics.digits.mc_dropout.views_choice import Chosen
from bdlviz.topics.digits.mc_dropout.views_source import Prediction, Source
from bdlviz.topics.shared.calls import fit_snippet, load_snippet
from bdlviz.topics.shared.generative_source import scale_of
from bdlviz.types import Array
from bdlviz.ui.controls import picked
from bdlviz.ui.frame.images import sheet
from bdlviz.ui.frame.look import figure, numbers, present_theme

CONTROLS = (
    views_source.IMAGES,
    views_source.METHOD,
    views_source.NUM_SAMPLES,
    views_choice.CLASS,
    views_choice.ORDER,
    views_choice.DIGIT,
    *views_change.CONTROLS,
    views_source.UNSEEN,
)
COURSE = "digit_course"
MOST_COURSE_SAMPLES = 200
LARGE, SMALL = 190, 84  # px of the digit, and of what it was before
SURE = 0.1  # nats below which there is nothing to explain


@dataclass(frozen=True, eq=False)
class Picture:
    """What stands on the page."""

    source: Source
    chosen: Chosen
    picture: Array  # (height, width), after the change
    prediction: Prediction  # of that one picture
    course: tuple[Array, Prediction] | None = None  # pictures (T, height, width) at every value of the slider

    @property
    def draws(self) -> Array:
        """Class probabilities, (S, 10)."""
        return self.prediction.draws[:, 0]

    @property
    def mean(self) -> Array:
        """Their mean, (10,)."""
        return self.draws.mean(0)

    @property
    def expected(self) -> float:
        """Mean entropy of a draw, in nats."""
        return float(self.prediction.expected_entropy[0])

    @property
    def mutual(self) -> float:
        """Mutual information, in nats."""
        return float(self.prediction.mutual_information[0])


def choose() -> None:
    """Draw all controls."""
    views_source.IMAGES.show()
    views_source.METHOD.show()
    views_source.NUM_SAMPLES.show()
    views_choice.choose()
    views_change.choose()
    views_source.UNSEEN.show()


def show() -> Picture | None:
    """Draw picture, numbers and the sheet to pick from; what is shown, or None while the network trains."""
    found = views_source.show(_draw)
    return None if found is None else look(found)


def look(found: Source) -> Picture:
    """The chosen digit as it is changed, with the draws for it."""
    rows = views_choice.present_rows(found)
    return _shown(found, views_choice.present(found, rows))


def _shown(found: Source, chosen: Chosen) -> Picture:
    count, changed = int(views_source.NUM_SAMPLES.present()), views_change.present()
    if changed is None:
        return Picture(found, chosen, chosen.picture, found.predict(chosen.picture[None], count))
    pictures, at = views_change.course(found, chosen, changed), views_change.position(changed)
    course = found.predict(pictures, min(count, MOST_COURSE_SAMPLES))
    here = found.predict(pictures[at : at + 1], count) if count > MOST_COURSE_SAMPLES else _one_of(course, at)
    return Picture(found, chosen, pictures[at], here, (pictures, course))


def _one_of(course: Prediction, at: int) -> Prediction:
    piece = slice(at, at + 1)
    one_pass = None if course.one_pass is None else course.one_pass[piece]
    return Prediction(
        course.draws[:, piece], course.expected_entropy[piece], course.mutual_information[piece], one_pass
    )


def _draw(found: Source) -> None:
    rows = views_choice.present_rows(found)
    shown = _shown(found, views_choice.present(found, rows))
    digit, cloud = st.columns([1, 3.6], gap="small")
    with digit:
        _show_digit(shown)
    with cloud:
        _show_draws(shown)
    _show_numbers(shown)
    if shown.course is not None:
        _show_course(shown)
    views_choice.show_sheet(found, rows, shown.chosen)


def _show_digit(shown: Picture) -> None:
    shape = shown.source.shape
    told = [shown.chosen.name]
    if shown.chosen.label is not None:
        told.append(f"label **{shown.chosen.label}**")
    answer = int(shown.mean.argmax())
    told.append(f"mean says **{answer}**")
    alt = ", ".join(told).replace("**", "")
    sheet(shown.picture[None], 1, alt=f"The digit: {alt}.", scale=scale_of(shape, LARGE))
    st.caption(" · ".join(told))
    if shown.course is not None:
        others = [shown.chosen.picture]
        if views_change.CHANGE.present() == BLEND:
            others.append(views_change.other_picture(shown.source, shown.chosen))
        caption = "Before." if len(others) == 1 else "The two that are blended."
        alt = f"{shown.chosen.name}. {caption}"
        sheet(np.stack(others), len(others), alt=alt, scale=scale_of(shape, SMALL))
        st.caption(caption)


def _show_draws(shown: Picture) -> None:
    one_pass = shown.prediction.one_pass
    fig = plots.softmax_draws(
        shown.draws,
        shown.mean,
        expected_entropy=shown.expected,
        mutual_information=shown.mutual,
        one_pass=None if one_pass is None else one_pass[0],
        label=shown.chosen.label,
        theme=present_theme(),
        height=540,
    )
    alt = plots.describe_softmax_draws(shown.draws, shown.mean, shown.chosen.label)
    figure(fig, key="softmax_draws", alt=alt)


def _show_numbers(shown: Picture) -> None:
    total = shown.expected + shown.mutual
    ratio = float(variation_ratio(shown.prediction.draws)[0])
    numbers(
        [
            ("Predictive entropy (nats)", f"{total:.2f}", "Of the mean; at most log 10 = 2.30."),
            ("= expected entropy", f"{shown.expected:.2f}", "Noise: the mean entropy of one draw."),
            ("+ mutual information", f"{shown.mutual:.2f}", "Ignorance: how far the draws contradict each other."),
            ("Variation ratio", f"{ratio:.2f}", "Share of draws that vote for another class than most of them."),
        ]
    )
    st.markdown(verdict(shown))


def verdict(shown: Picture) -> str:
    """What the numbers say, in one or two sentences."""
    total, count = shown.expected + shown.mutual, len(shown.draws)
    answer, label = int(shown.mean.argmax()), shown.chosen.label
    if shown.source.unseen is not None and label == shown.source.unseen:
        start = f"This network never saw a {label}. "
    else:
        start = ""
    if total < SURE:
        wrong = label is not None and answer != label
        return start + (
            f"**Sure, and wrong:** nearly every draw says {answer}, the label is {label}."
            if wrong
            else f"**Sure:** nearly every draw says {answer} with almost all of its probability."
        )
    if count == 1:
        return start + (
            "**One function only:** it cannot contradict itself, so all of the entropy counts as noise, "
            "whatever its reason is."
        )
    share = shown.mutual / total
    if share > 0.5:
        return start + (
            f"**Mostly ignorance:** {share:.0%} of the uncertainty is disagreement. Each draw has an opinion, and "
            "they differ; if the network is right, more data of this kind would decide it."
        )
    return start + (
        f"**Mostly noise, says the network:** {1 - share:.0%} of the uncertainty is inside the single draws: "
        "they hesitate, whichever units are dropped."
    )


def _show_course(shown: Picture) -> None:
    changed = views_change.present()
    if changed is None or shown.course is None:
        return
    pictures, course = shown.course
    stops = views_change.stops(changed)
    fig = plots.shift_course(
        stops,
        course.draws.swapaxes(0, 1),
        course.expected_entropy,
        course.mutual_information,
        pictures,
        label=changed.control.label,
        chosen=views_change.position(changed),
        theme=present_theme(),
        height=540,
    )
    alt = plots.describe_shift_course(stops, course.expected_entropy, course.mutual_information)
    key = f"{COURSE}_{views_change.CHANGE.present()}"
    figure(fig, key=key, alt=alt, on_select=lambda: _pick_step(key), selection_mode="points")
    st.markdown(of_course(stops, course.draws.mean(0), course.expected_entropy + course.mutual_information))
    st.caption(
        f"Top: probabilities of the classes that matter, a dot for each of {min(len(course.draws), 40)} draws and "
        "lines for the means. Click a picture under the curves to go there."
    )


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


def _pick_step(key: str) -> None:
    """Move the slider to the step that was clicked."""
    changed, steps = views_change.present(), picked.rows(key)
    if changed is not None and steps and steps[0] < len(changed.control.options):
        st.session_state[changed.control.key] = changed.control.options[steps[0]]


def snippet(shown: Picture) -> str:
    """Code that gives the numbers of the page."""
    found, (height, width) = shown.source, shown.source.shape
    name, row = found.fit.config.dataset, shown.chosen.row
    lines = ["import bdlviz", "from bdlviz.data import shifts", "", load_snippet(name)]
    if found.unseen is not None:
        lines.append(f"data = shifts.without_class(data, {found.unseen})")
    lines.append(fit_snippet(found.fit.config))
    row = 0 if row is None else row  # the visitor's own digit is not in the data
    lines.append(f"image = data.x_test[{row}].reshape(1, {height}, {width})")
    changed = views_change.present()
    if changed is not None:
        if changed is CHANGES[BLEND]:
            other = views_change.other_row(found, shown.chosen)
            lines.append(f"other = data.x_test[{other}].reshape(1, {height}, {width})")
        lines.append(f"image = {changed.code.format(value=changed.control.present())}")
    lines += [
        f"found = fit.predict(image.reshape(1, -1), num_samples={views_source.NUM_SAMPLES.present()})",
        "print(found.mean.round(3))",
        "print(found.predictive_entropy, '=', found.expected_entropy, '+', found.mutual_information)",
    ]
    return "\n".join(lines)
