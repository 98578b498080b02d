"""Frames of a slider: what a view draws at each of its stops, for the browser to show while the slider is dragged.

A view is a pure function of its setting, so the server can draw any stop without a page. Only results that are shipped
or remembered are drawn; a stop whose result would have to be computed has no frame. Frames are made once per server.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from bdlviz import plots
from bdlviz.checks import digest
from bdlviz.digits import compact
from bdlviz.errors import InvalidInput
from bdlviz.plots import legend
from bdlviz.ui.cache import Cache
from bdlviz.ui.frame import room
from bdlviz.ui.jobs.obtain import known
from bdlviz.ui.model import Columns, Figure, Need, Numbers, Part, Result, Screen, Setting, Sheet, View, sentence_of

MAX_BYTES = 2_000_000  # of the frames of one slider, compressed
RECIPES = Cache(20_000_000, 2_000)
FRAMES = Cache(100_000_000, 500)


@dataclass(frozen=True, eq=False)
class Recipe:
    """All frames of one slider: the view, the setting of the other controls, and where the picture is drawn."""

    page: str
    view: View
    key: str  # of the slider
    stops: Sequence[str]
    setting: Setting  # without the slider's own value
    screen: Screen
    available: int | None  # px for the main picture; None on a phone

    @cached_property
    def token(self) -> str:
        """A name of the frames: equal for all visitors who see the same controls and points in windows of one size."""
        values = sorted((key, value) for key, value in self.setting.values.items() if key != self.key)
        own = None if self.setting.own is None else self.setting.own.key
        screen = (self.screen.theme.name, self.screen.theme.scale, self.screen.is_narrow, self.screen.is_presenting)
        return digest(self.page, self.view.name, self.key, [*self.stops], values, own, screen, self.available)


def note(recipe: Recipe) -> str:
    """Remember a recipe for a request of the browser; returns its token."""
    if RECIPES.find(recipe.token) is None:
        RECIPES.keep(recipe.token, recipe)
    return recipe.token


def stream(token: str, start: int) -> Iterator[bytes] | None:
    """The frames of a recipe as compressed lines of JSON, the stop ``start`` first; None for an unknown token."""
    recipe: Recipe | None = RECIPES.find(token)
    if recipe is None:
        return None
    found = FRAMES.find(token)
    return iter([found]) if found is not None else _make(recipe, start)


def _make(recipe: Recipe, start: int) -> Iterator[bytes]:
    compressor, pieces, base = zlib.compressobj(5, wbits=31), [], None
    order = sorted(range(len(recipe.stops)), key=lambda index: abs(index - start))
    for index in order:
        frame = frame_at(recipe, recipe.stops[index])
        if frame is None:
            continue
        line = {"index": index} | (frame if base is None else difference(frame, base))
        base = base or frame
        piece = compressor.compress(json.dumps(line).encode() + b"\n") + compressor.flush(zlib.Z_SYNC_FLUSH)
        if sum(map(len, pieces)) + len(piece) > MAX_BYTES:
            break
        pieces.append(piece)
        yield piece
    pieces.append(compressor.flush())
    FRAMES.keep(recipe.token, b"".join(pieces))
    yield pieces[-1]


def frame_at(recipe: Recipe, stop: str) -> dict[str, Any] | None:
    """What the view draws at one stop: ``figures`` by key, ``numbers``, ``images``, and the sentence ``says``.

    None without a result.
    """
    setting = replace(recipe.setting, values={**recipe.setting.values, recipe.key: stop})
    result = result_at(recipe.view, setting, recipe.screen)
    return None if result is None else pack(result.parts, recipe.screen, recipe.available)


def result_at(view: View, setting: Setting, screen: Screen) -> Result | None:
    """What a view draws from results that are shipped or remembered; None where something would have to be computed."""
    try:
        needs = view.needs(setting) if view.needs is not None else ()
        if needs is None:
            return None
        single = isinstance(needs, Need)
        studies = [known(need) for need in ([needs] if single else needs)]
        if any(study is None for study in studies):
            return None
        study = (studies[0] if single else studies) if view.needs is not None else None
        return view.draw(setting, screen, study)
    except InvalidInput:
        return None


def pack(parts: Sequence[Part], screen: Screen, available: int | None) -> dict[str, Any]:
    """The pictures, numbers and the sentence among the parts of a page, ready for JSON."""
    first = next((part for part in parts if any(isinstance(each, Figure | Sheet) for each in _shown([part]))), None)
    main = [] if first is None else [*_shown([first])]
    figures, images = {}, []
    for part in _shown(parts):
        match part:
            case Figure():
                figures[part.key] = _figure(part, available if part in main else None, screen)
            case Sheet():
                picture = plots.image_grid(part.images, part.columns, theme=screen.theme, scale=part.scale)
                images.append(base64.b64encode(picture).decode())
            case _:
                pass
    return {"figures": figures, "images": images, **told(parts)}


def told(parts: Sequence[Part]) -> dict[str, Any]:
    """The key numbers and the sentence among the parts of a page, as the browser writes them during a drag."""
    rows = [[value for _, value, _ in part.values] for part in _shown(parts) if isinstance(part, Numbers)]
    return {"numbers": rows[-1] if rows else [], "says": sentence_of(parts)}


def _shown(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts that are on the page at once, those in columns, too; without parts that are computed later."""
    for part in parts:
        if isinstance(part, Columns):
            for column in part.columns:
                yield from _shown(column)
        else:
            yield part


def _figure(part: Figure, available: int | None, screen: Screen) -> dict[str, Any]:
    figure: Any = part.figure
    if available is not None:
        figure.update_layout(height=room.fitted(figure.layout.height, available, screen.is_presenting))
    if screen.is_narrow:
        legend.in_words(figure, screen.theme)
    values = figure.to_dict()
    return {"data": [_plain(trace) for trace in values["data"]], "layout": _plain(values["layout"])}


def _plain(value: Any) -> Any:
    """The value for JSON; arrays in single precision where that is enough for a picture on a screen."""
    if isinstance(value, Mapping):
        if "bdata" in value and value.get("dtype") == "f8":
            numbers = compact(np.frombuffer(base64.b64decode(value["bdata"]), "<f8"))
            kind = f"f{numbers.itemsize}"
            return {**value, "dtype": kind, "bdata": base64.b64encode(numbers.astype(f"<{kind}").tobytes()).decode()}
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def difference(frame: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """A frame without what it shares with ``base``: traces and layouts hold changed entries only, None for absent ones.

    A figure with other traces than in ``base`` is whole, and says so with ``"whole": true``.
    """
    figures = {}
    for key, figure in frame["figures"].items():
        other = base["figures"].get(key)
        if other is None or not _is_alike(figure["data"], other["data"]):
            figures[key] = {**figure, "whole": True}
            continue
        traces = [_changes(new, old) for new, old in zip(figure["data"], other["data"], strict=True)]
        figures[key] = {"data": traces, "layout": _changes(figure["layout"], other["layout"])}
    images = [None if old == new else new for new, old in _paired(frame["images"], base["images"])]
    return {"figures": figures, "images": images, "numbers": frame["numbers"], "says": frame["says"]}


def _is_alike(traces: Sequence[Any], others: Sequence[Any]) -> bool:
    kinds = [[trace.get("type") for trace in each] for each in (traces, others)]
    return kinds[0] == kinds[1]


def _paired(new: Sequence[Any], old: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    return ((each, old[index] if index < len(old) else None) for index, each in enumerate(new))


def _changes(new: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    changed = {key: value for key, value in new.items() if old.get(key) != value}
    return changed | {key: None for key in old if key not in new}
