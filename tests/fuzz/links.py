"""Targets that a browser reaches: the address, and what views, figures and widgets send."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import streamlit
from hypothesis import strategies as st

from bdlviz import data
from bdlviz.data.tables import MAX_MAGNITUDE, MAX_ROWS
from bdlviz.lectures.exercise import Choice, Number, Setting
from bdlviz.topics.generative.decode import decoder, place
from bdlviz.topics.generative.decode.views_pad import PLACE
from bdlviz.topics.generative.latent_space import chosen as chosen_images
from bdlviz.topics.generative.latent_space import views_choice
from bdlviz.topics.regression.function_draws import controls, views_moving
from bdlviz.topics.regression.function_draws import views_two as function_draws_views_two
from bdlviz.topics.shared import draw_inspector, views_compare_choice
from bdlviz.topics.start.home.first import SLIDERS
from bdlviz.ui import model as values
from bdlviz.ui.controls import data_choice, picked
from bdlviz.ui.controls.control import Control
from bdlviz.ui.controls.point_texts import MAX_POINTS_IN_LINK
from bdlviz.ui.frame import exercise as exercise_frame
from bdlviz.ui.frame import lecture, mode
from bdlviz.ui.frame.page import Page
from bdlviz.ui.places import link, routes
from bdlviz.ui.scrub import base, picture, sketch, switch
from tests.fuzz import hostile
from tests.fuzz.guard import check_sentence
from tests.fuzz.target import Target
from tests.ui.harness import PAGES, definition

DEFINED = tuple(page for page in map(definition, PAGES) if page is not None)
CONTROLS = tuple({control.key: control for page in DEFINED for control in page.controls}.values())
KEYS = (
    *("tab", "hide", "present", "step", "lecture", "scene", "guess", "points", "origin", "other", "side", "difference"),
    *("training_step", "shown_epoch", "z", "axes", "classes", "chosen_images", "chosen", "picture", "data", "codes"),
    *("kept", "x_label", "y_label"),
)


class Query(dict[str, str]):
    """An address line, as Streamlit hands it to a script."""

    def to_dict(self) -> dict[str, str]:
        return dict(self)

    def from_dict(self, values: Mapping[str, str]) -> None:
        self.clear()
        self.update(values)


@contextmanager
def visit(query: Mapping[str, str] | None = None) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """A visit without a server: its session state, and the sentences that it is shown."""
    state: dict[str, Any] = {}
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streamlit, "session_state", state)
        patch.setattr(streamlit, "query_params", Query(query or {}))
        patch.setattr(streamlit, "toggle", lambda label, **options: False)
        for name in ("warning", "error", "caption"):
            patch.setattr(streamlit, name, lambda words, **options: said.append(words))
        yield state, said


# The address -------------------------------------------------------------------------------------------------------

control_values = st.sampled_from(CONTROLS).flatmap(
    lambda control: st.tuples(st.just(control.key), st.sampled_from(control.options) | hostile.sendable)
)
queries = st.lists(
    st.one_of(
        control_values, st.tuples(st.sampled_from(KEYS) | hostile.sendable, hostile.sendable | st.text(max_size=5))
    ),
    max_size=8,
).map(dict)
addresses = st.tuples(st.sampled_from(DEFINED), queries)


def read_address(case: tuple[Page, dict[str, str]]) -> None:
    """Everything that reads a link before a page draws anything, and the link that is written in the end."""
    page, query = case
    with visit(query) as (state, said):
        given = link.arrive(page.title, page.controls)
        assert given is not None
        remarks = link.adopt(given, page.controls) + _hiding(page)
        function_draws_views_two.arrive(page.controls)
        views_moving.MOMENT.more()
        views_moving.WATCH.show()
        views_moving.SWITCH.more()
        _read_place()
        said += views_compare_choice.take_from_link()
        said += _read_choice()
        said += data_choice._take_points_from_link()
        link.write(page.title, page.controls)
        assert all(state[control.key] in control.options for control in page.controls)
        assert 1 <= len(data_choice.own_points()) <= MAX_ROWS
        for sentence in remarks + said:
            check_sentence(sentence)
        streamlit.query_params.to_dict()


def _read_place() -> None:
    """Where the decode pad stands, for decoders of two and of twenty dimensions."""
    chosen = PLACE.more()
    for latent_dim in (2, 20):
        found = place.read_place(chosen.get(place.CODE, ""), chosen.get(place.AXES, ""), latent_dim)
        assert found is None or (len(found.code) == latent_dim and np.isfinite(found.code).all())


def _read_choice() -> list[str]:
    """The classes and images that are chosen on the map of codes; what is said of them."""
    chosen = values.Setting(views_choice.CHOICE.more())
    assert set(views_choice.classes_of(chosen)) <= set(range(10))
    assert all(0 <= row < 100 for row in views_choice.picked_of(chosen, 100))
    problem = views_choice.problem(chosen.text(views_choice.NUMBERS), 100)
    return [problem] if problem else []


def _hiding(page: Page) -> list[str]:
    """The remarks on what is hidden name all that a page has; only what they repeat of the link is judged."""
    return [remark.partition(", which")[0] + "." for remark in mode.remarks(page.controls)]


lecture_links = st.fixed_dictionaries(
    {"lecture": st.sampled_from(tuple(lecture.lectures())) | hostile.sendable},
    optional={"step": st.integers(-2, 40).map(str) | hostile.sendable},
)


def read_lecture_link(query: dict[str, str]) -> None:
    """The step that a link asks for; nobody is led to a page that does not exist."""
    with visit(query), pytest.MonkeyPatch.context() as patch:
        opened: list[str] = []
        patch.setattr(routes, "open_page", lambda name, query: opened.append(name))
        patch.setattr(routes, "is_present", lambda name: False)
        _, remarks = lecture.arrive(query)
        assert set(opened) <= routes.PAGES
        for sentence in remarks:
            check_sentence(sentence)


# Points ------------------------------------------------------------------------------------------------------------

FLOATS = np.array([0, -0.0, 1, -2.5, 1e12, 1.1e12, 1e-45, 1e-38, 3e38, np.inf, np.nan, 0.1], "<f4")
packed_floats = st.one_of(
    st.lists(st.integers(0, len(FLOATS) - 1), max_size=310).map(lambda which: FLOATS[which].tobytes()),
    st.builds(
        lambda which, times: FLOATS[:5][which * times].tobytes(),
        st.lists(st.integers(0, 4), min_size=2, max_size=2),
        st.integers(1, 160),
    ),
    st.lists(st.floats(width=32), max_size=8).map(lambda values: np.array(values, "<f4").tobytes()),
)
bombs = st.integers(1, 3000).map(lambda kilobytes: bytes(kilobytes * 1000))
point_bytes = st.one_of(packed_floats, st.binary(max_size=200), bombs)


def _as_text(packed: bytes) -> str:
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


point_texts = st.one_of(
    st.builds(
        lambda raw, changes: _as_text(hostile.damaged(zlib.compress(raw, 9), changes)), point_bytes, hostile.damages
    ),
    st.builds(
        lambda raw, changes: hostile.damaged(_as_text(zlib.compress(raw)).encode(), changes).decode("latin-1"),
        packed_floats,
        hostile.damages,
    ),
    hostile.words,
)


def read_points(text: str) -> None:
    """Points of a link, and the data set that pages make of them."""
    points = data_choice.decode_points(text)
    assert 1 <= len(points) <= MAX_POINTS_IN_LINK and points.shape[1] == 2
    assert (np.abs(points) <= MAX_MAGNITUDE).all()
    made = data.from_points(points[:, 0], points[:, 1])
    assert made.num_data >= 1 and made.fingerprint


# What views send ---------------------------------------------------------------------------------------------------

DATASET = data.load("x_sin_x")
pairs = st.lists(st.one_of(hostile.json_numbers, st.floats(-10, 10)), min_size=2, max_size=2)
events = st.fixed_dictionaries(
    {},
    optional={
        "name": hostile.json_values,
        "values": st.dictionaries(
            st.sampled_from([control.key for control in CONTROLS[:12]] + ["training_step"]), hostile.json_values
        )
        | hostile.json_values,
        "pin": st.integers(-3, 300) | hostile.json_values,
        "edit": st.sampled_from(("add", "move", "remove", "undo")) | hostile.json_values,
        "at": pairs | hostile.json_values,
        "from": pairs | hostile.json_values,
        "compare": st.sampled_from(("on", "off", "swap", "difference", "other")) | hostile.json_values,
        "failed": hostile.json_values,
        "ink": st.lists(hostile.json_numbers, max_size=5).map(lambda ink: (ink or [0]) * (sketch.SIDE**2))
        | hostile.json_values,
        "code": pairs | hostile.json_values,
        "across": st.integers(-1, 3) | hostile.json_values,
        "up": st.integers(-1, 3) | hostile.json_values,
    },
)
commits = st.lists(events, min_size=1, max_size=3)


def hear_commits(said: list[dict[str, Any]]) -> None:
    """Everything that a view may commit; afterwards every control stands at an option and the points are points."""
    with visit() as (state, _):
        for event in said:
            state["view"] = {"commit": event}
            base._hear("view", _heard)
        _check_controls(state, [*controls.SLIDERS, *SLIDERS, draw_inspector.HIGHLIGHTED])
        points = data_choice.own_points()
        assert 1 <= len(points) <= MAX_ROWS and (np.abs(points) <= MAX_MAGNITUDE).all()
        if switch.FAILED in state:
            check_sentence(f"The picture ({state[switch.FAILED]}) failed.")


def _heard(event: dict[str, Any]) -> None:
    views_moving.commit(event, DATASET)
    picture.commit_values(event, SLIDERS)
    ink = sketch.drawn(event)
    assert ink is None or (ink.shape == (sketch.SIDE, sketch.SIDE) and (ink >= 0).all() and (ink <= 1).all())
    place = decoder.committed(event, 2)
    assert place is None or (np.isfinite(np.array(place.code, np.float32)).all() and place.across != place.up)


def _check_controls(state: Mapping[str, Any], controls: Sequence[Control]) -> None:
    for control in controls:
        assert state.get(control.key, control.default) in control.options


points_chosen = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "x": hostile.json_values,
            "y": hostile.json_values,
            "customdata": st.integers(-3, 50) | hostile.json_values,
            "curve_number": hostile.json_values,
        },
    )
    | hostile.json_values,
    max_size=4,
)
selections = st.one_of(
    hostile.json_values,
    st.fixed_dictionaries({"selection": hostile.json_values}),
    st.fixed_dictionaries({"selection": st.fixed_dictionaries({"points": points_chosen | hostile.json_values})}),
)


def take_selection(chosen: Any) -> None:
    """Clicks into figures, as the callbacks of all pages read them."""
    with visit() as (state, _):
        state["figure"] = state["own_picture"] = chosen
        assert all(row >= 0 for row in picked.rows("figure"))
        views_moving.add_or_remove_clicked(DATASET)
        points = data_choice.own_points()
        assert 1 <= len(points) <= MAX_ROWS and (np.abs(points) <= MAX_MAGNITUDE).all()


# Text fields, tables and answers -----------------------------------------------------------------------------------

numbers_of_images = st.one_of(
    hostile.words,
    st.lists(st.integers(-5, 2000).map(str) | hostile.numbers, max_size=12).map(",".join),
    st.tuples(hostile.numbers, hostile.numbers).map("-".join),
)
ROWS_OF_TABLE = st.lists(st.fixed_dictionaries({}, optional={"x": hostile.json_values, "y": hostile.json_values}))


def read_numbers(text: str) -> None:
    """Numbers of images in a text field."""
    rows = chosen_images.rows_of(text[: views_choice.MOST_TYPED], 1000)
    assert all(0 <= row < 1000 for row in rows)


def take_rows(rows: list[dict[str, Any]]) -> None:
    """Rows of the table of points that is edited on the page."""
    found, problem = data_choice._typed_points(rows)
    points = np.array(found, float).reshape(-1, 2)
    assert (np.abs(points) <= MAX_MAGNITUDE).all()
    if problem:
        check_sentence(problem)


EXERCISES = tuple((page, exercise) for page in DEFINED for exercise in page.exercises)
answers = st.sampled_from(EXERCISES).flatmap(
    lambda which: st.tuples(
        st.just(which[1]),
        st.floats() | hostile.json_numbers,
        hostile.words,
        st.fixed_dictionaries({control.key: st.sampled_from(control.options) for control in which[0].controls}),
    )
)


def judge_answer(case: tuple[Any, Any, str, dict[str, str]]) -> None:
    """An answer of the kind that the exercise asks for, whatever it is."""
    exercise, number, option, options = case
    if isinstance(exercise, Number):
        verdict = exercise.is_right(float(number) if abs(number) < 1e300 else np.inf)
        typed = exercise_frame._check_number(exercise, option)
        if isinstance(typed, str):
            check_sentence(typed)
    elif isinstance(exercise, Choice):
        verdict = exercise.is_right(option)
    else:
        assert isinstance(exercise, Setting)
        verdict = exercise.is_met(options)
    assert verdict in (True, False)


EXAMPLE_PAGE = next(page for page in DEFINED if page.title == "Regression · Function draws")
HUGE = (1e300, 1e12 * 1.01, 10**400, -(10**400), float("inf"), float("nan"))
TARGETS = (
    Target(
        *("address", addresses, read_address, (EXAMPLE_PAGE, {"tab": "Code"}), 150, 20_000),
        known=(*((EXAMPLE_PAGE, {key: "²"}) for key in KEYS), (EXAMPLE_PAGE, dict.fromkeys(KEYS, "9" * 5000))),
    ),
    Target("lecture in the address", lecture_links, read_lecture_link, {"lecture": "x"}, 100, 3_000),
    Target("points in the address", point_texts, read_points, data_choice.encode_points(np.eye(2)), 400, 15_000),
    Target(
        *("events of views", commits, hear_commits, [{"edit": "add", "at": [1, 2]}], 200, 12_000),
        known=(
            *([{"edit": edit, "at": [value, 0], "from": [0, value]}] for edit in ("add", "move") for value in HUGE),
            *([{"code": [value, 0], "across": 0, "up": 1}] for value in HUGE),
            *([{"ink": [value] * sketch.SIDE**2}] for value in HUGE),
            *([{"pin": value, "values": {"training_step": value, "width": value}}] for value in HUGE),
            [{"failed": hostile.nested(900), "compare": hostile.nested(900), "values": {"width": hostile.nested(900)}}],
        ),
    ),
    Target("clicks into figures", selections, take_selection, {"selection": {"points": []}}, 200, 6_000),
    Target("numbers of images", numbers_of_images, read_numbers, "1, 4-7", 200, 5_000),
    Target("edited rows", ROWS_OF_TABLE, take_rows, [{"x": 1, "y": 2.0}], 100, 3_000),
    Target("answers to exercises", answers, judge_answer, None, 200, 5_000),
)
