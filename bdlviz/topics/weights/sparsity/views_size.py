"""How much few and many images pay for their weights: negative log-likelihood and KL of networks on different N."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from bdlviz.digits import number
from bdlviz.fits import Fit, configure
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods.sparse_variational_dropout import PRUNER
from bdlviz.topics.digits.concrete_dropout.study import image_data
from bdlviz.topics.shared import seeds, study_seeds
from bdlviz.topics.shared.calls import fit_snippet, load_snippet
from bdlviz.topics.weights.sparsity import figures_one, study
from bdlviz.topics.weights.sparsity.controls import BETA, IMAGES, METHOD, NUM_DATA, WARM_UP
from bdlviz.topics.weights.sparsity.run import METHODS, OBJECTIVES, PENALTIES, refuse_diverged, times
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.cache import remembered
from bdlviz.ui.jobs.obtain import fit_work, known_fit
from bdlviz.ui.model import Figure, Need, Numbers, Part, Result, Says, Screen, Setting, Words

NUM_DRAWS = 100  # over which the negative log-likelihood is averaged
SMALLEST = 1e-30  # probability, before its logarithm is taken
NUM_STEPS = 6000  # as the shipped networks, whatever N
NOTHING = math.log(10)  # nats per image of a network that gives every class the same probability
SHIPPED = (("mnist1000", None, "N = 1,000, no warm-up"), ("mnist1000", 0.5, "N = 1,000, warm-up"), ("mnist", None, ""))


@dataclass(frozen=True)
class Outcome:
    """The result of one training: nats per image, and accuracy and compression when pruned."""

    name: str
    num_data: int
    misfit: float
    kl: float
    accuracy: float
    compression: float

    def paid(self, beta: float = 1.0, is_chosen: bool = False) -> figures_one.Paid:
        """As a bar; the KL counts with its weight ``beta``."""
        paid = f"{self.misfit + beta * self.kl:.2f} nats"
        says = f"{paid}, accuracy {100 * self.accuracy:.0f} %, {times(self.compression)}"
        return figures_one.Paid(self.name, self.misfit, beta * self.kl, says, is_chosen)


# How the results are got ----------------------------------------------------------------------------------------------


def _of_extra(name: str, num_data: int, extra: dict[str, Array]) -> Outcome:
    return Outcome(
        name,
        num_data,
        float(extra["misfit"][-1]),
        float(extra["kl"][-1]) / num_data,
        float(extra["accuracy"][-1]),
        float(extra["compression"][-1]),
    )


def outcome(fit: Fit, num_data: int) -> Outcome:
    """The result of a training on so many digits.

    Raises:
        InvalidInput: it diverged.
    """
    refuse_diverged(fit)
    return remembered(fit, "outcome", lambda: _outcome(fit, image_data("digits", num_data)))


def _outcome(fit: Fit, dataset: Dataset) -> Outcome:
    method, params = fit.config.method, fit.single()
    noise = PRUNER.log_alphas(params)
    draws = fit.predict(dataset.x, NUM_DRAWS).draws[:, np.arange(dataset.num_data), dataset.y.astype(int)]
    return Outcome(
        f"N = {dataset.num_data:,}{'' if dict(fit.config.options)['kl_warm_up'] else ', no warm-up'}",
        dataset.num_data,
        float(-np.log(np.maximum(draws, SMALLEST)).mean()),
        sum(float(study.DIVERGENCES[method](values).sum()) for values in noise.values()) / dataset.num_data,
        study.pruned_accuracy(fit, dataset),
        PRUNER.compression(params, PRUNER.threshold),
    )


def needed(setting: Setting) -> Need[Any]:
    """The shipped networks on MNIST, or one network on the 8x8 digits, which is trained where it is not shipped."""
    if shows_mnist(setting):
        names = shipped_names(setting[METHOD])
        return Need(("sparsity", "size", *names), shipped=lambda: [_read(name, title) for name, title in names.items()])
    num_data = int(setting[NUM_DATA])
    config, dataset = config_of(setting, num_data, setting[WARM_UP])
    return Need(
        config,
        shipped=lambda: _outcomes_of(shelf.find(config), num_data),
        work=fit_work(config, dataset),
        read=lambda fit: [outcome(fit, num_data)],
        num_steps=config.num_steps,
    )


def shows_mnist(setting: Setting) -> bool:
    """True where the picture shows the shipped networks on MNIST."""
    return setting[IMAGES] == "mnist" and bool(shipped_names(setting[METHOD]))


def shows_digits(setting: Setting) -> bool:
    """True where the picture shows networks on the 8x8 digits."""
    return not shows_mnist(setting)


def shipped_names(method: str) -> dict[str, str]:
    """The shipped networks of a method on MNIST: checkpoint -> title of its bar; "" for the number of its images."""
    names = {study.name_of(method, images, warm_up): title for images, warm_up, title in SHIPPED}
    return {checkpoint: title for checkpoint, title in names.items() if checkpoint in shelf.manifest()}


def _read(checkpoint: str, title: str) -> Outcome | str:
    """The result of a shipped network, or the sentence that says why it cannot be read."""
    try:
        fit, extra = shelf.shipped(checkpoint)
    except CheckpointError as error:
        return f"{error} `python -m bdlviz train {checkpoint}` makes it, given the data."
    return _of_extra(title or f"N = {fit.num_data:,}", fit.num_data, extra)


def _outcomes_of(fit: Fit | None, num_data: int) -> list[Outcome] | None:
    return None if fit is None else [outcome(fit, num_data)]


def config_of(setting: Setting, num_data: int, warm_up: str) -> tuple[FitConfig, Dataset]:
    """The network on so many digits, with the other settings as they are."""
    dataset = image_data("digits", num_data)
    settings: dict[str, Any] = study.SETTINGS["digits"] | {"num_epochs": None, "num_steps": NUM_STEPS}
    settings |= {"kl_warm_up": float(warm_up), "kl_weight": setting.number(BETA)}
    return configure(setting[METHOD], dataset, seed=0, **settings), dataset


# The picture ----------------------------------------------------------------------------------------------------------


def size(setting: Setting, screen: Screen, outcomes: list[Outcome | str]) -> Result:
    """What networks on few and on many images pay for their weights."""
    if shows_mnist(setting):
        return _shipped(setting, screen, outcomes)
    return _trained(setting, screen, next(each for each in outcomes if isinstance(each, Outcome)))


def _shipped(setting: Setting, screen: Screen, read: list[Outcome | str]) -> Result:
    outcomes, method = [each for each in read if isinstance(each, Outcome)], setting[METHOD]
    parts: list[Part] = [Words(each, "warning") for each in read if isinstance(each, str)]
    if outcomes:
        parts.append(Says(_paid(outcomes[:2], 1.0)))
        parts += [_bars(screen, [each.paid() for each in outcomes], "budget"), Words(_says(outcomes[0], 1.0))]
        if method == study.SPARSE:
            parts += _other_seeds("thousand", 1000)
        told = [(each.name, f"{100 * each.accuracy:.1f} %", _help(each)) for each in outcomes]
        parts.append(Numbers(told))
    settings = {name: value for name, value in study.settings_of(method, "mnist1000").items()}
    call = f"import bdlviz\n\n{load_snippet('mnist-1000')}\nfit = bdlviz.fit({method!r}, data, **{settings!r})"
    return _result(method, parts, call)


def _help(each: Outcome) -> str:
    return f"Compression {times(each.compression)}; {each.misfit + each.kl:.2f} nats per image."


def _trained(setting: Setting, screen: Screen, own: Outcome) -> Result:
    beta, num_data, warm_up = setting.number(BETA), int(setting[NUM_DATA]), setting[WARM_UP]
    config, dataset = config_of(setting, num_data, warm_up)
    every = sorted([own, *_others(setting)], key=lambda each: each.num_data)
    more = " Move N or switch the warm-up: results that were trained stay in the picture." if len(every) < 3 else ""
    parts: list[Part] = []
    if setting[IMAGES] == "mnist":
        parts.append(Words("No networks on MNIST of several N are at hand. Meanwhile: the 8×8 digits."))
    parts.append(Says(_paid([own], beta)))
    parts.append(_bars(screen, [each.paid(beta, each is own) for each in every], "budget_live"))
    parts.append(Words(f"{_says(own, beta)}{more}"))
    if num_data == study.FEW_IMAGES and config == study.few_config(study.SPARSE, dataset, float(warm_up)):
        parts += _other_seeds("few", study.FEW_IMAGES)
    parts.append(
        Numbers(
            [
                ("Held-out accuracy", f"{100 * own.accuracy:.1f} %", "Of the pruned network."),
                ("Compression", times(own.compression), "∞: no weight is left."),
                ("Paid (nats per image)", f"{own.misfit + beta * own.kl:.2f}", "Negative log-likelihood and KL term."),
                ("… without any weight", f"{NOTHING:.2f}", "ln 10: a guess among ten classes costs no KL."),
            ]
        )
    )
    call = f"import bdlviz\n\ndata = bdlviz.dataset('digits', num_data={num_data})\n{fit_snippet(config)}"
    return _result(config.method, parts, call)


def _others(setting: Setting) -> list[Outcome]:
    """The results with another N or another warm-up that are known already."""
    num_data, warm_up = int(setting[NUM_DATA]), setting[WARM_UP]
    settings = [(int(each), warm_up) for each in NUM_DATA.options] + [(num_data, each) for each in WARM_UP.options]
    fits = [(known_fit(config_of(setting, *each)[0]), each[0]) for each in settings if each != (num_data, warm_up)]
    return [outcome(fit, number) for fit, number in fits if fit is not None and not fit.diverged.any()]


def _other_seeds(name: str, num_data: int) -> list[Part]:
    """A caption on how far the sum depends on the training seed."""
    found = seeds.study(study_seeds.WEIGHTS)
    if not found:
        return seeds.problem(study_seeds.WEIGHTS)
    paid = found[f"{name}_paid"]
    without, warmed = (seeds.told(paid[:, column], ".2f") for column in range(2))
    told = f"at N = {num_data:,} an image pays {without} nats without a warm-up and {warmed} nats with one"
    return [Words(seeds.sentence(len(paid), told))]


def _bars(screen: Screen, paid: list[figures_one.Paid], key: str) -> Figure:
    fig = figures_one.budget(paid, nothing=NOTHING, theme=screen.theme)
    told = "; ".join(f"{each.name}: {each.misfit:.2f} + {each.kl:.2f}, {each.says}" for each in paid)
    alt = f"Nats per image: negative log-likelihood and KL. {told}. Without weights {NOTHING:.2f}."
    return Figure(key, fig, alt)


def _result(method: str, parts: list[Part], call: str) -> Result:
    return Result(
        parts,
        formulas=(OBJECTIVES[method], PENALTIES[method]),
        code=(METHODS[method].build, study.prunable, figures_one.budget),
        call=call,
    )


def _paid(outcomes: list[Outcome], beta: float) -> str:
    """What networks pay for an image and what they keep; one alone is compared with a network without weights."""
    told = [f"{each.name}: {number(each.misfit + beta * each.kl)} nats per image, {_kept(each)}" for each in outcomes]
    if len(told) == 1:
        told.append(f"without weights it would be {number(NOTHING)}")
    return f"{'; '.join(told)}."


def _kept(each: Outcome) -> str:
    return f"1 of {number(each.compression, 2)} weights left" if np.isfinite(each.compression) else "no weight left"


def _says(each: Outcome, beta: float) -> str:
    """What the objective says at this N, in words."""
    if beta == 0:
        return (
            f"β = 0: the objective has no term that favours noise. The {times(each.compression)} at log α > 3 comes "
            "from the noise at the start."
        )
    most = each.num_data * NOTHING
    all_gone = not np.isfinite(each.compression)
    what = f"{times(each.compression)} is the compression of this training"
    if all_gone:
        what = f"nothing is left, for {each.misfit + beta * each.kl:.2f} nats an image. If a warm-up finds a network "
        what += "with fewer nats, then this training is stuck in a bad place"
    return (
        f"N = {each.num_data:,} images hold at most N ln 10 = {most:,.0f} nats to gain, and each weight that is kept "
        f"costs some nats of KL, however large N is: {what}."
    )
