"""Every page, without a browser, in two sessions: one tries all that can be pressed, one opens all shipped pictures."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from textwrap import dedent
from typing import Any, NoReturn

import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.errors import InvalidInput
from bdlviz.lectures import lectures
from bdlviz.lectures.exercise import Prediction
from bdlviz.ui import Scene
from bdlviz.ui.frame import mode, room, tabs, window
from bdlviz.ui.jobs import queue as jobs
from bdlviz.ui.places import link, routes
from bdlviz.ui.scrub import switch
from tests.ui.harness import (
    PAGES,
    SECONDS,
    assert_works,
    controls,
    definition,
    drawn,
    figures,
    further_pictures,
    guess,
    has_tabs,
    open_page,
    press,
    scenes,
    sentence,
)
from tests.ui.visit import Visit, assert_asks, chosen, descriptions

COMMON_TABS = {tabs.EXPLAIN, tabs.MATHS, tabs.CODE, tabs.EXERCISES, tabs.EXPORT}
FRAME = {  # keys of the frame, none of which may be that of a control
    *("heading", "question", "claim", "says", "at_start", "frame", "below", "lecture", "onward", "notes", "numbers"),
    *("scenes", "prediction", "covered", "guess", "commit_guess", "reset", "present", "hide", "tab", "tabs", "scene"),
    *("step", "next_step", "previous_step", "notes_button", "leave_lecture", "remote", "downloads", "save_as"),
    *("exported", "detail", "drag", "live", "live_stop", "pictures"),
}


@pytest.fixture(autouse=True)
def no_time_in_flight(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test goes to the next link at once; a person takes a moment."""
    monkeypatch.setattr(link, "IN_FLIGHT", 0.0)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Hashable]:
    """What pages ask the queue for, which remembers nothing and trains nothing; the pictures are a visitor's."""
    found: list[Hashable] = []

    def refuse(queue: jobs.JobQueue, key: Hashable, *rest: Any) -> NoReturn:
        found.append(key)
        raise InvalidInput("Nothing trains in this test.")

    monkeypatch.setattr(jobs.JobQueue, "request", refuse)
    monkeypatch.setattr(jobs.JobQueue, "finished", lambda queue, key: None)
    monkeypatch.setattr(switch, "PICTURE", replace(switch.PICTURE, default=switch.SCRUB))
    return found


def test_the_navigation_holds_every_page():
    listed = [name for entries in routes.SECTIONS.values() for name, _ in entries]
    assert sorted(listed) == sorted(f"{path.parent.name}/{path.stem}" for path in PAGES.values())


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("page", PAGES)
def test_all_that_can_be_pressed(page: str):
    """All controls, tabs, further pictures, scenes by their buttons, a link, an unknown scene, presenter mode."""
    assert not FRAME & set(controls(page))
    visit = Visit(page)
    see_the_first_state(visit)
    visit.try_controls("first state")
    visit.go({})
    try_tabs(visit)
    try_further_pictures(visit)
    visit.set_theme("dark")
    visit.check("the dark theme")
    open_views(visit)
    press_scenes(visit)
    assert not visit.unseen, f"The page never draws {list(visit.unseen)}."
    take_a_link(visit)
    ask_for_an_unknown_scene(visit)
    present(visit)
    visit.report()


def see_the_first_state(visit: Visit) -> None:
    """It asks the page's question, and has the shortest link."""
    visit.check("first state")
    defined = definition(visit.page)
    with visit.noting("first state"):
        assert defined is not None and visit.app.subheader[0].value == defined.question
        assert visit.app.query_params == {}


