"""The functions between a slider and its figure: ``python -m scripts.trace_slider [PAGE KEY OPTION]``.

A page is run in a process without a browser, and again after the slider has moved. The library is asked for four
things in between: a configuration, a fit, a prediction, a figure. The functions above the library (``bdlviz.ui``,
``bdlviz.topics``, ``pages``) that are on the stack at these moments are those that a reader must follow from the slider
to the figure; they are printed and counted. Helpers that have returned before are not counted.
"""

from __future__ import annotations

import argparse
import logging
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[1]
ABOVE = ("bdlviz/ui/", "bdlviz/topics/", "pages/")  # the part of the project above the library
ASKED = {  # function of the library, or of Streamlit for a figure -> its purpose
    "bdlviz/settings.py:configure": "configuration",
    "bdlviz/fitted/shelf.py:find": "fit",
    "bdlviz/fits.py:run": "fit",
    "bdlviz/fitted/fit.py:predict": "prediction",
    "bdlviz/ui/frame/look.py:figure": "figure",
    "bdlviz/ui/scrub/picture.py:show": "figure",
}
SECONDS = 120


@dataclass
class Trace:
    """The calls of one run of a page, until the figure is given to Streamlit."""

    stack: list[str] = field(default_factory=list)
    steps: dict[str, str] = field(default_factory=dict)  # function on the stack -> purpose when first seen
    is_done: bool = False

    def hear(self, frame: FrameType, event: str, _: Any) -> None:
        """A profile function."""
        name = None if self.is_done else _name(frame)
        if name is None:
            return
        if event == "call":
            self._enter(name)
        elif event == "return" and self.stack and self.stack[-1] == name:
            self.stack.pop()

    def _enter(self, name: str) -> None:
        if name.startswith(ABOVE):
            self.stack.append(name)
        if (asked := ASKED.get(name)) is not None:
            for under_way in self.stack:
                self.steps.setdefault(under_way, asked)
            self.is_done = asked == "figure"


def _name(frame: FrameType) -> str | None:
    """``path:function`` of a counted function; None for others, and for lambdas and comprehensions."""
    path = Path(frame.f_code.co_filename)
    if not path.is_relative_to(ROOT) or frame.f_code.co_name.startswith("<"):
        return None
    name = f"{path.relative_to(ROOT).as_posix()}:{frame.f_code.co_name}"
    return name if name.startswith(ABOVE) or name in ASKED else None


def trace(page: str, key: str, option: str) -> Trace:
    """The calls after a move of a slider."""
    app = AppTest.from_file(ROOT / "pages" / f"{page}.py", default_timeout=SECONDS).run()
    slider = next(each for each in app.get("select_slider") if getattr(each, "key", None) == key)
    slider.set_value(option)  # type: ignore[attr-defined]
    found = Trace()
    threading.setprofile(found.hear)
    try:
        app.run()
    finally:
        threading.setprofile(None)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the functions between a slider and its figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", nargs="?", default="regression/function_draws")
    parser.add_argument("key", nargs="?", default="dropout_rate")
    parser.add_argument("option", nargs="?", default="0.5")
    options = parser.parse_args(arguments)
    logging.disable(logging.WARNING)
    found = trace(options.page, options.key, options.option)
    print(f"From the slider {options.key} of {options.page} to the figure, functions above the library:")
    for number, (name, asked) in enumerate(found.steps.items(), 1):
        print(f"{number:4}  for the {asked:14} {name}")
    print(f"{len(found.steps)} functions.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
