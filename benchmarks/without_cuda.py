"""torchvision's ordinary wheel beside torch's CPU build: some peers import it, and none of what is measured uses it."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

OPERATORS = ("nms", "qnms")  # what torchvision describes to torch as it is imported


@cache
def declare_operators() -> Any:
    """Let torchvision be imported where its compiled operators want CUDA's libraries; nothing is done elsewhere.

    Without its operators torchvision fails at the first one that it describes to torch, so they get their names here,
    and no code. What is returned keeps the names alive.
    """
    spec = find_spec("torchvision")
    compiled = next(Path(spec.origin).parent.glob("_C*.so"), None) if spec and spec.origin else None
    if compiled is None:
        return None
    import torch

    try:
        torch.ops.load_library(str(compiled))
        return None
    except OSError:
        library = torch.library.Library("torchvision", "DEF")
        for name in OPERATORS:
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        return library