def try_tabs(visit: Visit) -> None:
    """Every tab has something, and what it draws is looked at as well."""
    titles = [tab.label for tab in visit.app.tabs]
    with visit.noting("tabs"):
        defined = definition(visit.page)
        without = set() if defined is None or defined.exercises else {tabs.EXERCISES}
        assert set(titles) == (COMMON_TABS - without if has_tabs(visit.page) else set())
    for title in titles:
        visit.open_tab(title)
        visit.check(f"tab {title}")
        with visit.noting(f"tab {title}"):
            [place] = [tab for tab in visit.app.tabs if tab.label == title]
            assert len(place.children), "The tab is empty."
            assert visit.app.query_params.get("tab", titles[0]) == title
        visit.try_controls(f"tab {title}")
    if titles:
        visit.open_tab(titles[0])


def try_further_pictures(visit: Visit) -> None:
    """Every further picture takes the place of the main one, and the link says so."""
    main = figures(visit.app)
    for title in (titles := further_pictures(visit.app)):
        visit.choose_picture(title)
        visit.check(f"further picture {title}", allows_words=True)
        with visit.noting(f"further picture {title}"):
            assert visit.app.query_params == {"detail": title}
            assert not main or figures(visit.app) != main
        visit.try_controls(f"further picture {title}")
        visit.go({})
    if titles:
        with visit.noting("further pictures"):
            assert figures(visit.app) == main


def open_views(visit: Visit) -> None:
    """Every view of the menu *Other pictures*; controls that only it shows are tried there."""
    page = definition(visit.page)
    if page is None or page.menu is None or not page.has_view_menu:
        return
    del visit.unseen[page.menu.key]
    for view in page.views:
        visit.go({page.menu.key: view.name})
        visit.check(f"view {view.name}", allows_words=True)
        visit.try_controls(f"view {view.name}")
    visit.go({})


def press_scenes(visit: Visit) -> None:
    """Every scene sets all controls and says what to see; controls that only it shows are tried there."""
    for name, scene in scenes(visit.page).items():
        with visit.noting(f"scene {name}"):
            if f"scene_{name}" in {button.key for button in visit.app.button}:
                visit.app = press(visit.app, f"scene_{name}")
            else:
                visit.go({"scene": name})
            if scene.ask is not None:
                guess_wrongly(visit, scene, scene.ask)
            assert_stands_at_scene(visit, name)
        visit.check(f"scene {name}")
        visit.try_controls(f"scene {name}")


def guess_wrongly(visit: Visit, scene: Scene, ask: Prediction) -> None:
    """A scene that asks shows other settings, or covers its picture, until a guess; then it says what is right."""
    assert_asks(visit.app, visit.page, scene, ask)
    wrong = next(option for option in ask.choice.options if not ask.choice.is_right(option))
    visit.app = guess(visit.app, wrong)
    [told] = [each.value for each in visit.app.markdown if each.value.startswith("**Your guess")]
    assert wrong in told and ask.choice.solution in told and ask.choice.because in told


def assert_stands_at_scene(visit: Visit, name: str) -> None:
    """The page has the scene's settings, all others at their defaults, and says what it is to say."""
    scene, defaults = scenes(visit.page)[name], {key: each.default for key, each in controls(visit.page).items()}
    assert defaults | chosen(visit.app, visit.page) == defaults | dict(scene.values)
    assert sentence(visit.app) or not scene.says
    assert "scene" not in visit.app.query_params


def take_a_link(visit: Visit) -> None:
    """The link of a state with three controls moved leads a second visitor to it."""
    if not controls(visit.page):
        return
    visit.go({})
    for key in [key for key in controls(visit.page) if key in drawn(visit.app)][-3:]:
        if key in drawn(visit.app):  # else what was moved before has put it away
            first, last = visit.ends(controls(visit.page)[key])
            visit.set(key, last if last != controls(visit.page)[key].default else first)
    with visit.noting("link"):
        taken = dict(visit.app.query_params)
        again = open_page(visit.page, taken)
        assert_works(again)
        assert taken and again.query_params == taken
        assert chosen(again, visit.page) == chosen(visit.app, visit.page)


