"""What the tests of the explorer share: run a page without a browser, and read what it shows."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bdlviz import ui
from bdlviz.fitted import shelf
from bdlviz.types import Array
from bdlviz.ui import Control, Page, Scene
from bdlviz.ui.frame import details
from bdlviz.ui.places import routes
from tests.patience import limit
from tests.ui.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
PAGES = {path.stem: path for path in sorted((ROOT / "pages").glob("*/*.py"))}
MAIN = ROOT / "bdlviz" / "ui" / "main.py"
SECONDS = limit(120)  # for one run of a page
FIELDS = ("select_slider", "selectbox", "segmented_control", "slider", "number_input", "button")
PICTURES = ("plotly_chart", "image", "bidi_component")
WITHOUT_PICTURE = ("lecture", "glossary", "status", "figure_index")  # pages of words
# Components that show nothing.
UNSEEN = ("bdlviz_window", "bdlviz_block", "bdlviz_access", "bdlviz_drag", "bdlviz_remote")


class _Enough(Exception):
    """A page's definition is read; its script need not run on."""


@cache
def definition(name: str) -> Page | None:
    """The ``PAGE`` of a page file, read without drawing anything; None where the file shows no such page."""
    path, names = PAGES[name], {}

    def stop(page: Page) -> None:
        raise _Enough

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ui, "show", stop)
        try:
            exec(compile(path.read_text(encoding="utf-8"), path, "exec"), names)
        except _Enough:
            return names["PAGE"]
    return None


def controls(name: str) -> dict[str, Control]:
    """The controls of a page by key."""
    page = definition(name)
    return {control.key: control for control in page.controls} if page else {}


def has_tabs(name: str) -> bool:
    """True if the page has tabs under its picture."""
    page = definition(name)
    return page is not None and page.has_tabs


def scenes(name: str) -> dict[str, Scene]:
    """The scenes of a page by name."""
    page = definition(name)
    return {scene.name: scene for scene in page.scenes} if page else {}


def states(name: str) -> set[str]:
    """The names that ``?scene=`` of a page can have: its scenes, and those of older links."""
    page = definition(name)
    return {*scenes(name), *page.former} if page else set()


def open_page(name: str, query: Mapping[str, str] | None = None, **context: str) -> AppTest:
    """A page as a visitor with this link sees it, once nothing trains any more. The first page needs its router.

    A scene that asks a question first shows its answer, unless the link says ``guess``.
    """
    is_home = routes.HOME.endswith(f"/{name}")
    app = AppTest.from_file(MAIN if is_home else PAGES[name], default_timeout=SECONDS)
    app.query_params.update(({"guess": "no"} if "scene" in (query or {}) else {}) | dict(query or {}))
    app.context.update(context)
    return rested(app.run())


def open_working(name: str, query: Mapping[str, str] | None = None) -> AppTest:
    """A page as `open_page` gives it; fails unless it shows a picture and neither an error nor a warning."""
    app = open_page(name, query)
    assert_works(app)
    return app


def rested(app: AppTest) -> AppTest:
    """The page once its fit has ended; a browser would look again and again, too."""
    if app.get("progress"):
        wait_until(lambda: not app.run().get("progress"), "The page never stopped training.", SECONDS, interval=0.05)
    return app


def press(app: AppTest, key: str) -> AppTest:
    """Press a button and wait until the page rests."""
    app.button(key=key).click()
    return rested(app.run())


def guess(app: AppTest, option: str) -> AppTest:
    """Commit an answer to the open question of a scene."""
    app.radio(key="guess").set_value(option)
    return press(rested(app.run()), "commit_guess")


def move(app: AppTest, key: str, option: Any) -> AppTest:
    """Set the control of that key, whatever its kind, and wait until the page rests.

    A view or a further picture ("detail") is set as the menu *Other pictures* does.
    """
    page = page_of(app)
    if key == details.DETAIL or (page is not None and page.has_view_menu and page.menu and key == page.menu.key):
        app.session_state[key] = option
        return rested(app.run())
    for kind in ("select_slider", "selectbox", "segmented_control", "slider", "toggle"):
        for widget in app.get(kind):
            if getattr(widget, "key", None) == key:
                widget.set_value(option)  # type: ignore[attr-defined]
                return rested(app.run())
    raise AssertionError(f"The page draws no control called {key}.")


def drawn(app: AppTest) -> set[str]:
    """Keys of the controls that the page draws at present."""
    kinds = ("select_slider", "selectbox", "segmented_control")
    return {widget.key for kind in kinds for widget in app.get(kind)}  # type: ignore[attr-defined]


def further_pictures(app: AppTest) -> list[str]:
    """Titles of further pictures in the menu *Other pictures*; empty if the page has no menu now."""
    page = page_of(app)
    others = {each.title for each in (*page.views, *page.scenes)} if page is not None else set()
    menus: list[Any] = [*app.get("menu_button")]
    return [title for menu in menus for title in menu.options if title not in others]


