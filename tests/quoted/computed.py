"""Numbers that exercises and pages quote, computed from the shipped results."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from bdlviz.data.curves import heteroscedastic_noise_std
from bdlviz.fitted import shelf
from bdlviz.models import targets
from bdlviz.predictive import in_between
from bdlviz.predictive.calibration import is_correct, risk_coverage
from bdlviz.predictive.intervals import mean_interval
from bdlviz.topics.foundations.bayes_rule.controls import SEED
from bdlviz.topics.foundations.bayes_rule.inference import infer
from bdlviz.topics.foundations.bayes_rule.points import made_points
from bdlviz.topics.foundations.bayes_rule.two_parameters import LINE
from bdlviz.topics.generative.likelihood.study import LIKELIHOODS
from bdlviz.topics.regression.active_learning.runs import needed
from bdlviz.topics.regression.active_learning.study import ROUNDS, START, curve_pool
from bdlviz.topics.regression.active_learning.views_curves import LEVELS
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.effect_of_lambda.study import LAMBDA_DECAYS, LAMBDA_RATES
from bdlviz.topics.regression.in_between import study as in_between_study
from bdlviz.topics.shared import study_seeds
from bdlviz.topics.shared.compare_fits import REFERENCE_SAMPLES
from bdlviz.topics.weights.signal_to_noise.study import CURVES, FRACTIONS
from bdlviz.types import Array
from tests.quoted.sources import Source, bundle, results

AVERAGE = 2  # of the losses of `bayes_loss`, after MLE and MAP


def coin(rate: float) -> float:
    """The entropy of a coin, in nats."""
    return -rate * math.log(rate) - (1 - rate) * math.log(1 - rate)


def four_networks() -> tuple[float, float, float]:
    """Networks 2 and 3 at x = 3.5, and the standard deviation of their mixture of 3 to 1."""
    second = 2.2 * math.tanh(0.45 * 3.5)
    third = 1.5 * math.tanh(1.1 * 3.5) - 1.3 * math.tanh(2 * 3.5 - 5) - 1.3
    return second, third, math.sqrt(0.75 * 0.25) * (second - third)


def length_scale(weight_decay: float, dropout_rate: float) -> float:
    fit, _ = shelf.shipped("effect_of_lambda")
    nearest = min(LAMBDA_DECAYS, key=lambda each: abs(each - weight_decay))
    return fit.cell(seed=fit.config.seeds[0], dropout_rate=dropout_rate, weight_decay=nearest).length_scale


def best_decay(dropout_rate: float) -> float:
    """The weight decay of the lowest mean held-out score."""
    scores = results("effect_of_lambda")["nll"].mean(0)[LAMBDA_RATES.index(dropout_rate)]
    return LAMBDA_DECAYS[scores.argmin()]


def best_decays(dropout_rate: float) -> np.ndarray:
    """The weight decay of the lowest held-out score of every seed."""
    scores = results("effect_of_lambda")["nll"][:, LAMBDA_RATES.index(dropout_rate)]
    return np.array(LAMBDA_DECAYS)[scores.argmin(-1)]


def change_below(weight_decay: float, dropout_rate: float) -> float:
    """By how much the mean held-out score changes over all smaller weight decays, in nats."""
    scores = results("effect_of_lambda")["nll"].mean(0)[LAMBDA_RATES.index(dropout_rate)]
    return float(np.ptp(scores[np.array(LAMBDA_DECAYS) <= 1.001 * weight_decay]))


def labels_saved() -> tuple[float, float, float]:
    """Labels that the Gaussian process needs fewer than random choice on two clusters: mean and 95 % interval."""
    runs = results("active_curves_gaussian_process")
    counts, level = START + np.arange(ROUNDS + 1), LEVELS["two_clusters"]
    asked, at_random = (
        needed(counts, runs[f"two_clusters_{score}_rmse"], level, higher_is_better=False)
        for score in ("epistemic", "random")
    )
    mean, low, high = mean_interval(at_random - asked)
    return float(mean), float(low), float(high)


def asked_in_noise() -> np.ndarray:
    """Of every run, the labels that the ensemble asked for where the noise has a standard deviation above 0.3."""
    picks = results("active_curves_deep_ensemble")["heteroscedastic_total_picks"].astype(int)
    inputs = [curve_pool("heteroscedastic", run).x[chosen, 0] for run, chosen in enumerate(picks)]
    return (heteroscedastic_noise_std(np.stack(inputs)) > 0.3).sum(1)


def certainty(method: str) -> float:
    """The mean probability of the most probable class, in percent."""
    return 100 * results(f"classifier_mnist_{method}")["probabilities"].max(-1).mean()


def gain_of_averaging(method: str) -> np.ndarray:
    """What the average of draws gains over one pass in accuracy, of every seed, in points."""
    found = results(f"classifier_mnist_{method}")
    return 100 * (found["accuracy"] - found["accuracy_one_pass"])


def standard_error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def risk(method: str, refused: float) -> float:
    """The share of wrong answers among those that are not refused, mean over seeds."""
    extra = results(f"classifier_mnist_{method}")
    answers = zip(extra["probabilities"], extra["predictive_entropy"], strict=True)
    curves = [risk_coverage(u, is_correct(p, extra["labels"])) for p, u in answers]
    return float(np.mean([curve.risk_after_refusing(refused) for curve in curves]))


def bayes_loss(count: int, choice: int) -> float:
    """Mean loss of a line through so many points over all data seeds: by MLE, by MAP, by the average."""
    losses = []
    for seed in map(int, SEED.options):
        found = infer(LINE, made_points(LINE, count, seed, False), 0.7, 1.0)
        loss = found.loss_of_average() if choice == AVERAGE else found.loss(("mle", "map")[choice])
        assert loss is not None
        losses.append(loss)
    return float(np.mean(losses))


def removed(images: str, preset: str, share: float) -> float:
    """The error in percent without that share of the weights, by the draws."""
    curves = results(f"bayes_{images}_{preset}")["removed_error"]
    return 100 * curves[CURVES.index("snr_draws"), FRACTIONS.index(share)]


def bound(likelihood: str, images: str = "mnist") -> float:
    return float(results(f"likelihood_{images}_{likelihood}")["test_elbo"][0])


def least(name: str, *index: int) -> float:
    """The smallest value over all seeds of a study of further seeds."""
    return float(repeated(name)[(..., *index)].min())


def most(name: str, *index: int) -> float:
    """The largest value over all seeds of a study of further seeds."""
    return float(repeated(name)[(..., *index)].max())


def mean_error(likelihood: str) -> float:
    """Of the expected pixels of held-out 8x8 digits, mean over seeds, in grey levels of 255."""
    return 255 * float(repeated("rmse_digits")[:, LIKELIHOODS.index(likelihood)].mean())


def repeated(name: str) -> np.ndarray:
    return next(found[name] for found in map(repeats, study_seeds.ARRAYS) if name in found)


def repeats(name: str) -> dict[str, np.ndarray]:
    return bundle(name, study_seeds.ARRAYS)


def difference(*sources: Source) -> Source:
    first, second = sources
    return lambda: first() - second()


def seeds(case: str) -> Array:
    """Of each training seed the sd at the data and away from them, (R, 2)."""
    return bundle(study_seeds.CURVES, study_seeds.ARRAYS)[case]


def of_seeds(case: str, place: int, of: Callable[[Array], float]) -> float:
    return of(seeds(case)[:, place])


def largest_ratio(case: str) -> float:
    at_data, away = seeds(case).T
    return float((away / at_data).max())


def best_mean_field_width() -> float:
    """The sd of the best mean-field Gaussian of the line's posterior, relative to the true one."""
    _, precision = targets.line_moments(targets.find("line"))
    return float(np.sqrt(1 / precision[0, 0] / np.linalg.inv(precision)[0, 0]))


def of_exact(scene: str, method: str, of: Callable[[Array], float]) -> float:
    """The sd in the gap over seeds, relative to the exact one of the scene."""
    name = f"in_between.{scene}.{method}"
    dataset = study_seeds.cases()[name].load()
    settings = in_between_study.GAPS[scene]
    exact = shelf.find(compare_study.config_of(compare_study.REFERENCE, dataset, **settings))
    assert exact is not None
    x = np.linspace(*dataset.x_range, study_seeds.NUM_INPUTS)
    std = exact.predict(x[:, None], REFERENCE_SAMPLES).epistemic_std[:, 0]
    _, in_gap = in_between.at_the_points_and_in_the_middle(x, std, dataset.x[:, 0])
    return of(seeds(name)[:, 1] / in_gap)
