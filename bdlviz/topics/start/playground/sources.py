"""The scripts of the view in the browser, joined to two texts: the engine, and the view with its style sheet."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from bdlviz.ui.scrub import live

OWN = Path(__file__).resolve().parent / "client"
SCRIPTS = ("code", "table", "plane", "inside", "challenges", "drawers", "tools")


@cache
def view() -> str:
    """The view as one ES module."""
    return live.view([OWN / f"{name}.js" for name in SCRIPTS])


@cache
def css() -> str:
    """The style sheets of the view."""
    return live.css([OWN / "playground.css"])


@cache
def module() -> str:
    """The module that Streamlit loads."""
    return live.module(view(), css())


def read(name: str) -> str:
    """A file of the view."""
    return (OWN / name).read_text(encoding="utf-8")
