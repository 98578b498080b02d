"""The command line: ``python -m bdlviz train --all``, ``train NAME ...``, ``check``, ``register``, ``measure NAME``."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np

from bdlviz import __version__, bundles, checkpoints, data, published, shelf
from bdlviz.errors import InvalidInput
from bdlviz.recipes import BUNDLES, GROUPS, RECIPES

DESCRIPTION = "Train and check the shipped checkpoints; measure and print the register of published numbers."
METRICS = {  # the best of a grid or of the seeds, or their mean
    "nll": np.nanmin,
    "rmse": np.nanmin,
    "test_elbo": np.max,
    "bound_importance": np.max,
    "accuracy": np.mean,
    "ece": np.mean,
}


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bdlviz", description=DESCRIPTION)
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="train shipped checkpoints again")
    train.add_argument("names", nargs="*", metavar="NAME", help=", ".join([*GROUPS, *RECIPES, *BUNDLES]))
    train.add_argument("--all", action="store_true", help="all of them")
    commands.add_parser("check", help="compare the shipped checkpoints with their manifest and read each")
    numbers = commands.add_parser("register", help="print the register of published numbers")
    numbers.add_argument("--json", action="store_true", help="as a list of rows")
    measure = commands.add_parser("measure", help="measure what a row of the register says")
    measure.add_argument("name", choices=tuple(published.MEASUREMENTS))
    options = parser.parse_args(arguments)
    try:
        if options.command == "check":
            return _check()
        if options.command == "register":
            return _register(options.json)
        if options.command == "measure":
            return _measure(options.name)
        return _train([*RECIPES, *BUNDLES] if options.all else options.names)
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return 1


def _train(names: list[str]) -> int:
    if not names:
        print(f"Name what to train, or --all: {', '.join([*RECIPES, *BUNDLES])}", file=sys.stderr)
        return 2
    for name in [each for given in names for each in GROUPS.get(given, (given,))]:
        if name in BUNDLES:
            _make_bundle(name)
            continue
        recipe = RECIPES[name]
        if recipe.needs and not data.available(recipe.needs):
            print(f"{name}: left as it is, since {recipe.needs} is not here (set BDLVIZ_DATA to its folder).")
            continue
        start = time.perf_counter()
        fit, extra = recipe.make()
        seconds = time.perf_counter() - start
        kept = fit if recipe.keeps_weights else replace(fit, params={})
        content = checkpoints.to_bytes(kept, half=recipe.half, extra=extra)
        shelf.put(name, content, _entry(name, fit.config, extra, seconds))
        print(f"{name}: {len(content) / 1e6:.2f} MB in {seconds:.1f} s")
    return 0


def _make_bundle(name: str) -> None:
    start = time.perf_counter()
    recipe = BUNDLES[name]
    arrays = recipe.make()
    content = checkpoints.bundle_to_bytes(arrays, recipe.settings)
    seconds = time.perf_counter() - start
    shelf.put(name, content, {"settings": recipe.settings} | _made(name, recipe.title, arrays, seconds))
    print(f"{name}: {len(content) / 1e6:.2f} MB in {seconds:.1f} s")


def _entry(name: str, config: Any, extra: dict[str, Any], seconds: float) -> dict[str, Any]:
    return {
        "config": checkpoints.config_to_json(config),
        "is_without_weights": not RECIPES[name].keeps_weights,
        **_made(name, RECIPES[name].title, extra, seconds),
    }


def _made(name: str, title: str, arrays: dict[str, Any], seconds: float) -> dict[str, Any]:
    """What every entry of the manifest says."""
    import torch

    return {
        "title": title,
        "metrics": {key: round(float(best(arrays[key])), 4) for key, best in METRICS.items() if key in arrays},
        "versions": {"bdlviz": __version__, "torch": torch.__version__, "numpy": np.__version__},
        "platform": platform.machine(),
        "seconds": round(seconds, 1),
        "command": f"python -m bdlviz train {name}",
    }


def _check() -> int:
    problems = 0
    for name in sorted({*RECIPES, *BUNDLES, *shelf.manifest()}):
        try:
            bundles.shipped(name, BUNDLES[name].settings) if name in BUNDLES else shelf.check(name)
            print(f"{name}: fine")
        except InvalidInput as error:
            problems += 1
            print(f"{name}: {error}", file=sys.stderr)
    return 1 if problems else 0


def _register(as_json: bool) -> int:
    rows = published.rows()
    print(json.dumps(published.as_json(rows), indent=1, ensure_ascii=False) if as_json else published.table(rows))
    return 0


def _measure(name: str) -> int:
    start = time.perf_counter()
    published.measure(name)
    rows = [row for row in published.rows() if row.command.endswith(f" {name}")]
    print(f"{published.table(rows)}\n\nmeasured in {time.perf_counter() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
