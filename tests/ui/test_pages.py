"""Pages without a browser: bad links, axes that stay, draws that follow, and damaged checkpoints."""

from __future__ import annotations

from pathlib import Path

import pytest

from bdlviz.fitted import shelf
from bdlviz.lectures import lectures
from bdlviz.ui.controls import data_choice
from bdlviz.ui.frame import tabs
from tests.ui.harness import (
    assert_works,
    axis_ranges,
    controls,
    curves,
    drawn,
    figures,
    move,
    open_page,
    replace_file,
    trace,
)

[(LECTURE, STORY)] = lectures().items()
FIRST = STORY.steps[0].page.split("/")[-1]
SCRIPT = "nonsense,</style><script>alert(1)</script>"
BAD_LINKS = (  # page, link, and what its sentence names
    *(("function_draws", {"dropout_rate": given}, (given,)) for given in ("7", "-3", "nan", "", "0.1,0.2", "💥")),
    *(("function_draws", {key: given}, (given,)) for key, given in (("width", "-3"), ("follows", "7"))),
    *(("function_draws", {key: "nonsense"}, ("nonsense",)) for key in ("method", "data")),
    *(
        ("function_draws", {"data": "own", "points": points}, ("damaged",))
        for points in ("", "x", "AAAA", "eJw", "💥", "a" * 5000)
    ),
    ("effect_of_lambda", {"hide": SCRIPT}, ("nonsense", "weight_decay")),
    ("effect_of_lambda", {"tab": "<b>x</b>" * 30}, (tabs.MATHS,)),
    (FIRST, {"lecture": "../../etc/passwd"}, (LECTURE,)),
    *((FIRST, {"lecture": LECTURE, "step": step}, (str(len(STORY.steps)),)) for step in ("99", "-1", "٣", "9" * 5000)),
)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("page", "query", "named"), BAD_LINKS)
def test_a_bad_link_gets_one_sentence(page: str, query: dict[str, str], named: tuple[str, ...]):
    app = open_page(page, query)
    assert_works(app, warnings=1)
    [said] = [each.value for each in app.warning]
    assert all(word in said for word in named) and len(said) < (400 if page == "effect_of_lambda" else 300)
    assert "<script>" not in " ".join(each.proto.body for each in app.get("html"))  # type: ignore[attr-defined]
    for key in query.keys() & controls(page).keys() - {"lecture"}:
        control = controls(page)[key]
        assert app.session_state[key] in control.options and ("points" in query or control.label in said)
    if "points" in query:
        assert len(trace(figures(app)[0], "Data")[0]) == len(data_choice.STARTING_POINTS)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("page", ["function_draws", "effect_of_lambda"])
def test_axes_stay_while_sliders_move(page: str):
    app = open_page(page)
    first = axis_ranges(figures(app)[0])
    assert all(found is not None for found in first.values())
    for key in {"dropout_rate", "weight_decay", "width", "num_steps", "draws", "seed"} & drawn(app):
        for option in (controls(page)[key].options[0], controls(page)[key].options[-1]):
            move(app, key, option)
            assert axis_ranges(figures(app)[0]) == first, f"{key} = {option} moves the axes."


def test_the_draws_follow_the_dropout_rate():
    app = open_page("function_draws")
    spreads = []
    for rate in ("0", "0.1", "0.5"):
        move(app, "dropout_rate", rate)
        spreads.append(curves(figures(app)[0], "Function draws").std(axis=0).mean())
    none, some, much = spreads
    assert none < 1e-4 < 0.05 < some < much


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("count", ["1", "200"])
def test_as_many_draws_as_asked_for(count: str):
    draws = curves(figures(open_page("function_draws", {"draws": count}))[0], "Function draws")
    assert len(draws) == int(count)


@pytest.mark.parametrize("how", ["removed", "truncated", "altered", "no manifest", "damaged manifest", "stale"])
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("page", "name"), [("home", "home_gaussian_process"), ("function_draws", "function_draws_mc_dropout")]
)
def test_a_damaged_checkpoint_gets_a_sentence_and_a_picture(page: str, name: str, how: str, own_shelf: Path):
    file, manifest = own_shelf / f"{name}.safetensors", own_shelf / "manifest.json"
    content = file.read_bytes()
    match how:
        case "removed":
            file.unlink()
        case "truncated":
            replace_file(file, content[: len(content) // 2])
        case "altered":
            replace_file(file, content[:-1] + bytes([content[-1] ^ 1]))
        case "stale":
            shelf.put(file.stem, content[:-4], shelf.manifest(own_shelf)[file.stem], own_shelf)
        case "no manifest":
            manifest.unlink()
        case "damaged manifest":
            manifest.write_text(manifest.read_text()[:1000])
    app = open_page(page)
    assert_works(app)
    if page == "home" or how != "no manifest":  # without a manifest nothing is missing on the other pages
        [said] = [each.value for each in app.info]
        assert "manifest" in said or name in said
