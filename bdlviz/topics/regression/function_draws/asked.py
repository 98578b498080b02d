"""What a setting of the page asks for: data, the fit, the fit of a comparison, and the fit that is outlined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bdlviz.data.built_in import part_of
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, configure
from bdlviz.methods import METHODS, method
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.function_draws import controls, two
from bdlviz.topics.shared import calculator, curves, draw_inspector
from bdlviz.types import Dataset, FitConfig, MethodSpec
from bdlviz.ui.controls.data_choice import dataset_of
from bdlviz.ui.jobs.obtain import SECOND, FitNeed, fit_need
from bdlviz.ui.model import Setting
from bdlviz.ui.scrub import switch

OTHER = "other"  # the name of the need of a comparison's other fit
ROOM = {"x_sin_x": (-27.0, 10.0)}  # of y, where functions leave the axis of the data


@dataclass(frozen=True, eq=False)
class Asked:
    """The data and the configurations of a setting; ``remark`` says why nothing can be outlined."""

    dataset: Dataset
    config: FitConfig
    scales: calculator.Scales
    other: FitConfig | None
    outlined: FitConfig | None
    remark: str
    watches: bool

    @property
    def spec(self) -> MethodSpec:
        """The specification of the method."""
        return METHODS[self.config.method]

    def needs(self) -> list[FitNeed]:
        """The fits, the page's own first."""
        wanted = [fit_need(self.config, self.dataset, watches=self.watches)]
        if self.other is not None:
            wanted.append(fit_need(self.other, self.dataset, name=OTHER))
        if self.outlined is not None:
            wanted.append(fit_need(self.outlined, self.dataset, name=SECOND))
        return wanted

    def found(self, fits: list[Fit | None]) -> dict[str, Fit | None]:
        """The fits by the names of their needs."""
        return {need.name: fit for need, fit in zip(self.needs(), fits, strict=True)}


def asked_of(setting: Setting) -> Asked:
    """What a setting asks for.

    Raises:
        InvalidInput: there is no such fit.
    """
    dataset = with_room(dataset_of(setting, controls.DATA), setting)
    config = curves.config_of(setting.values, dataset)
    scales = curves.scales_in(setting.values, dataset)
    other = None
    if setting.text(switch.MOVES) and (found := two.read(setting.text(two.OTHER), controls.OF_FIT)) is not None:
        other = curves.config_of(found, dataset)
    outlined, remark = outlined_config(setting[controls.REFERENCE], config, dataset, scales.length_scale)
    return Asked(dataset, config, scales, other, outlined, remark, bool(setting.text(draw_inspector.WATCH)))


def with_room(dataset: Dataset, setting: Setting) -> Dataset:
    """The data, with a y axis that holds the functions at its ends, too; edits of a curve keep its axis."""
    own = setting.own if dataset.name == "your_data" else None
    name = dataset.name if own is None else own.origin
    return part_of(dataset, y_range=ROOM[name]) if name in ROOM else dataset


def scales_of(setting: Setting) -> calculator.Scales:
    """Length-scale, noise and weight decay of a setting."""
    return curves.scales_in(setting.values, dataset_of(setting, controls.DATA))


def takes(setting: Setting) -> str:
    """Which of weight decay and length-scale the chosen method has, by its key; "" for neither."""
    return curves.scale_taken(setting[curves.METHOD])


def needs(setting: Setting) -> list[FitNeed]:
    """The fits that the page draws."""
    return asked_of(setting).needs()


def outlined_config(
    name: str, config: FitConfig, dataset: Dataset, length_scale: float
) -> tuple[FitConfig | None, str]:
    """The fit to outline over another one of the same data, network and noise, with the same prior of weights.

    ``length_scale`` is what a weight decay stands for. None where nothing is chosen, or, with a sentence, where there
    is no such fit.
    """
    if name in (controls.NONE, config.method):
        return None, ""
    settings = _prior(name, config, length_scale)
    if settings.get("length_scale") == 0:
        return None, (
            f"λ = 0 is a flat prior, which has no posterior to outline: {method(name).title} needs a λ above 0."
        )
    if method(name).inference == "sampled":
        settings |= compare_study.CHAINS
    shared = {"hidden": config.hidden, "activation": config.activation, "noise_std": config.noise_std}
    try:
        return configure(name, dataset, seed=config.seeds[0], **shared, **settings), ""
    except InvalidInput as error:
        return None, str(error)


def _prior(name: str, config: FitConfig, length_scale: float) -> dict[str, Any]:
    axes = {key: values[0] for key, values in config.axes}
    if method(name).hyperparameter("weight_decay") is not None:
        return {"weight_decay": axes["weight_decay"]} if "weight_decay" in axes else {}
    if "length_scale" in axes:
        by_width = dict(config.options).get("prior_by_width", 0.0)
        return {"length_scale": axes["length_scale"], "prior_by_width": by_width}
    if "weight_decay" in axes:
        return {"length_scale": length_scale, "prior_by_width": 0.0}
    return {}
