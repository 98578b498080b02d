"""One session on a page: it tries every control, tab and scene, and collects everything that is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from streamlit.testing.v1 import AppTest

from bdlviz.lectures.exercise import Prediction
from bdlviz.ui import Control, Scene
from bdlviz.ui.frame import details, prediction, tabs
from bdlviz.ui.places import link
from tests.ui.harness import assert_works, controls, drawn, figures, open_page, rested, sentence

GROUNDS = {"light": "#FFFFFF", "dark": "#111418"}
MENUS = ("selectbox", "segmented_control")  # every option of one is another picture; of a slider, both ends are tried
WIDGETS = ("select_slider", *MENUS)
LONGEST_MENU = 12  # options; a longer one holds things of one kind, such as digits


def descriptions(app: AppTest) -> Iterator[tuple[str, str]]:
    """Each picture of a page, and what is said instead of it to somebody who cannot see it."""
    for chart in app.get("plotly_chart"):
        yield f"figure {chart.proto.id}", chart.proto.alt  # type: ignore[attr-defined]
    for sheet in app.get("image"):
        for image in sheet.proto.imgs:  # type: ignore[attr-defined]
            yield f"image {image.url}", image.alt


def assert_described(app: AppTest) -> None:
    """Every picture has a sentence of at least three words, without markup."""
    for picture, told in descriptions(app):
        assert len(told.split()) > 2 and "**" not in told and "<" not in told.replace(" < ", ""), (picture, told)


def chosen(app: AppTest, page: str) -> dict[str, str]:
    """The controls of a page that are not at their defaults."""
    state = {key: _value(app, each) for key, each in controls(page).items()}
    return {key: option for key, option in state.items() if option != controls(page)[key].default}


def _value(app: AppTest, control: Control) -> str:
    return app.session_state.get(control.key, control.default)


def assert_asks(app: AppTest, page: str, scene: Scene, ask: Prediction) -> None:
    """The question of a scene is open: it shows other settings, or a cover, and not yet what is to be seen."""
    assert_works(app)
    before, defaults = ask.before, {key: each.default for key, each in controls(page).items()}
    assert defaults | chosen(app, page) == defaults | dict(scene.values if before is None else before)
    assert app.query_params[link.SCENE] == scene.name and not sentence(app)
    assert app.button(key="commit_guess").disabled
    is_covered = any(prediction.COVERED in each.proto.body for each in app.get("html"))  # type: ignore[attr-defined]
    assert is_covered == ask.is_covered


class Visit:
    """A session on a page, and what it found wrong so far."""

    def __init__(self, page: str, query: Mapping[str, str] | None = None, theme: str = "light"):
        self.page, self.theme = page, theme
        self.app = open_page(page, query, theme=theme)
        self.unseen = dict(controls(page))  # controls that have not been tried yet
        self.away: set[str] = set()  # controls to be put back by the next move
        self.findings: list[str] = []

    @contextmanager
    def noting(self, place: str) -> Iterator[None]:
        """Note what goes wrong there, and go on."""
        try:
            yield
        except Exception as error:
            self.findings.append(f"{place}: {error.__class__.__name__}: {error}")

    def check(self, place: str, *, warnings: int = 0, allows_words: bool = False) -> None:
        """Whatever the visitor did: a picture, described, in the colours of the theme; the link says the state."""
        with self.noting(place):
            assert_works(self.app, warnings=warnings, allows_words=allows_words)
            assert_described(self.app)
            grounds = {each["layout"]["paper_bgcolor"] for each in figures(self.app)}
            assert grounds <= {GROUNDS[self.theme]}, f"The ground is {grounds} in the {self.theme} theme."
            written = {key: value for key, value in self.app.query_params.items() if key in controls(self.page)}
            assert written == chosen(self.app, self.page), "The link is not that of the state."

    def go(self, query: Mapping[str, str]) -> AppTest:
        """Arrive at another link in the same tab."""
        self.away.clear()
        self.app.query_params.clear()
        self.app.query_params.update(dict(query))
        return self.run()

    def run(self) -> AppTest:
        """Run the page until it rests."""
        self.app = rested(self.app.run())
        return self.app

    def set_theme(self, theme: str) -> None:
        """Let the browser ask for the other theme."""
        self.theme = theme
        self.app.context.update({"theme": theme})
        self.run()

    def open_tab(self, title: str) -> AppTest:
        """Choose one of the tabs under the picture."""
        self.app.session_state[tabs.WIDGET] = title
        return self.run()

    def choose_picture(self, title: str) -> AppTest:
        """Choose a further picture as its menu does; "" is the main one."""
        self.app.session_state[details.DETAIL] = title
        return self.run()

    def set(self, key: str, option: str) -> None:
        """Move a control, and put those back that were moved before."""
        for kind in WIDGETS:
            for widget in self.app.get(kind):
                found: Any = widget
                if found.key == key:
                    found.set_value(option)
                elif found.key in self.away:
                    found.set_value(controls(self.page)[found.key].default)
                    self.away.discard(found.key)
        self.run()

    def try_controls(self, where: str) -> None:
        """Move every control that is in sight and untried, and then those that came into sight."""
        while untried := self._untried():
            self._try(untried[0], where)
        self.away.clear()

    def _untried(self) -> list[str]:
        """The controls in sight that have not been tried yet."""
        in_sight = drawn(self.app)
        return [key for key in self.unseen if key in in_sight]

    def _try(self, key: str, where: str) -> None:
        control, before = self.unseen.pop(key), drawn(self.app)
        for option in self._stops(control):
            place = f"{where}, {key} = {option}"
            with self.noting(place):
                assert key in drawn(self.app), "The control has put itself away."
                self.set(key, option)
                assert self.app.session_state[key] == option
            self.check(place, allows_words=True)
            while new := [each for each in self._untried() if each not in before]:
                self._try(new[0], place)
        self.away.add(key)
        if drawn(self.app) != before:  # other controls are in sight: first back to where this one was found
            self.set(key, control.default)
            self.away.discard(key)

    def _stops(self, control: Control) -> Iterable[str]:
        """Every option of a menu, both ends of anything else."""
        is_menu = any(getattr(each, "key", "") == control.key for kind in MENUS for each in self.app.get(kind))
        if is_menu and len(control.options) <= LONGEST_MENU:
            return control.options
        return dict.fromkeys(self.ends(control))

    def ends(self, control: Control) -> tuple[str, str]:
        """The first and the last option that its widget offers; a slider over epochs has those of one training."""
        [widget] = [each for kind in WIDGETS for each in self.app.get(kind) if getattr(each, "key", "") == control.key]
        names = {*widget.options}  # type: ignore[attr-defined]
        first, *_, last = [option for option in control.options if control.name(option) in names]
        return first, last

    def report(self) -> None:
        """Fail with everything that was found."""
        assert not self.findings, f"{len(self.findings)} findings on {self.page}:\n" + "\n".join(self.findings)
