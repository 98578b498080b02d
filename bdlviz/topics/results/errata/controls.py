"""The controls of the page of errata: the menu, and where and why the chosen formula is wrong."""

from __future__ import annotations

from urllib.parse import urlencode

from bdlviz.errata import ERRATA, Erratum
from bdlviz.ui.controls.control import Control
from bdlviz.ui.model import Note, Setting

ERRATUM = Control(
    "erratum",
    "Erratum",
    tuple(ERRATA),
    "mask-per-point",
    "menu",
    names={name: erratum.title for name, erratum in ERRATA.items()},
)


def chosen(setting: Setting) -> Erratum:
    """The erratum of the menu."""
    return ERRATA[setting[ERRATUM]]


def address_of(erratum: Erratum) -> str:
    """The address of the page that uses the right formula."""
    return erratum.page.split("/")[-1] + (f"?{urlencode(erratum.query)}" if erratum.query else "")


CONTROLS = (
    ERRATUM,
    Note(lambda setting: f"**Why.** {chosen(setting).why}", "markdown"),
    Note(lambda setting: f"In use: [{chosen(setting).link}]({address_of(chosen(setting))})", "markdown"),
)
