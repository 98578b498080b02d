"""Import of torchvision's standard wheel with torch's CPU build: some peers import it, but no benchmark uses it."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

OPERATORS = ("nms", "qnms")  # operators that torchvision refers to when it is imported


@cache
def declare_operators() -> Any:
    """Make torchvision importable if its compiled operators need CUDA's libraries, which are missing.

    Without its operators the import of torchvision fails, so they are declared here by name, without code. The returned
    object must be kept: the names exist as long as it exists.
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
