"""The frame of every page: question, controls, one main picture, numbers, and what stands behind them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import streamlit as st

from bdlviz.lectures.derivation import Derivation
from bdlviz.lectures.exercise import Exercise, Prediction
from bdlviz.ui.controls.control import Control, set_controls
from bdlviz.ui.frame import derivation, exercise, export, lecture, mode, on_page, prediction, tabs, walk
from bdlviz.ui.frame.explain import formulas as formulas_of
from bdlviz.ui.frame.explain import show_code, show_formula
from bdlviz.ui.frame.export import Given
from bdlviz.ui.frame.look import STYLE, present_theme
from bdlviz.ui.places import link


@dataclass(frozen=True)
class Scene:
    """A named state of a page: a button, and a link with ``?scene=name``."""

    name: str
    title: str
    values: Mapping[str, str]  # controls not named are at their defaults
    says: str = ""  # one sentence: what to see
    ask: Prediction | None = None  # what the visitor is asked before the scene is shown


@dataclass(frozen=True)
class Paper:
    """A source: who, what, and where it is found."""

    citation: str
    link: str = ""


@dataclass(frozen=True)
class Page:
    """What a page is about. ``with page.frame() as view`` then gives it its places."""

    title: str
    question: str
    controls: Sequence[Control]
    scenes: Sequence[Scene] = ()
    try_this: Sequence[str] = ()
    caveat: str = ""
    papers: Sequence[Paper] = ()
    exercises: Sequence[Exercise] = ()
    derivation: Derivation | None = None

    @contextmanager
    def frame(self) -> Iterator[View]:
        """Title line, scenes, a column for the controls and the place of the picture."""
        st.html(STYLE)
        on_page.begin()
        derivation.begin(self.derivation)
        remarks = self._arrive()
        lecture.note_in_link()
        theme = present_theme()
        mode.show_style(self.controls, theme.paper, theme.grid)
        equation = self._show_heading()
        for remark in remarks:
            st.warning(remark)
        self._show_scenes()
        asked = prediction.is_open(self)
        if asked is not None:
            prediction.show(self, asked)
        elif not mode.is_presenting():
            self._say()
        with st.container(key="frame"):
            controls, picture = st.columns([1, 2.9], gap="medium")
        if asked is not None and asked.ask is not None and asked.ask.is_covered:
            picture = picture.container(key=prediction.COVERED)
        yield View(self, controls, picture, equation, st.container(key="below"))
        link.write(self.title, self.controls)
        on_page.end()

    def _show_heading(self) -> Any:
        """Title line and question with the buttons that lead on; returns a room's place for the equation."""
        presents = mode.is_presenting()
        with st.container(key="heading", horizontal=True, vertical_alignment="bottom"):
            with st.container(key="question"):
                st.caption(self.title)
                st.subheader(self.question, anchor=False)
                if presents and prediction.is_open(self) is None:
                    self._say()
            equation = st.container(key="equation") if presents else None
            if not walk.is_bar():
                walk.show_bar(self)
        if walk.is_bar():
            walk.show_bar(self)
        return equation

    def _arrive(self) -> list[str]:
        """Do what the link asks for; returns what of it cannot be done."""
        given = link.arrive(self.title, self.controls)
        if given is None:
            return []
        prediction.drop()
        step, remarks = lecture.arrive(given)
        remarks += mode.remarks(self.controls)
        if any(control.key in given for control in self.controls):
            step = None  # the visitor has moved on from the step's own state
        tabs.ask_for(given.get(tabs.TAB) or (step.tab if step else ""))
        name = given.get(link.SCENE) or (step.scene if step else "")
        settings = dict(step.settings) if step else {}
        if not name:
            return remarks + link.adopt(settings or given, self.controls)
        scene = next((scene for scene in self.scenes if scene.name == name), None)
        if scene is None:
            link.adopt({}, self.controls)
            known = ", ".join(scene.name for scene in self.scenes)
            return [*remarks, f"This page has no scene {link.quoted(name)}; its scenes are {known or 'none yet'}."]
        values = {**scene.values, **settings}
        link.adopt(values, self.controls)
        if scene.ask is not None and given.get(prediction.GUESS) != prediction.SKIP:
            prediction.ask(self, scene, values)
        return remarks

    @property
    def shown_scene(self) -> Scene | None:
        """The scene that the controls stand at."""
        if (asked := prediction.is_open(self)) is not None:
            return asked
        present = link.settings(self.controls)
        return next((s for s in self.scenes if prediction.stands_at(s.values, present, self.controls)), None)

    def choose(self, scene: Scene) -> None:
        """Show a scene, or ask its question first (for use in a callback)."""
        prediction.drop()
        if scene.ask is not None:
            prediction.ask(self, scene, scene.values)
        else:
            set_controls(scene.values, self.controls)

    def reset(self) -> None:
        """Put all controls to their defaults (for use in a callback)."""
        prediction.drop()
        set_controls({}, self.controls)

    def _show_scenes(self) -> None:
        if not self.controls:
            return
        with st.container(horizontal=True, key="scenes"):
            for scene in self.scenes:
                st.button(scene.title, key=f"scene_{scene.name}", on_click=self.choose, args=(scene,))
            st.button(
                "Reset", key="reset", on_click=self.reset, type="tertiary", help="All controls to their defaults."
            )

    def _say(self) -> None:
        """One sentence on the present scene, and what became of a guess."""
        if not self.controls:
            return
        shown = self.shown_scene
        with st.container(key="says"):
            if shown is not None or lecture.present() is None:
                own = "A setting of your own: the address of this page is the link to it."
                st.caption(shown.says if shown else own)
            if shown is not None and (told := prediction.verdict(self, shown)):
                st.markdown(told)


