"""The register of published numbers: what a source prints, what we measure, and whether the two agree.

A claim is one declaration in `CLAIMS`; a measurement is a function in `MEASUREMENTS` that gives one value per seed for
each claim it covers. `python -m bdlviz measure NAME` runs one and keeps its values in ``checkpoints/register.json``;
`python -m bdlviz register` prints every claim with its verdict, which follows from the values and the tolerance.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from bdlviz import data, shelf
from bdlviz.checkpoints import write_atomically
from bdlviz.errors import InvalidInput
from bdlviz.fits import GenerativeFit, fit
from bdlviz.types import Array

PATH = shelf.FOLDER / "register.json"
Verdict = Literal["reproduced", "contradicted", "unverified"]
Values = Mapping[str, Sequence[float]]  # claim -> one value for each seed


@dataclass(frozen=True)
class Within:
    """The mean over seeds may differ by so much from the published value."""

    distance: float

    def accepts(self, values: Sequence[float], published: float) -> bool:
        return bool(abs(np.mean(values) - published) <= self.distance)

    def __str__(self) -> str:
        return f"± {self.distance:g}"


@dataclass(frozen=True)
class AsOneRun(Within):
    """As `Within`; or the published value, which is one run's, lies within two standard deviations of single runs."""

    def accepts(self, values: Sequence[float], published: float) -> bool:
        is_usual = len(values) > 1 and abs(np.mean(values) - published) <= 2 * np.std(values, ddof=1)
        return super().accepts(values, published) or bool(is_usual)

    def __str__(self) -> str:
        return f"{super().__str__()}, or 2 sd of single runs"


@dataclass(frozen=True)
class AtLeast:
    """The mean over seeds may be better than published, which is larger, but not below a limit."""

    limit: float

    def accepts(self, values: Sequence[float], published: float) -> bool:
        return bool(np.mean(values) >= self.limit)

    def __str__(self) -> str:
        return f"≥ {self.limit:g}"


@dataclass(frozen=True)
class Claim:
    """One published number. ``measurement`` names the function of `MEASUREMENTS` that measures it; "" if none does."""

    name: str
    source: str
    quantity: str
    published: float
    unit: str
    tolerance: Within | AtLeast
    measurement: str = ""
    is_lecture: bool = False  # the lecture's own: may not stay unverified


@dataclass(frozen=True)
class Row:
    """A claim beside what was measured. ``ours`` is the mean over seeds, ``spread`` their standard deviation."""

    name: str
    source: str
    quantity: str
    published: float
    unit: str
    tolerance: str
    ours: float | None
    spread: float | None
    values: tuple[float, ...]
    verdict: Verdict
    command: str


# Claims ---------------------------------------------------------------------------------------------------------------

LECTURE_VAE = "Lee, lecture slides on Bayesian deep learning: VAE on MNIST-1000, z = 20"
# One run's log. Its first epoch scatters: 60 seeds have mean -403.7 and sd 4.0 there, and at most 1.5 later.
VAE_LOG = (-400.16, -218.88, -206.14, -202.25, -200.18, -197.61)

CLAIMS: tuple[Claim, ...] = (
    *(
        Claim(
            f"vae_log_{epoch}",
            LECTURE_VAE,
            f"training ELBO, mean over the minibatches of epoch {epoch}",
            published,
            "nats per image",
            AsOneRun(2),
            "vae_log",
            is_lecture=True,
        )
        for epoch, published in enumerate(VAE_LOG, 1)
    ),
    Claim(
        "vae_train_100",
        LECTURE_VAE,
        "training ELBO after 100 epochs (the log says about -111)",
        -111,
        "nats per image",
        AtLeast(-113),
        "vae_log",
        is_lecture=True,
    ),
    Claim(
        "vae_test_100",
        LECTURE_VAE,
        "test ELBO after 100 epochs (the log says about -130), by Monte Carlo over codes",
        -130,
        "nats per image",
        AtLeast(-132),
        "vae_log",
        is_lecture=True,
    ),
)


# Measurements ---------------------------------------------------------------------------------------------------------

VAE_SEEDS = (0, 1, 2, 3, 4)


def vae_log() -> Values:
    """The lecture's VAE over five seeds: its training log, and the bound of the held-out images at the end."""
    dataset = data.load("mnist-1000")
    whole = fit("vae", dataset, latent_dim=20, seed=VAE_SEEDS)
    fits = [cast(GenerativeFit, whole.cell(seed=seed)) for seed in VAE_SEEDS]
    logs = np.array([each.history["elbo"] for each in fits])
    values = {f"vae_log_{epoch}": logs[:, epoch - 1] for epoch in range(1, len(VAE_LOG) + 1)}
    values["vae_train_100"] = logs[:, -1]
    values["vae_test_100"] = np.array([each.elbo(dataset.x_test, 20).mean() for each in fits])
    return {name: _plain(array) for name, array in values.items()}


MEASUREMENTS: dict[str, Callable[[], Values]] = {"vae_log": vae_log}


def _plain(array: Array) -> list[float]:
    return [round(float(value), 4) for value in array]


# The register ---------------------------------------------------------------------------------------------------------


def rows(path: Path = PATH, claims: Sequence[Claim] = CLAIMS) -> list[Row]:
    """Every claim with its measured values and verdict."""
    measured = read(path)
    return [_row(claim, measured.get(claim.name, [])) for claim in claims]


def _row(claim: Claim, values: Sequence[float]) -> Row:
    mean = float(np.mean(values)) if values else None
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Row(
        claim.name,
        claim.source,
        claim.quantity,
        claim.published,
        claim.unit,
        str(claim.tolerance),
        mean,
        spread,
        tuple(values),
        _verdict(claim, values),
        f"python -m bdlviz measure {claim.measurement}" if claim.measurement else "",
    )


def _verdict(claim: Claim, values: Sequence[float]) -> Verdict:
    if not values:
        return "unverified"
    return "reproduced" if claim.tolerance.accepts(values, claim.published) else "contradicted"


def measure(name: str, path: Path = PATH) -> None:
    """Run a measurement and keep its values, one for each seed of every claim it covers."""
    if name not in MEASUREMENTS:
        raise InvalidInput(f"There is no measurement {name!r}: choose one of {', '.join(MEASUREMENTS)}.")
    found = {claim: list(values) for claim, values in MEASUREMENTS[name]().items()}
    text = json.dumps(dict(sorted((read(path) | found).items())), indent=1)
    write_atomically(path, (text + "\n").encode())


def read(path: Path = PATH) -> dict[str, list[float]]:
    """The measured values of every claim; nothing where nothing was measured."""
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): [float(value) for value in values] for name, values in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        raise InvalidInput(f"{path.name} is damaged: restore it, or measure again.") from None


def as_json(found: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows as plain values."""
    return [asdict(row) for row in found]


def table(found: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| Source | Quantity | Published | Ours (sd over seeds) | Tolerance | Verdict |",
        "|---|---|---|---|---|---|",
    ]
    for row in found:
        ours = "" if row.ours is None else f"{row.ours:.2f}"
        spread = "" if row.spread is None else f" ({row.spread:.2f}, {len(row.values)} seeds)"
        cells = (row.source, row.quantity, f"{row.published:g} {row.unit}", ours + spread, row.tolerance, row.verdict)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