def page_of(app: AppTest) -> Page | None:
    """The page that is shown; None for one that the navigation does not list."""
    here = app.session_state.get("link_of", "")
    return next((page for page in map(definition, PAGES) if page is not None and page.title == here), None)


def sentence(app: AppTest, place: str = "says") -> str:
    """The sentence under the title, or with ``place`` "at_start" the line below it; "" without one."""
    blocks: list[Any] = [*app.get("flex_container")]
    places = [block for block in blocks if block.proto.id.endswith(f"-{place}")]
    told = [each.value for place in places for each in place if each.type == "markdown"]
    return re.sub(r"\\(.)", r"\1", told[0]) if told else ""


def open_further(page: str, key: str) -> AppTest:
    """The page with the further picture that has the field or control of this key."""
    app = open_page(page)
    for picture in further_pictures(app):
        move(app, details.DETAIL, picture)
        if key in {widget.key for kind in FIELDS for widget in app.get(kind)}:  # type: ignore[attr-defined]
            return app
    raise AssertionError(f"No further picture has {key}.")


def figures(app: AppTest) -> list[dict[str, Any]]:
    """The plotly figures of a page, as the browser gets them."""
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]  # type: ignore[attr-defined]


def trace(figure: Mapping[str, Any], name: str) -> tuple[Array, Array]:
    """X and y of the longest trace of that name."""
    found = [(numbers(each["x"]), numbers(each["y"])) for each in figure["data"] if each.get("name") == name]
    assert found, f"No trace {name!r} among {[each.get('name') for each in figure['data']]}."
    return max(found, key=lambda pair: len(pair[0]))


def curves(figure: Mapping[str, Any], name: str) -> Array:
    """The curves of a trace that draws several with gaps between them, (curves, points)."""
    _, y = trace(figure, name)
    pieces = np.split(y, np.flatnonzero(np.isnan(y)) + 1)
    return np.array([piece[:-1] if np.isnan(piece[-1]) else piece for piece in pieces if len(piece) > 1])


def numbers(values: Any) -> Array:
    """The numbers of a figure's column, which plotly writes as a list or as base64 bytes."""
    if isinstance(values, dict):
        kind = {"f4": np.float32, "f8": np.float64}.get(values["dtype"], values["dtype"])
        return np.frombuffer(base64.b64decode(values["bdata"]), kind).astype(float)
    return np.array([np.nan if value is None else value for value in values], float)


def axis_ranges(figure: Mapping[str, Any]) -> dict[str, Any]:
    """The range of every axis of a figure, by the axis's name."""
    return {name: axis.get("range") for name, axis in figure["layout"].items() if name[1:].startswith("axis")}


def assert_works(app: AppTest, *, warnings: int = 0, allows_words: bool = False) -> None:
    """The page shows a picture and neither an exception nor an error, and as many warnings as told.

    Lists and tables have no picture. With ``allows_words``, words or a table may take the place of the picture.
    """
    assert not app.exception, [(each.value, each.stack_trace) for each in app.exception]
    assert not app.error, [each.value for each in app.error]
    assert len(app.warning) == warnings, [each.value for each in app.warning]
    if app.subheader and app.subheader[0].value in [page.question for page in map(definition, WITHOUT_PICTURE) if page]:
        return
    found = [each.proto for kind in PICTURES for each in app.get(kind)]  # type: ignore[attr-defined]
    has_picture = any(getattr(proto, "component_name", "") not in UNSEEN for proto in found)
    assert has_picture or (allows_words and has_words(app)), "The page shows no picture."


def has_words(app: AppTest) -> bool:
    """True if words or a table are at the place of the picture."""
    [place] = [each for each in blocks(app.main) if getattr(each.proto, "id", "").endswith("-frame")]
    texts = [each.proto.body for each in place.get("html")] + [each.value for each in place.get("markdown")]
    return any(len(re.sub("<style>.*?</style>", "", text, flags=re.DOTALL).split()) > 5 for text in texts)


def blocks(node: Any) -> Iterator[Any]:
    """The containers inside a node of a page."""
    for child in getattr(node, "children", {}).values():
        if hasattr(child, "children"):
            yield child
            yield from blocks(child)


def replace_file(file: Path, content: bytes) -> None:
    """Put another file in the place of this one, which may be a link to a shipped one."""
    file.unlink()
    file.write_bytes(content)


def damage(folder: Path, name: str, how: str) -> None:
    """Remove a shipped file, cut it off, or put another one in its place."""
    file = folder / f"{name}.safetensors"
    match how:
        case "removed":
            file.unlink()
        case "truncated":
            replace_file(file, file.read_bytes()[:1000])
        case "other":
            other = (folder / "function_draws_map.safetensors").read_bytes()
            shelf.put(name, other, shelf.manifest(folder)[name], folder)
        case _:
            raise AssertionError(how)