def ask_for_an_unknown_scene(visit: Visit) -> None:
    """It gets one sentence, which names the scenes that are there."""
    visit.go({"scene": "<b>nonsense</b>" * 20})
    visit.check("unknown scene", warnings=1)
    with visit.noting("unknown scene"):
        [told] = [each.value for each in visit.app.warning]
        assert len(told) < 400 and all(name in told for name in scenes(visit.page))


def present(visit: Visit) -> None:
    """In presenter mode the page is large, without tabs."""
    visit.go({"present": "1"})
    visit.check("presenter mode")
    app = visit.app
    with visit.noting("presenter mode"):
        assert app.query_params["present"] == "1"
        styles = " ".join(each.proto.body for each in app.get("html"))  # type: ignore[attr-defined]
        assert mode.ROOT_SIZE in styles and not app.tabs
        layouts = [each["layout"] for each in figures(app)]
        assert {layout["xaxis"]["tickfont"]["size"] for layout in layouts if "xaxis" in layout} <= {24}
        around = round((room.ABOVE_PRESENTING + room.BAR) * mode.rem(window.USUAL_HEIGHT))
        assert all(layout["height"] <= window.USUAL_HEIGHT - around for layout in layouts), "It does not fit."


@pytest.mark.parametrize("page", PAGES)
def test_nothing_trains_for_a_link(page: str, asked: list[Hashable]):
    """The first state, every scene and every step of a lecture open at once, with shipped pictures."""
    visit = Visit(page)
    with visit.noting("first state"):
        assert_works(visit.app)
        assert not visit.app.info, "The first picture of a page is shipped: nothing is missing or damaged."
    for name in scenes(page):
        visit.go({"scene": name, "guess": "no"})
        with visit.noting(f"scene {name}"):
            assert_works(visit.app)
            assert_stands_at_scene(visit, name)
    for lecture, index in steps_on(page):
        visit.go({"lecture": lecture, "step": str(index), "guess": "no"})
        with visit.noting(f"step {index} of {lecture}"):
            assert_stands_at_step(visit, lecture, index)
    visit.report()
    assert not asked


def steps_on(page: str) -> list[tuple[str, int]]:
    """The steps of all lectures that stand on a page, counted from one."""
    return [
        (name, index)
        for name, lecture in lectures().items()
        for index, step in enumerate(lecture.steps, 1)
        if step.page.split("/")[-1] == page
    ]


def assert_stands_at_step(visit: Visit, lecture: str, index: int) -> None:
    """The page has the settings of the step, and says where the lecture stands."""
    assert_works(visit.app)
    story, app = lectures()[lecture], visit.app
    step = story.steps[index - 1]
    scene = scenes(visit.page).get(step.scene)
    defaults = {key: each.default for key, each in controls(visit.page).items()}
    expected = (dict(scene.values) if scene else {}) | dict(step.settings)
    assert defaults | chosen(app, visit.page) == defaults | expected
    assert (app.query_params["lecture"], app.query_params["step"]) == (lecture, str(index))
    assert any(f"{index} of {len(story.steps)} · **{step.title}**" in each.value for each in app.markdown)
    if step.tab:
        shown = app.query_params.get("tab", "") or app.query_params.get("detail", "")
        assert shown == tabs.FORMER.get(step.tab, step.tab)


def test_what_is_not_shipped_is_asked_for(asked: list[Hashable]):
    open_page("function_draws", {"seed": "7"})
    assert len(asked) == 1


def test_a_picture_without_a_description_is_noticed():
    script = """
        import numpy as np
        import plotly.graph_objects as go
        import streamlit as st
        from bdlviz.ui.frame.images import sheet
        from bdlviz.ui.frame.look import figure

        sheet(np.zeros((2, 8, 8)), 2, alt="Two empty digits.")
        st.image(np.zeros((8, 8)))
        figure(go.Figure(), key="empty")
    """
    told = [said for _, said in descriptions(AppTest.from_string(dedent(script), default_timeout=SECONDS).run())]
    assert sorted(told) == ["", "", "Two empty digits."]
