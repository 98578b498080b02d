"""What the recorder of the pages keeps of numbers, and which differences between two recordings it tells apart."""

from __future__ import annotations

import base64
import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scripts import record
from scripts.record_differences import NUMBERS_IN_WORDS, compare, differences
from scripts.record_values import condensed, fingerprint

X = np.linspace(0.0, 3.0, 200)
STATE: dict[str, Any] = {
    "address": {"width": "64"},
    "controls": {
        "width": {"type": "select_slider", "label": "Width", "options": ["64", "128"], "value": "64", "help": ""},
    },
    "metrics": [{"label": "RMSE", "value": "0.106 m", "delta": "", "help": "On new points."}],
    "words": [["caption", "One sentence."], ["latex", "$$x^2$$"]],
    "figures": {
        "curve": {
            "alt": "A curve.",
            "data": [{"type": "scatter", "name": "Mean", "x": fingerprint(X), "y": fingerprint(np.sin(X))}],
            "layout": {"xaxis": {"range": [0.0, 3.0], "title": {"text": "x"}}},
        }
    },
    "tabs": {
        "Reproduce": {"words": [["code", "from a import b\nb(1)"]]},
        "Code": {"words": [["code", "def f(): ..."]]},
    },
    "seconds": 1.0,
}


def told(change: Any) -> list[tuple[bool, str]]:
    """Whether each difference is one of words, and its place, after a change of the state."""
    new = copy.deepcopy(STATE)
    change(new)
    return [(each.is_words, each.place) for each in differences(STATE, new)]


def figure(state: dict[str, Any]) -> dict[str, Any]:
    return state["figures"]["curve"]


def test_equal_states_do_not_differ():
    assert told(lambda state: state.update(seconds=9.0)) == []


@pytest.mark.parametrize(("factor", "differs"), [(1 + 1e-6, False), (1 + 1e-3, True)])
def test_numbers_of_traces_differ_beyond_the_tolerance(factor: float, differs: bool):
    def scale(state: dict[str, Any]) -> None:
        figure(state)["data"][0]["y"] = fingerprint(factor * np.sin(X))

    assert told(scale) == [(False, "figures › curve › data › 0 › y")] * differs


def test_one_other_point_of_many_is_seen():
    y = np.sin(X)
    y[101] += 0.5
    assert told(lambda state: figure(state)["data"][0].update(y=fingerprint(y)))


def test_other_words_are_words():
    def reword(state: dict[str, Any]) -> None:
        state["words"][0] = ["markdown", "Another sentence."]
        state["controls"]["width"]["label"] = "Units"
        state["metrics"][0]["value"] = "0.106 metres"
        figure(state)["alt"] = "A line."
        state["tabs"]["Reproduce"]["words"][0][1] = "from c import b\nb(1)"
        state["tabs"]["Code"]["words"][0][1] = "def g(): ..."

    found = told(reword)
    assert len(found) == 6 and all(is_words for is_words, _ in found)


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state["controls"].pop("width"),
        lambda state: state["controls"]["width"].update(value="128"),
        lambda state: state["controls"]["width"].update(options=["64", "256"]),
        lambda state: state["metrics"][0].update(value="0.107 m"),
        lambda state: state["words"].pop(),
        lambda state: state["figures"].clear(),
        lambda state: figure(state)["data"].clear(),
        lambda state: figure(state)["layout"]["xaxis"].update(range=[0.0, 4.0]),
        lambda state: state["tabs"].pop("Code"),
        lambda state: state["tabs"]["Reproduce"].update(words=[["code", "from a import b\nb(2)"]]),
        lambda state: state["address"].clear(),
    ],
)
def test_everything_else_is_more_than_words(change: Any):
    found = told(change)
    assert found and not all(is_words for is_words, _ in found)


def test_numbers_in_words_are_pointed_out():
    new = copy.deepcopy(STATE)
    new["words"][0][1] = "2 sentences."
    assert [each.level for each in differences(STATE, new)] == [NUMBERS_IN_WORDS]


def test_a_figure_of_another_key_is_the_same_figure():
    assert told(lambda state: state.update(figures={"line": figure(state)})) == [(True, "figures › curve")]


def test_scenes_and_pages_are_missed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for name, states in (("old", {"": STATE, "wide": STATE}), ("new", {"": STATE})):
        file = tmp_path / name / "part" / "page.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(states))
    assert compare(tmp_path / "old", tmp_path / "old", False, {})
    assert not compare(tmp_path / "old", tmp_path / "new", False, {})
    assert "OTHER [wide] scene: missing" in capsys.readouterr().out
    (tmp_path / "new" / "part" / "page.json").unlink()
    assert record.main(["compare", str(tmp_path / "old"), str(tmp_path / "new")]) == 1
    assert "part/page: missing" in capsys.readouterr().out


def test_both_ways_in_which_plotly_writes_numbers_are_the_same():
    packed = {"dtype": "f8", "bdata": base64.b64encode(X.tobytes()).decode()}
    assert condensed({"y": packed}) == condensed({"y": X.tolist()}) == {"y": fingerprint(X)}


def test_an_error_bar_is_no_fingerprint():
    bars = {"array": [0.1, 0.2]}
    assert told(lambda state: figure(state)["data"][0].update(error_y=bars)) == [
        (False, "figures › curve › data › 0 › error_y")
    ]
    assert [each.what for each in differences({"figures": {"a": bars}}, {"figures": {"a": {"array": [0.1, 0.3]}}})]


def test_gaps_of_a_curve_are_kept():
    assert fingerprint([1.0, np.nan])["values"] == [1.0, "nan"]
    assert condensed([0.5, None, 1.5, 2.0])["values"] == [0.5, "nan", 1.5, 2.0]
