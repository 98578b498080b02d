"""The frame of every page: question, controls, one main picture, numbers, and what stands behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import streamlit as st

from bdlviz.ui import link
from bdlviz.ui.controls import Control, set_controls
from bdlviz.ui.explain import show_code, show_formula
from bdlviz.ui.look import STYLE


@dataclass(frozen=True)
class Scene:
    """A named state of a page: a button, and a link with ``?scene=name``."""

    name: str
    title: str
    values: Mapping[str, str]  # controls not named are at their defaults
    says: str = ""  # one sentence: what to see


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

    @contextmanager
    def frame(self) -> Iterator[View]:
        """Title line, scenes, a column for the controls and the place of the picture."""
        st.html(STYLE)
        remarks = self._arrive()
        st.caption(self.title)
        st.subheader(self.question, anchor=False)
        for remark in remarks:
            st.warning(remark)
        self._show_scenes()
        with st.container(key="frame"):
            controls, picture = st.columns([1, 2.9], gap="medium")
        view = View(self, controls, picture, st.container())
        yield view
        link.write(self.title, self.controls)

    def _arrive(self) -> list[str]:
        """Do what the link asks for; returns what of it cannot be done."""
        given = link.arrive(self.title, self.controls)
        if given is None:
            return []
        name = given.get(link.SCENE)
        if name is None:
            return link.adopt(given, self.controls)
        scene = next((scene for scene in self.scenes if scene.name == name), None)
        link.adopt(scene.values if scene else {}, self.controls)
        if scene is not None:
            return []
        known = ", ".join(scene.name for scene in self.scenes)
        return [f"This page has no scene “{name[:40]}”; its scenes are {known or 'none yet'}."]

    def _is_at(self, scene: Scene) -> bool:
        present = link.settings(self.controls)
        return all(present.get(c.key, c.default) == scene.values.get(c.key, c.default) for c in self.controls)

    def _show_scenes(self) -> None:
        if not self.controls:
            return
        with st.container(horizontal=True, key="scenes"):
            for scene in self.scenes:
                arguments = (scene.values, self.controls)
                st.button(scene.title, key=f"scene_{scene.name}", on_click=set_controls, args=arguments)
            back = "All controls to their defaults."
            st.button("Reset", key="reset", on_click=set_controls, args=({}, self.controls), type="tertiary", help=back)
        shown = next((scene for scene in self.scenes if self._is_at(scene)), None)
        st.caption(shown.says if shown else "A setting of your own: the address of this page is the link to it.")


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
        contents = {
            "Equation": lambda: _show_equations(formulas, present),
            **(more or {}),
            "Code": lambda: show_code(*code),
            "Reproduce": lambda: st.code(snippet, language="python"),
            "Try this": lambda: st.markdown("\n".join(f"- {line}" for line in self.page.try_this)),
            "Caveat and paper": self._show_caveat,
        }
        with self.below:
            # Only the open tab is drawn: a slider should not wait for pictures that nobody sees.
            for tab, draw in zip(
                st.tabs(list(contents), key="tabs", on_change="rerun"), contents.values(), strict=True
            ):
                if tab.open:
                    with tab:
                        draw()

    def _show_caveat(self) -> None:
        st.markdown(self.page.caveat)
        for paper in self.page.papers:
            st.markdown(f"- [{paper.citation}]({paper.link})" if paper.link else f"- {paper.citation}")


def _show_equations(formulas: Sequence[Callable[..., Any]], present: str) -> None:
    for function in formulas:
        show_formula(function)
    if present:
        st.latex(present)
