"""Two settings side by side, as values: the one that the controls hold, and the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from bdlviz.methods import METHODS
from bdlviz.ui.controls.control import Control

OTHER = "other"  # key of the other setting, in the link and in the setting of the page
DEFAULTS = "defaults"  # how the link says that the other setting is the default one
MAX_LINK = 600  # characters of a link's other setting that are read
SHORT = {"dropout_rate": "p", "weight_decay": "λ", "num_members": "members"}

Values = dict[str, str]  # control key -> option; what is missing is at its default


@dataclass(frozen=True)
class Comparison:
    """The setting that the controls do not hold, and which of the two they hold."""

    other: Values
    active: str = "b"
    difference: bool = False

    @property
    def labels(self) -> tuple[str, str]:
        """Of the active and of the other side."""
        return ("A", "B") if self.active == "a" else ("B", "A")

    @property
    def opposite(self) -> str:
        """The side that the controls do not hold."""
        return "a" if self.active == "b" else "b"


def written(other: Values) -> str:
    """A setting as text for the link."""
    return urlencode(other) or DEFAULTS


def read(text: str, controls: Sequence[Control]) -> Values | None:
    """The setting that `written` wrote, options of the controls only; None for an empty text."""
    if not text:
        return None
    given = dict(parse_qsl("" if text == DEFAULTS else text[:MAX_LINK]))
    read_options = {c.key: c.read(given[c.key])[0] for c in controls if c.key in given}
    return {c.key: read_options[c.key] for c in controls if read_options.get(c.key, c.default) != c.default}


def describe(setting: Mapping[str, str], against: Mapping[str, str], controls: Sequence[Control]) -> str:
    """A panel's title: the method, its hyper-parameters, and whatever else differs between the two settings."""
    full = {control.key: setting.get(control.key, control.default) for control in controls}
    name = full.get("method", "mc_dropout")
    own = {parameter.name for parameter in METHODS[name].hyperparameters} | {"weight_decay"}
    parts = [METHODS[name].title]
    for control in controls:
        differs = full[control.key] != against.get(control.key, control.default)
        if control.key in own and (control.key in SHORT or differs):
            parts.append(f"{SHORT.get(control.key, control.label)} {control.name(full[control.key])}")
        elif differs and control.key != "method" and not _belongs_to_a_method(control.key):
            parts.append(f"{control.label} {control.name(full[control.key])}")
    return " · ".join(parts)


def _belongs_to_a_method(key: str) -> bool:
    return any(spec.hyperparameter(key) is not None for spec in METHODS.values())
