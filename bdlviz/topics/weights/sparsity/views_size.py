"""How many weights can so many images pay for? Networks on few and on many images, with what each pays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, configure
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods.common import KL_WEIGHT
from bdlviz.methods.sparse_variational_dropout import PRUNER
from bdlviz.topics.digits.concrete_dropout.study import image_data
from bdlviz.topics.shared import repeats, repeats_study
from bdlviz.topics.shared.reproduce import fit_snippet
from bdlviz.topics.weights.sparsity import figures_one, study
from bdlviz.topics.weights.sparsity.views_runs import IMAGES, METHOD, METHODS, WARM_UP, times
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.controls.control import number_control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.jobs.memory import remembered
from bdlviz.ui.jobs.obtain import Wanted, obtain
from bdlviz.ui.jobs.queue import QUEUE

NUM_DATA = number_control(
    "n_pruned",
    "Training images N",
    (100, 200, 400, 800, 1437),
    100,
    "The first of the 8x8 digits. Every N gets the same number of steps.",
)
BETA = number_control("beta", "Weight of the KL term, β", KL_WEIGHT.values, KL_WEIGHT.default, KL_WEIGHT.help)
CONTROLS = (NUM_DATA, BETA)
NUM_DRAWS = 100  # over which the misfit is averaged
SMALLEST = 1e-30  # probability, before its logarithm is taken
NUM_STEPS = 6000  # as the shipped networks, whatever N
NOTHING = math.log(10)  # nats per image of a network that says nothing of ten classes
SHIPPED = (("mnist1000", None, "N = 1,000, no warm-up"), ("mnist1000", 0.5, "N = 1,000, warm-up"), ("mnist", None, ""))


@dataclass(frozen=True)
class Outcome:
    """What a network came to: nats per image, and accuracy and compression when pruned."""

    name: str
    num_data: int
    misfit: float
    kl: float
    accuracy: float
    compression: float

    def paid(self, beta: float = 1.0, is_chosen: bool = False) -> figures_one.Paid:
        """As a bar; the KL counts with its weight ``beta``."""
        says = f"{self.misfit + beta * self.kl:.2f} nats, accuracy {self.accuracy:.0%}, {times(self.compression)}"
        return figures_one.Paid(self.name, self.misfit, beta * self.kl, says, is_chosen)


def choose() -> None:
    """Draw the controls of this view."""
    images = IMAGES.show()
    METHOD.show()
    if images == "digits" or not _shipped():
        WARM_UP.show()
        NUM_DATA.show()
        BETA.show()


def show_size() -> Shown | None:
    """What networks on few and on many images pay for their weights."""
    if IMAGES.present() == "mnist":
        if _shipped():
            return _show_shipped()
        st.caption("No networks on MNIST of several N are at hand. Meanwhile: the 8×8 digits.")
    return _show_live()


# MNIST, shipped -------------------------------------------------------------------------------------------------------


def _shipped() -> dict[str, str]:
    """The networks on MNIST of the present method that are shipped: checkpoint -> what it is called here."""
    names = {study.name_of(METHOD.present(), images, warm_up): name for images, warm_up, name in SHIPPED}
    return {checkpoint: name for checkpoint, name in names.items() if checkpoint in shelf.manifest()}


def _outcomes() -> list[Outcome]:
    """What the shipped networks on MNIST came to; a sentence on the page for each that is damaged."""
    found = []
    for checkpoint, name in _shipped().items():
        try:
            fit, extra = shelf.shipped(checkpoint)
        except CheckpointError as error:
            st.warning(f"{error} `python -m bdlviz train {checkpoint}` makes it, given the data.")
        else:
            found.append(_of_extra(name or f"N = {fit.num_data:,}", fit.num_data, extra))
    return found


def _of_extra(name: str, num_data: int, extra: dict[str, Array]) -> Outcome:
    return Outcome(
        name,
        num_data,
        float(extra["misfit"][-1]),
        float(extra["kl"][-1]) / num_data,
        float(extra["accuracy"][-1]),
        float(extra["compression"][-1]),
    )


def _show_shipped() -> Shown | None:
    outcomes = _outcomes()
    if not outcomes:
        return None
    _show_bars([each.paid() for each in outcomes], "budget")
    st.caption(_says(outcomes[0], 1.0))
    if METHOD.present() == repeats_study.SPARSE:
        _say_paid("thousand", 1000)
    numbers(
        [
            (each.name, f"{each.accuracy:.1%}", f"Compression {times(each.compression)}; {_sum(each)} nats per image.")
            for each in outcomes
        ]
    )
    method = METHOD.present()
    return Shown(
        (METHODS[method].build, study.DIVERGENCES[method]),
        (METHODS[method].build, study.prunable, figures_one.budget),
        f'from bdlviz.topics.weights.sparsity import study\n\nfit, extra = study.prunable({method!r}, "mnist1000")\n'
        "print(extra['accuracy'][-1], extra['compression'][-1], extra['misfit'][-1], extra['kl'][-1] / fit.num_data)",
    )


# Digits, live ---------------------------------------------------------------------------------------------------------


def _config(num_data: int, warm_up: str) -> tuple[FitConfig, Any]:
    """The network on so many digits, as the controls are."""
    dataset = image_data("digits", num_data)
    settings: dict[str, Any] = study.SETTINGS["digits"] | {"num_epochs": None, "num_steps": NUM_STEPS}
    settings |= {"kl_warm_up": float(warm_up), "kl_weight": float(BETA.present())}
    return configure(METHOD.present(), dataset, seed=0, **settings), dataset


def _show_live() -> Shown | None:
    num_data, beta = int(NUM_DATA.present()), float(BETA.present())
    config, dataset = _config(num_data, WARM_UP.present())

    def draw(fit: Fit) -> None:
        own = outcome(fit, num_data)
        settings = [(int(each), WARM_UP.present()) for each in NUM_DATA.options]
        settings += [(num_data, each) for each in WARM_UP.options if each != WARM_UP.present()]
        others = [_at_hand(*each) for each in settings if each != (num_data, WARM_UP.present())]
        every = sorted([own, *(each for each in others if each is not None)], key=lambda each: each.num_data)
        _show_bars([each.paid(beta, each is own) for each in every], "budget_live")
        more = " Move N, or switch the warm-up: what was trained stays in the picture." if len(every) < 3 else ""
        st.caption(f"{_says(own, beta)}{more}")
        _say_other_seeds(config)
        numbers(
            [
                ("Held-out accuracy", f"{own.accuracy:.1%}", f"After {fit.num_steps_done:,} steps, pruned."),
                ("Compression", times(own.compression), "∞: no weight is left."),
                ("Paid (nats per image)", f"{own.misfit + beta * own.kl:.2f}", "Data term and KL term."),
                ("… without any weight", f"{NOTHING:.2f}", "ln 10: a guess among ten classes costs no KL."),
            ]
        )

    fit = obtain(Wanted(config, dataset), draw)
    if fit is None:
        return None
    method = config.method
    return Shown(
        (METHODS[method].build, study.DIVERGENCES[method]),
        (METHODS[method].build, study.prunable, figures_one.budget),
        f"import bdlviz\n\ndata = bdlviz.dataset('digits', num_data={num_data})\n{fit_snippet(config)}",
    )


def _say_other_seeds(config: FitConfig) -> None:
    """How far what few images pay depends on the training seed."""
    if config == repeats_study.few_config(dict(config.options)["kl_warm_up"]):
        _say_paid("few", repeats_study.FEW_IMAGES)


def _say_paid(name: str, num_data: int) -> None:
    found = repeats.study(repeats_study.WEIGHTS)
    if found:
        paid = found[f"{name}_paid"]
        without, warmed = (repeats.told(paid[:, column], ".2f") for column in range(2))
        repeats.say(
            len(paid),
            f"at N = {num_data:,} an image pays {without} nats without a warm-up and {warmed} nats with one",
        )


def _at_hand(num_data: int, warm_up: str) -> Outcome | None:
    """What is already known of such a network, the other settings being the same."""
    config, _ = _config(num_data, warm_up)
    try:
        fit = shelf.find(config) or QUEUE.finished(config)
    except CheckpointError:
        fit = QUEUE.finished(config)
    return None if fit is None or fit.diverged.any() else outcome(fit, num_data)


def outcome(fit: Fit, num_data: int) -> Outcome:
    """What a network on so many digits came to.

    Raises:
        InvalidInput: it diverged.
    """
    if fit.diverged.any():
        raise InvalidInput("This fit diverged: its weights are no longer finite. Try a smaller weight of the KL term.")
    return remembered(fit, "outcome", lambda: _outcome(fit, image_data("digits", num_data)))


def _outcome(fit: Fit, dataset: Dataset) -> Outcome:
    method, params = fit.config.method, study.single_params(fit)
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


# Both -----------------------------------------------------------------------------------------------------------------


def _show_bars(paid: list[figures_one.Paid], key: str) -> None:
    fig = figures_one.budget(paid, nothing=NOTHING, theme=present_theme())
    told = "; ".join(f"{each.name}: {each.misfit:.2f} + {each.kl:.2f}, {each.says}" for each in paid)
    figure(fig, key=key, alt=f"Nats per image for the data and for the KL. {told}. Without weights {NOTHING:.2f}.")


def _sum(each: Outcome) -> str:
    return f"{each.misfit + each.kl:.2f}"


def _says(each: Outcome, beta: float) -> str:
    """What the objective says at this N."""
    if beta == 0:
        return (
            f"β = 0: nothing pays for noise, so it is never wanted: {times(each.compression)} at log α > 3 is what the "
            "noise of the start leaves."
        )
    most = each.num_data * NOTHING
    all_gone = not np.isfinite(each.compression)
    what = f"{times(each.compression)} is what it comes to"
    if all_gone:
        what = f"nothing is left, for {each.misfit + beta * each.kl:.2f} nats an image. If a warm-up finds a cheaper "
        what += "network, then this training is stuck, and the objective is not to blame"
    return (
        f"N = {each.num_data:,} images hold at most N ln 10 = {most:,.0f} nats to gain, and each weight that is kept "
        f"costs some nats of KL, however large N is: {what}."
    )
