"""The register of published numbers: what a source prints, what we measure, and whether the two agree.

A claim is one declaration in `CLAIMS`; a measurement is a function in `MEASUREMENTS` that gives one value per seed for
each claim it covers. `python -m bdlviz measure NAME` runs one and keeps its values in ``checkpoints/register.json``;
`python -m bdlviz register` prints every claim with its verdict, which follows from the values and the tolerance.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from bdlviz import data, shelf
from bdlviz.checkpoints import write_atomically
from bdlviz.errors import InvalidInput
from bdlviz.fits import GenerativeFit, fit
from bdlviz.models.likelihoods import Categorical
from bdlviz.predictive.calibration import accuracy
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

    @property
    def decimals(self) -> int:
        """How many of our number say something beside the published one."""
        return 2 if abs(self.published) >= 10 else 3


# Claims ---------------------------------------------------------------------------------------------------------------

LECTURE_VAE = "Lee, lecture slides on Bayesian deep learning: VAE on MNIST-1000, z = 20"
# One run's log. Its first epoch scatters: 60 seeds have mean -403.7 and sd 4.0 there, and at most 1.5 later.
VAE_LOG = (-400.16, -218.88, -206.14, -202.25, -200.18, -197.61)

LECTURE_DIGITS = "Lee, lecture slides on Bayesian deep learning: MC dropout on MNIST-1000"
# One run's log, epochs 1 to 10, at a dropout rate that the slides leave out; 0.5 is the one that gives these numbers.
DIGITS_LOG = {
    "cross_entropy": (1.9796, 1.0945, 0.7152, 0.5239, 0.4333, 0.3665, 0.2764, 0.2257, 0.2041, 0.1645),
    "penalty": (54.3, 51.4, 49.9, 49.2, 48.8, 48.7, 48.7, 48.9, 49.1, 49.3),
    "accuracy": (33.6, 68.6, 76.0, 83.1, 86.2, 89.1, 92.6, 93.6, 94.5, 95.0),
}
DIGITS_UNIT = {
    "cross_entropy": "nats per label",
    "penalty": "10⁻³ nats per label",
    "accuracy": "% of training digits",
}
LECTURE_TABLE = "Lee, lecture slides on Bayesian deep learning: test accuracy, 1,000 training digits"
# Mean over repeats, in %: by one pass without masks, and by Monte Carlo; None where the table has no such number.
ACCURACY_TABLE: dict[str, tuple[float, float | None]] = {
    "map": (89.37, None),
    "mc_dropout": (90.07, 90.17),
    "concrete_dropout": (90.23, 90.20),
    "variational_dropout": (88.77, 89.60),
}
ACCURACY_SD: dict[str, tuple[float, float | None]] = {  # of single runs, as printed
    "map": (0.32, None),
    "mc_dropout": (0.44, 0.23),
    "concrete_dropout": (0.21, 0.32),
    "variational_dropout": (0.53, 0.56),
}
ACCURACY_TITLES = {
    "map": "base network",
    "mc_dropout": "MC dropout",
    "concrete_dropout": "concrete dropout",
    "variational_dropout": "variational dropout",
}
WAYS = {"one_pass": "one pass without masks", "monte_carlo": "Monte Carlo"}


AUTHORS_CONCRETE = "Gal, Hron & Kendall: synthetic study in the repository of Concrete dropout (2017)"
# Mean over three repeats: dropout rate of hidden layers and of the input, aleatoric and epistemic standard deviation.
AUTHORS_STUDY = {
    10: (0.40, 0.076, 1.26, 1.28),
    100: (0.24, 0.073, 1.32, 0.72),
    1000: (0.23, 0.056, 1.22, 0.64),
    10_000: (0.157, 0.051, 1.13, 0.53),
}
STUDIED = {  # name -> words, unit, tolerance
    "hidden": ("dropout rate of the hidden layers", "probability", 0.04),
    "input": ("dropout rate of the input", "probability", 0.025),
    "aleatoric": ("aleatoric standard deviation", "units of y", 0.25),
    "epistemic": ("epistemic standard deviation", "units of y", 0.25),
}


def _study_claims() -> Iterator[Claim]:
    for num_data, numbers in AUTHORS_STUDY.items():
        for (name, (words, unit, distance)), published in zip(STUDIED.items(), numbers, strict=True):
            yield Claim(
                f"concrete_{name}_{num_data}",
                AUTHORS_CONCRETE,
                f"{words}, N = {num_data:,}, as many steps as the authors took",
                published,
                unit,
                Within(distance),
                "concrete_authors",
            )


def _digits_tolerance(quantity: str, published: float) -> Within:
    """15 % of a cross-entropy, 2 % of a penalty, 3 points of an accuracy; or what single runs scatter."""
    return AsOneRun(
        {"cross_entropy": round(0.15 * published, 4), "penalty": round(0.02 * published, 4), "accuracy": 3}[quantity]
    )


def _accuracy_claims() -> Iterator[Claim]:
    for method, numbers in ACCURACY_TABLE.items():
        for (way, words), published in zip(WAYS.items(), numbers, strict=True):
            if published is not None:
                yield Claim(
                    f"accuracy_{method}_{way}",
                    LECTURE_TABLE,
                    f"{ACCURACY_TITLES[method]}, {words}",
                    published,
                    "% of test digits",
                    Within(0.8),
                    f"accuracy_{method}",
                    is_lecture=True,
                )


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
    *(
        Claim(
            f"mc_dropout_{quantity}_{epoch}",
            LECTURE_DIGITS,
            f"{quantity.replace('_', '-')} in training, mean over the minibatches of epoch {epoch}",
            published,
            DIGITS_UNIT[quantity],
            _digits_tolerance(quantity, published),
            "mc_dropout_log",
            is_lecture=True,
        )
        for quantity, log in DIGITS_LOG.items()
        for epoch, published in enumerate(log, 1)
    ),
    *_accuracy_claims(),
    *_study_claims(),
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


DIGITS_SEEDS = (0, 1, 2, 3, 4)
NUM_SAMPLES = 200


class _Watched(Categorical):
    """Notes cross-entropy and accuracy of every minibatch: what a fit's history has is the loss with its penalty."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, float]] = []

    def loss(self, outputs: Array, y: Array) -> Array:
        found = super().loss(outputs, y)
        self.seen.append((float(found.mean()), float((outputs.argmax(-1) == y[..., 0]).mean())))
        return found