Choose = Callable[[], Any]
Draw = Callable[[], "Shown | None"]


@dataclass(frozen=True)
class Views:
    """The views of a page that has several, chosen by a menu: key -> title, what draws its controls, what draws it."""

    views: Mapping[str, tuple[str, Choose, Draw]]
    default: str
    key: str = "look"
    label: str = "Look at"

    @property
    def control(self) -> Control:
        """The menu."""
        titles = {name: title for name, (title, _, _) in self.views.items()}
        return Control(self.key, self.label, tuple(self.views), self.default, "menu", "", titles)


@dataclass(frozen=True, eq=False)
class Shown:
    """What a view of a page leaves for the tabs under the picture; see `View.footer`."""

    formulas: tuple[Callable[..., Any], ...]
    code: tuple[Callable[..., Any], ...]
    snippet: str
    present: str = ""


@dataclass(frozen=True)
class View:
    """The places of a page, to be used with ``with``."""

    page: Page
    controls: Any
    picture: Any
    equation: Any  # of presenter mode, else None
    below: Any

    def show(self, views: Views, more: Mapping[str, Callable[[], None]] | None = None) -> None:
        """The chosen view: its controls, its picture and its tabs; ``more`` are tabs that every view has."""
        with self.controls:
            _, choose, draw = views.views[views.control.show()]
            choose()
        with self.picture:
            shown = draw()
        if shown is not None:
            self.footer_of(shown, more)

    def footer_of(self, shown: Shown, more: Mapping[str, Callable[[], None]] | None = None) -> None:
        """The tabs under the picture, of what a view has left for them."""
        self.footer(formulas=shown.formulas, code=shown.code, snippet=shown.snippet, present=shown.present, more=more)

    def footer(
        self,
        *,
        formulas: Sequence[Callable[..., Any]],
        code: Sequence[Callable[..., Any]],
        snippet: str,
        present: str = "",
        more: Mapping[str, Callable[[], None]] | None = None,
    ) -> None:
        """The tabs under the picture.

        Args:
            formulas: functions whose docstrings hold the page's equations.
            code: functions whose source computes the picture.
            snippet: Python that gives the same numbers when pasted.
            present: LaTeX with the present values.
            more: the page's own tabs by title.
        """
        # The equation, which is drawn at once, is what stands open at first: a slider need not wait for more figures.
        given = Given(self.page, formulas, snippet, present)
        contents: dict[str, Callable[[], Any]] = {
            "Equation": lambda: _show_equations(formulas, present),
            **(more or {}),
        }
        if self.page.derivation is not None:
            steps = self.page.derivation
            contents[derivation.TAB] = lambda: derivation.show(steps, self.page)
        contents |= {
            "Code": lambda: show_code(*code),
            "Reproduce": lambda: st.code(snippet, language="python"),
            **({"Exercises": lambda: exercise.show(self.page)} if self.page.exercises else {}),
            "Try this": lambda: st.markdown("\n".join(f"- {line}" for line in self.page.try_this)),
            "Caveat and paper": self._show_caveat,
            "Export": lambda: export.show(given),
        }
        with self.below:
            if self.equation is None:
                tabs.show(contents)
            else:
                tabs.show_to_a_room(contents)
                with self.equation:
                    st.latex(_first_statement(present or formulas_of(formulas[0])[0]))

    def exports(self, snippet: str) -> None:
        """The exports alone, for a page without tabs."""
        with self.below, st.expander("Export", key="export_box", on_change="rerun") as box:
            if box.open:
                export.show(Given(self.page, (), snippet, ""))

    def _show_caveat(self) -> None:
        st.markdown(self.page.caveat)
        for paper in self.page.papers:
            st.markdown(f"- [{paper.citation}]({paper.link})" if paper.link else f"- {paper.citation}")


def _first_statement(latex: str) -> str:
    """Of several statements in a row the first: a line in a room's size has no place for more."""
    return latex if r"\begin" in latex else re.split(r"[,;]?\s*\\qquad", latex, maxsplit=1)[0]


def _show_equations(formulas: Sequence[Callable[..., Any]], present: str) -> None:
    for function in formulas:
        show_formula(function)
    if present:
        st.latex(present)
