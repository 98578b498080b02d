"""The result of a page's view, drawn without Streamlit, and what tests read from a result."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bdlviz import fits, plots
from bdlviz.fits import Fit
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.controls.own_points import OwnPoints
from bdlviz.ui.jobs.obtain import FitNeed
from bdlviz.ui.model import Need, Result, Screen, Setting, View
from tests.told import numbers_in
from tests.ui.harness import definition, scenes, trace

SCREEN = Screen(plots.theme("light"))


def view_of(page: str, setting: Setting) -> View:
    """The view of a page that a setting chooses."""
    defined = definition(page)
    assert defined is not None
    view = defined.view(setting)
    assert defined.menu is None or view.name == setting[defined.menu], "The page has no such view."
    return view


def needs_of(view: View, setting: Setting) -> list[Need[Any]]:
    """All needs of a view."""
    needs = view.needs(setting) if view.needs is not None else None
    return [needs] if isinstance(needs, Need) else [*(needs or ())]


def shipped(view: View, setting: Setting) -> Any:
    """What is shipped for a view, in the form that its ``draw`` takes."""
    if view.needs is None:
        return None
    found = [need.shipped() if need.shipped is not None else None for need in needs_of(view, setting)]
    if not isinstance(view.needs(setting), Need):
        return found
    assert found[0] is not None, "What the view needs is not shipped."
    return found[0]


def result_of(page: str, values: Mapping[str, str] | None = None, own: OwnPoints | None = None) -> Result:
    """The result of a page with what is shipped. ``values`` is a link, which may name a scene."""
    values = dict(values or {})
    scene = values.pop("scene", "")
    defined = definition(page)
    of_scenes = {name: found.values for name, found in scenes(page).items()} | dict(defined.former if defined else {})
    setting = Setting((dict(of_scenes[scene]) if scene else {}) | values, own)
    view = view_of(page, setting)
    return view.draw(setting, SCREEN, shipped(view, setting))


def short_fit(config: FitConfig, dataset: Dataset) -> Fit:
    """Forty steps, whatever the page asks for."""
    trained = fits.run(replace(config, num_steps=40), dataset)
    return replace(trained, config=config, num_steps_done=config.num_steps)


def fit_of(view: View, setting: Setting) -> Fit:
    """The fit that a view asks for, trained for forty steps only."""
    [need] = needs_of(view, setting)
    assert isinstance(need, FitNeed)
    return short_fit(need.config, need.dataset)


def quick_result(page: str, values: Mapping[str, str] | None = None, own: OwnPoints | None = None) -> Result:
    """The result of a view that draws one fit, which is trained for forty steps only."""
    setting = Setting(dict(values or {}), own)
    view = view_of(page, setting)
    return view.draw(setting, SCREEN, fit_of(view, setting))


def said(result: Result) -> str:
    """All sentences of a result."""
    return " ".join(result.words)


def reading(result: Result, word: str) -> str:
    """The key number whose label has this word."""
    [value] = [value for label, value in result.numbers.items() if word in label]
    return value


def number(result: Result, word: str) -> float:
    """The key number whose label has this word."""
    [value] = numbers_in(reading(result, word))
    return value


def percent(share: float, digits: int = 1) -> str:
    """A share as pages write it, with a thin space before the sign."""
    return f"{100 * share:.{digits}f}\u2009%"


def figure_called(result: Result, key: str) -> dict[str, Any]:
    """The figure of a result whose key begins like this, as plain values."""
    [found] = [each.figure.to_dict() for each in result.figures if each.key.startswith(key)]
    return found


def plain(result: Result, index: int = 0) -> dict[str, Any]:
    """A figure of a result as plain values."""
    return result.figures[index].figure.to_dict()


def names_in(result: Result) -> set[str]:
    """The names of the traces of the first figure."""
    return {each.get("name", "") for each in plain(result)["data"]}


def curve(result: Result, name: str) -> Array:
    """The y of the longest trace of that name in the first figure."""
    return trace(plain(result), name)[1]


def named(figure: Any, name: str) -> list[Any]:
    """The traces of that name in a plotly figure."""
    return [each for each in figure.data if each.name == name]


def run_snippet(result: Result, **names: Any) -> dict[str, Any]:
    """The names that the snippet of a result leaves behind; ``names`` are defined before."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The negative log-likelihood")  # fits of tests are short
        exec(compile(result.call, "snippet", "exec"), names)
    return names