def mc_dropout_log() -> Values:
    """The lecture's training log of MC dropout, in three parts, over five seeds."""
    dataset, num_epochs = data.load("mnist-1000"), len(DIGITS_LOG["penalty"])
    values: dict[str, list[float]] = {}
    for seed in DIGITS_SEEDS:
        watched = _Watched()
        trained = fit("mc_dropout", dataset, seed=seed, num_epochs=num_epochs, schedule="constant", likelihood=watched)
        cross_entropy, right = np.reshape(watched.seen, (num_epochs, -1, 2)).mean(1).T
        penalty = 1000 * (trained.history["loss"] - cross_entropy)
        parts = {"cross_entropy": cross_entropy, "penalty": penalty, "accuracy": 100 * right}
        for quantity, log in parts.items():
            for epoch, value in enumerate(_plain(log), 1):
                values.setdefault(f"mc_dropout_{quantity}_{epoch}", []).append(value)
    return values


def digits_accuracy(method: str) -> Values:
    """A row of the lecture's table of test accuracies, over five seeds."""
    dataset = data.load("mnist-1000")
    values: dict[str, list[float]] = {}
    ways = [way for way, number in zip(WAYS, ACCURACY_TABLE[method], strict=True) if number is not None]
    for seed in DIGITS_SEEDS:
        trained = fit(method, dataset, seed=seed)
        for way in ways:
            found = trained.predict(dataset.x_test, NUM_SAMPLES, with_dropout=way == "monte_carlo").mean
            percent = round(100 * accuracy(found, dataset.y_test), 4)
            values.setdefault(f"accuracy_{method}_{way}", []).append(percent)
    return values


def concrete_authors() -> Values:
    """The authors' study at their width, one repeat: what `python -m bdlviz train concrete_authors` left behind."""
    _, extra = shelf.shipped("concrete_authors")
    rates = extra["wide_rates"]
    found = {"hidden": rates[..., 1:].mean(-1), "input": rates[..., 0]}
    found |= {name: extra[f"wide_{name}"] for name in ("aleatoric", "epistemic")}
    at = {count: extra["num_data"].tolist().index(count) for count in AUTHORS_STUDY}
    return {f"concrete_{name}_{count}": _plain(each[:, at[count]]) for name, each in found.items() for count in at}


MEASUREMENTS: dict[str, Callable[[], Values]] = {
    "vae_log": vae_log,
    "mc_dropout_log": mc_dropout_log,
    "concrete_authors": concrete_authors,
    **{f"accuracy_{method}": partial(digits_accuracy, method) for method in ACCURACY_TABLE},
}


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
        ours = "" if row.ours is None else f"{row.ours:.{row.decimals}f}"
        spread = "" if row.spread is None else f" ({row.spread:.{row.decimals}f}, {len(row.values)} seeds)"
        cells = (row.source, row.quantity, f"{row.published:g} {row.unit}", ours + spread, row.tolerance, row.verdict)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
