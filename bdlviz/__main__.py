"""The command line: ``python -m bdlviz train --all``, ``train NAME ...``, ``check``."""

from __future__ import annotations

import argparse
import platform
import sys
import time
from typing import Any

import numpy as np

from bdlviz import __version__, checkpoints, data, shelf
from bdlviz.errors import InvalidInput
from bdlviz.recipes import RECIPES


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bdlviz", description="Train and check the shipped checkpoints.")
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="train shipped checkpoints again")
    train.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RECIPES))
    train.add_argument("--all", action="store_true", help="all of them")
    commands.add_parser("check", help="compare the shipped checkpoints with their manifest and read each")
    options = parser.parse_args(arguments)
    try:
        if options.command == "check":
            return _check()
        return _train(list(RECIPES) if options.all else options.names)
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return 1


def _train(names: list[str]) -> int:
    if not names:
        print(f"Name what to train, or --all: {', '.join(RECIPES)}", file=sys.stderr)
        return 2
    for name in names:
        recipe = RECIPES[name]
        if recipe.needs and not data.available(recipe.needs):
            print(f"{name}: left as it is, since {recipe.needs} is not here (set BDLVIZ_DATA to its folder).")
            continue
        start = time.perf_counter()
        fit, extra = recipe.make()
        seconds = time.perf_counter() - start
        content = checkpoints.to_bytes(fit, half=recipe.half, extra=extra)
        shelf.put(name, content, _entry(name, fit.config, extra, seconds))
        print(f"{name}: {len(content) / 1e6:.2f} MB in {seconds:.1f} s")
    return 0


def _entry(name: str, config: Any, extra: dict[str, Any], seconds: float) -> dict[str, Any]:
    import torch

    return {
        "title": RECIPES[name].title,
        "config": checkpoints.config_to_json(config),
        "metrics": {key: round(float(np.nanmin(a)), 4) for key, a in extra.items() if key in ("nll", "rmse")},
        "versions": {"bdlviz": __version__, "torch": torch.__version__, "numpy": np.__version__},
        "platform": platform.machine(),
        "seconds": round(seconds, 1),
        "command": f"python -m bdlviz train {name}",
    }


def _check() -> int:
    problems = 0
    for name in sorted({*RECIPES, *shelf.manifest()}):
        try:
            shelf.check(name)
            print(f"{name}: fine")
        except InvalidInput as error:
            problems += 1
            print(f"{name}: {error}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
