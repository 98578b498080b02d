"""Where a quoted number comes from: a number on a page, or a function of the shipped results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from bdlviz.fitted import bundles, shelf
from bdlviz.studies.study import ArrayStudy
from bdlviz.types import Array
from tests.quoted.texts import NUMBER
from tests.ui.harness import open_page

Source = Callable[[], float]


def shown(page: str, label: str, nth: int = 0, **link: str) -> Source:
    """A number under the picture of a page with this link: the ``nth`` one of what stands under ``label``."""
    return lambda: _numbers(_metrics(page, tuple(link.items()))[label])[nth]


def said(page: str, pattern: str, **link: str) -> Source:
    """A number in the words of a page with this link: the first group of a regular expression."""

    def read() -> float:
        words = _words(page, tuple(link.items()))
        found = re.search(pattern, words)
        assert found is not None, f"{pattern!r} does not stand on {page}: {words[:2000]}"
        return _numbers(found[1])[0]

    return read


def column(page: str, name: str, **link: str) -> Array:
    """A column of the table of a page with this link."""
    return open_page(page, link).dataframe[0].value[name].to_numpy(float)


def results(name: str) -> dict[str, Array]:
    """The arrays beside a shipped fit, in double precision where they are floats."""
    return _doubles(shelf.shipped(name)[1])


def bundle(name: str, studies: dict[str, ArrayStudy]) -> dict[str, Array]:
    """The arrays of a shipped bundle, in double precision where they are floats."""
    return _doubles(bundles.shipped(name, studies[name].settings))


def _doubles(arrays: dict[str, Array]) -> dict[str, Array]:
    return {
        name: array.astype(float) if np.issubdtype(array.dtype, np.floating) else array
        for name, array in arrays.items()
    }


def _numbers(text: str) -> list[float]:
    found = re.findall(rf"[-−]?(?:{NUMBER})", text)
    return [float(each.replace("−", "-").replace(",", "")) for each in found]


@cache
def _metrics(page: str, link: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return {metric.label: metric.value for metric in open_page(page, dict(link)).metric}


@cache
def _words(page: str, link: tuple[tuple[str, str], ...]) -> str:
    return "\n".join(_texts(page, link))


def _texts(page: str, link: tuple[tuple[str, str], ...]) -> Iterator[str]:
    app = open_page(page, dict(link))
    for kind in ("caption", "markdown"):
        yield from (element.value for element in app.get(kind))  # type: ignore[attr-defined]
    for chart in app.get("plotly_chart"):
        yield chart.proto.alt  # type: ignore[attr-defined]
