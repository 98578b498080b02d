"""What the tests of the pages that compare methods share: short fits, and what a view draws of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
import pytest

from bdlviz import fits, plots
from bdlviz.fits import Fit
from bdlviz.topics.shared import compare_choice
from bdlviz.topics.shared.compare_fits import Candidate
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.model import Result, Screen, Setting

FEW = 24
SCREEN = Screen(plots.theme("light"))
_KEPT: dict[FitConfig, Fit] = {}


def short(config: FitConfig, dataset: Dataset, **options: Any) -> Fit:
    """A few steps, and few chains of short trajectories, called the whole fit."""
    few = shortened(config)
    trained = fits.run(few, dataset, **options)
    is_sampled = "num_chains" in dict(config.options)
    return replace(trained, config=few if is_sampled else config, num_steps_done=config.num_steps)


def shortened(config: FitConfig) -> FitConfig:
    """The same fit with few steps and few chains."""
    settings = dict(config.options)
    if "num_chains" in settings:
        settings |= {"num_chains": 4.0, "num_leapfrog": 3.0}
    return replace(config, num_steps=min(FEW, config.num_steps), options=tuple(settings.items()))


def candidates(setting: Setting, dataset: Dataset) -> list[Candidate]:
    """What the needs of a view give, with short fits."""
    found = []
    for method, config in compare_choice.configurations(setting, dataset).items():
        if isinstance(config, str):
            found.append(Candidate(method, problem=config))
            continue
        if config not in _KEPT:
            _KEPT[config] = short(config, dataset)
        found.append(Candidate(method, _KEPT[config]))
    return found


def figure_of(result: Result, place: int = 0) -> dict[str, Any]:
    """A figure of a result as the browser gets it."""
    return json.loads(result.figures[place].figure.to_json() or "")


def names_in(figure: Mapping[str, Any]) -> set[str]:
    """The names of the traces of a figure."""
    return {trace.get("name") or "" for trace in figure["data"]}


def run_call(result: Result, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the Python of a result leaves behind, with short fits."""
    run: Callable[..., Fit] = fits.run
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)
    monkeypatch.setattr(fits, "run", lambda config, dataset: run(shortened(config), dataset))
    names: dict[str, Any] = {}
    exec(compile(result.call, "snippet", "exec"), names)
    return names
