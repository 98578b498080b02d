"""Opens scenes as a machine without MNIST's full files and without a network shows them, and prints what they show.

``python -m tests.ui.fresh_machine`` prints a line of JSON: what each scene says, hashes of what it draws, whether its
controls ask for 8x8 digits, and which 8x8 digits it looked at.
"""

from __future__ import annotations

import hashlib
import json
import socket
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn
from urllib.parse import urlencode

import sklearn.datasets
from streamlit.testing.v1 import AppTest

from bdlviz.fitted import shelf
from tests.ui.harness import PAGES, PICTURES, controls, open_page, scenes

SECTIONS = ("digits", "generative", "weights", "results")
RECORD = "record-relu"  # of *Function draws*
SMALL = ({"look": "collapse"}, {"noise_look": "tested"})  # views of 8x8 digits alone; they say so
LOCAL = ("127.0.0.1", "::1", "localhost")


def chosen() -> list[tuple[str, dict[str, str]]]:
    """Page and link: every scene, and every kind of MNIST on offer; 8x8 digits last, since they stay in memory then."""
    pages = [name for name, path in PAGES.items() if path.parent.name in SECTIONS]
    found = [("function_draws", {"scene": RECORD})]
    for page in pages:
        found += [(page, {"scene": scene}) for scene in scenes(page)]
        offers = {key: control.options for key, control in controls(page).items() if "digits" in control.options}
        found += [(page, {key: each}) for key, options in offers.items() for each in options if each != "digits"]
    return sorted(found, key=lambda asked: chooses_small(*asked))


def chooses_small(page: str, link: Mapping[str, str]) -> bool:
    """Do the controls ask for 8x8 digits?"""
    settings = {key: control.default for key, control in controls(page).items()} | dict(link)
    if "scene" in link:
        settings |= scenes(page)[link["scene"]].values
    return "digits" in settings.values() or any(view.items() <= settings.items() for view in SMALL)


def cut(address: object) -> NoReturn:
    """Stands in the network's place."""
    raise AssertionError(f"A page asked for {address}.")


def spied(function: Callable[..., Any], note: Callable[..., object]) -> Callable[..., Any]:
    """The function, which notes its arguments."""

    def call(*given: Any, **options: Any) -> Any:
        note(*given, **options)
        return function(*given, **options)

    return call


def shown(app: AppTest) -> Iterator[str]:
    """Everything that is said, and a hash of every picture."""
    for kind in ("caption", "markdown", "latex", "error", "warning", "info"):
        yield from (element.value for element in app.get(kind))  # type: ignore[attr-defined]
    yield from (f"{metric.label} {metric.value}" for metric in app.metric)
    yield from (str(slider.value) for slider in app.select_slider)
    for kind in PICTURES:
        for element in app.get(kind):
            yield f"{kind} {hashlib.sha256(element.proto.SerializeToString()).hexdigest()}"  # type: ignore[attr-defined]


def main() -> None:
    """Open every scene."""
    connect, looked_at = socket.socket.connect, set[str]()

    def connect_locally(self: socket.socket, address: Any) -> None:
        connect(self, address) if self.family == socket.AF_UNIX or address[0] in LOCAL else cut(address)

    socket.socket.connect = connect_locally  # type: ignore[method-assign]
    sklearn.datasets.load_digits = spied(sklearn.datasets.load_digits, lambda: looked_at.add("digits"))
    shelf.shipped = spied(shelf.shipped, lambda name, *_: looked_at.add(name) if "_digits" in name else None)
    found = {}
    for page, link in chosen():
        looked_at.clear()
        app = open_page(page, link | {"guess": "no"})
        found[f"{page}?{urlencode(link)}"] = {
            "shown": list(shown(app)),
            "problems": [str(each.value) for each in (*app.exception, *app.error, *app.warning)],
            "is_small_by_choice": chooses_small(page, link),
            "small": sorted(looked_at),
        }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
