"""Needs of shipped fits. If a file is missing or damaged, the page says so, and the fit is trained again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.types import Array
from bdlviz.ui.cache import memoised
from bdlviz.ui.controls.control import Control
from bdlviz.ui.model import Look, Need

Found = TypeVar("Found")
IMAGES = Control(
    "images",
    "Images",
    ("mnist", "digits"),
    "mnist",
    "buttons",
    "The first 100 images of each class of MNIST, or scikit-learn's 8x8 digits.",
    {"mnist": "MNIST-1000", "digits": "8×8 digits"},
)
SHAPES = {"mnist": (28, 28), "digits": (8, 8)}

LONG = ("60000", "concrete")  # parts of the names of fits whose training takes too long for a page

_training = threading.Lock()


def shipped_need(
    *names: str, read: Callable[[list[tuple[Fit, dict[str, Array]]]], Found], name: str = ""
) -> Need[Found]:
    """The need of a value that ``read`` computes from shipped fits and the arrays stored with them.

    A fit that cannot be read is trained again, unless its training takes too long for a page.
    """
    slow = [each for each in names if any(part in each for part in LONG)]

    def train(look: Look, cancel: threading.Event) -> list[tuple[Fit, dict[str, Array]]]:
        return [shipped_or_made(each, cancel) for each in names]

    instead = "; choose MNIST-1000 meanwhile" if any("60000" in each for each in slow) else ""
    return Need(
        names,
        shipped=lambda: read([shelf.shipped(each) for each in names]),
        work=None if slow else train,
        read=read,
        missing=f"`python -m bdlviz train {' '.join(slow)}` makes it in some minutes{instead}." if slow else "",
        name=name,
    )


def shipped_or_made(name: str, cancel: threading.Event) -> tuple[Fit, dict[str, Array]]:
    """A shipped fit and the arrays stored with it; trained again if it cannot be read.

    Raises:
        InvalidInput: the job was stopped before the training.
    """
    with suppress(CheckpointError):
        return shelf.shipped(name)
    if cancel.is_set():
        raise InvalidInput("The training was stopped.")
    return _made(name)


def _made(name: str) -> tuple[Fit, dict[str, Array]]:
    with _training:  # one training at a time in this process; later callers get the cached result
        return _trained(name)


@memoised()
def _trained(name: str) -> tuple[Fit, dict[str, Array]]:
    from bdlviz.studies.registry import STUDIES  # imports all studies, so only when a fit must be trained again

    return STUDIES[name].make()
