"""All numbers that exercises and pages quote: settings and definitions, and results with where they come from.

A number is written as it stands in the text, without blanks and with a plain minus. What a lecture says is compared
with the pages of its steps, by tests/lectures/test_one_story.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import expit

from bdlviz.data.curves import heteroscedastic_noise_std
from bdlviz.fitted import shelf
from bdlviz.models.divergences import sparse_variational
from bdlviz.predictive import in_between, relaxation
from bdlviz.predictive.calibration import is_correct, risk_coverage
from bdlviz.predictive.kinds import loss_terms
from bdlviz.predictive.latent import code_grid, kl_to_prior
from bdlviz.topics.foundations.bayes_rule.controls import SEED
from bdlviz.topics.foundations.bayes_rule.inference import infer
from bdlviz.topics.foundations.bayes_rule.points import made_points
from bdlviz.topics.foundations.bayes_rule.two_parameters import LINE
from bdlviz.topics.generative.likelihood.study import LIKELIHOODS
from bdlviz.topics.regression.active_learning.active import mean_interval
from bdlviz.topics.regression.active_learning.runs import needed
from bdlviz.topics.regression.active_learning.study import ROUNDS, START, curve_pool
from bdlviz.topics.regression.active_learning.views_curves import LEVELS
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.effect_of_lambda.study import LAMBDA_DECAYS, LAMBDA_RATES
from bdlviz.topics.regression.in_between import study as in_between_study
from bdlviz.topics.shared import study_seeds
from bdlviz.topics.shared.compare_fits import REFERENCE_SAMPLES
from bdlviz.topics.weights.signal_to_noise.study import CURVES, FRACTIONS
from bdlviz.topics.weights.sparsity import one_weight
from bdlviz.topics.weights.variational_dropout import weight_noise
from bdlviz.types import Array
from tests.quoted.sources import Source, bundle, column, results, said, shown

# Settings of a page, definitions, intervals such as 95 %, and numbers that a wrong answer of an exercise names.
GIVEN: dict[str, str] = {
    "exercises/digits: CONCRETE_DROPOUT": "0.12 0.1 0.001 2,000 0.5 5% 10%",
    "exercises/digits: BEFORE_NO_ENTROPY": "0.5",
    "exercises/digits: BEFORE_WIDTH": "256 320",
    "exercises/digits: MC_DROPOUT": "0.9 0.1",
    "exercises/foundations: BAYES_RULE": "1.5 0.5",
    "exercises/foundations: BEFORE_AGREE": "1.01",
    "exercises/foundations: BEFORE_CONSTANT": "0.1 0.5",
    "exercises/foundations: BEFORE_GREEN": "0.3",
    "exercises/generative: BEFORE_COLLAPSE": "20",
    "exercises/generative: BEFORE_GREYER_DIGITS": "255",
    "exercises/generative: BEFORE_PLANE": "20",
    "exercises/generative: BEFORE_PLANE_OF_CODES": "20",
    "exercises/generative: CONDITIONAL": "10%",
    "exercises/generative: DECODE": "5% 20",
    "exercises/generative: LATENT_SPACE": "0.1 20 100",
    "exercises/generative: LIKELIHOOD": "0.5 64 0.05",
    "exercises/generative: MANIFOLD": "99% 2.5",
    "exercises/generative: VAE": "100 1,000 60,000",
    "exercises/regression: ACTIVE_LEARNING": "0.4 0.2",
    "exercises/regression: BEFORE_GAP": "90%",
    "exercises/regression: COMPARE": "50 90% 95 100 84% 500 0.9 1.96 0.4 0.5 0.1",
    "exercises/regression: BEFORE_DROPOUT": "0.05",
    "exercises/regression: BEFORE_DROPOUT_ASKS": "19 95%",
    "exercises/regression: BEFORE_HIGH_DROPOUT": "0.5 0.1",
    "exercises/regression: BEFORE_GREEDY": "30",
    "exercises/regression: BEFORE_NOISE": "0.3 20",
    "exercises/regression: BEFORE_NO_DROPOUT": "0.1",
    "exercises/regression: BEFORE_TOO_LARGE": "0.1",
    "exercises/regression: EFFECT_OF_LAMBDA": "15% 0.05",
    "exercises/regression: BEFORE_TWO_LAYERS": "20",
    "exercises/regression: FUNCTION_DRAWS": "20",
    "exercises/regression: IN_BETWEEN": "0.03 0.04 0.1 0.5",
    "exercises/results: BEFORE_LECTURE": "0.1",
    "exercises/results: BEFORE_OVERCONFIDENT": "98 100",
    "exercises/results: BEFORE_RHO": "0.22",
    "exercises/results: ERRATA": "0.5 0.1 0.2",
    "exercises/results: REGISTER": "0.25",
    "exercises/results: SCOREBOARD": "1% 1,000 400 600 30% 0.99 0.7 89 100 95% 95",
    "exercises/weights: BAYES_BY_BACKPROP": "7.39 20",
    "exercises/weights: BEFORE_ALL_REMOVED": "90%",
    "exercises/weights: BEFORE_GRADIENTS": "32",
    "exercises/weights: BEFORE_MANY": "200",
    "exercises/weights: BEFORE_TINY": "90%",
    "exercises/weights: BEFORE_GAP": "20",
    "exercises/weights: BEFORE_WIDE": "7.39 20",
    "exercises/weights: COMPRESSION": "0.1 5.5 10",
    "exercises/weights: SIGNAL_TO_NOISE": "20 80% 90% 95% 75% 10,000",
    "exercises/weights: SPARSITY": "10 95%",
    "exercises/weights: VARIATIONAL_DROPOUT": "0.2 0.05 10 14% 0.5",
    "pages/digits/concrete_dropout.py": "5,000 0.001 2,500 10,000",
    "pages/digits/mc_dropout.py": "1,000 1000 180",
    "pages/foundations/bayes_rule.py": "648 10",
    "pages/foundations/kinds_of_uncertainty.py": "64",
    "pages/foundations/variational_or_mcmc.py": "300",
    "pages/generative/autoencoder.py": "1,000",
    "pages/generative/decode.py": "20",
    "pages/generative/latent_space.py": "100",
    "pages/generative/likelihood.py": "128",
    "pages/generative/manifold.py": "1,000",
    "pages/generative/vae.py": "1,000 100",
    "pages/regression/active_learning.py": "0.1 90%",
    "pages/regression/effect_of_lambda.py": "500",
    "pages/weights/bayes_by_backprop.py": "0.02 -20 2.7 128",
    "pages/weights/compression.py": "1,000",
    "pages/weights/signal_to_noise.py": "24 95%",
    "pages/weights/sparsity.py": "1,000 1,437 20",
    "bdlviz/errata/concrete.py": "0.01",
    "bdlviz/errata/dropout.py": "0.1 0.5",
    "bdlviz/errata/dropout_scales.py": "0.1 0.5",
    "bdlviz/errata/ard.py": "10",
    "bdlviz/errata/variational.py": "100",
    "bdlviz/errata/prediction.py": "100",
    "bdlviz/ui/controls/data_choice.py": "5,000",
    "bdlviz/topics/digits/mc_dropout/views_change.py": "100",
    "bdlviz/topics/digits/concrete_dropout/views_study.py": "0.1 2,000 1,500 1,000",
    "bdlviz/topics/digits/concrete_dropout/controls.py": "1,000 0.1 0.01",
    "bdlviz/topics/digits/concrete_dropout/views_claims.py": "0.5 320",
    "bdlviz/topics/digits/concrete_dropout/views_relaxed.py": "0.01 0.99",
    "bdlviz/topics/shared/draw_inspector.py": "20",
    "bdlviz/topics/regression/active_learning/views_digits.py": "95%",
    "bdlviz/topics/regression/active_learning/views_bandit.py": "95%",
    "bdlviz/topics/regression/compare/views_table.py": "50% 90% 20",
    "bdlviz/topics/regression/compare/views.py": "50% 90%",
    "bdlviz/topics/regression/in_between/views.py": "500 2",
    "bdlviz/topics/results/figure_index/entries.py": "10 0.5",
    "bdlviz/topics/foundations/kinds_of_uncertainty/views_dense_studies.py": "-0.5",
    "bdlviz/topics/foundations/kinds_of_uncertainty/views_amount.py": "10%",
    "bdlviz/topics/foundations/kinds_of_uncertainty/views_heads.py": "95%",
    "bdlviz/topics/foundations/bayes_rule/controls.py": "0.5 0.7 10",
    "bdlviz/topics/foundations/bayes_rule/views_maps.py": "10",
    "bdlviz/topics/foundations/variational_or_mcmc/views_race.py": "40 80%",
    "bdlviz/topics/generative/latent_space/chosen.py": "40 -60",
    "bdlviz/topics/generative/conditional/views.py": "10",
    "bdlviz/topics/generative/latent_space/controls.py": "30",
    "bdlviz/topics/generative/likelihood/views.py": "255",
    "bdlviz/topics/generative/likelihood/views_collapse.py": "255",
    "bdlviz/topics/shared/autoencoders.py": "100 20",
    "bdlviz/topics/generative/vae/views_bounds.py": "500 10,000",
    "bdlviz/topics/generative/vae/controls.py": "100 60 30 500 256",
    "bdlviz/topics/generative/vae/views.py": "100",
    "bdlviz/topics/start/home/views_moving.py": "45",
    "bdlviz/topics/shared/reproduce.py": "3",
    "bdlviz/topics/results/register/controls.py": "95%",
    "bdlviz/topics/results/scoreboard/views.py": "16 95 100",
    "bdlviz/topics/results/scoreboard/views_table.py": "50 100 180",
    "bdlviz/topics/results/scoreboard/views_tabs.py": "1,000 95 100",
    "bdlviz/ui/jobs/shipped.py": "100",
    "bdlviz/topics/weights/bayes_by_backprop/views_gradients.py": "95%",
    "bdlviz/topics/weights/bayes_by_backprop/controls.py": "0%",
    "bdlviz/topics/weights/bayes_by_backprop/views_prior.py": "0.05",
    "bdlviz/topics/weights/bayes_by_backprop/views_weight.py": "32",
    "bdlviz/topics/weights/compression/views_speed.py": "90% 32",
    "bdlviz/topics/weights/compression/views_table.py": "700 50",
    "bdlviz/topics/weights/compression/views.py": "32",
    "bdlviz/topics/weights/signal_to_noise/views_digits.py": "10 0.5",
    "bdlviz/topics/weights/signal_to_noise/controls.py": "60,000 0.00005",
    "bdlviz/topics/weights/signal_to_noise/run.py": "75% 95%",
    "bdlviz/topics/weights/signal_to_noise/views.py": "20",
    "bdlviz/topics/weights/sparsity/controls.py": "20 60,000 64 32 2",
    "bdlviz/topics/weights/sparsity/views_table.py": "100 0.02 200",
    "bdlviz/topics/weights/sparsity/views.py": "15",
    "pages/regression/compare.py": "50% 90% 0.5 20",
    "pages/regression/in_between.py": "0.3 0.5 20",
    "pages/results/register.py": "40",
    "pages/results/scoreboard.py": "100 1,000 180 10 20 50% 200",
    "pages/weights/variational_dropout.py": "1,000 2,000 0.004 0.005 0.001 64 500 0.5 0.05 0.1 200",
}


# Where several numbers come from --------------------------------------------------------------------------------------


def coin(rate: float) -> float:
    """The entropy of a coin, in nats."""
    return -rate * math.log(rate) - (1 - rate) * math.log(1 - rate)


def _four_networks() -> tuple[float, float, float]:
    """Networks 2 and 3 at x = 3.5, and the standard deviation of their mixture of 3 to 1."""
    second = 2.2 * math.tanh(0.45 * 3.5)
    third = 1.5 * math.tanh(1.1 * 3.5) - 1.3 * math.tanh(2 * 3.5 - 5) - 1.3
    return second, third, math.sqrt(0.75 * 0.25) * (second - third)


def _length_scale(weight_decay: float, dropout_rate: float) -> float:
    fit, _ = shelf.shipped("effect_of_lambda")
    nearest = min(LAMBDA_DECAYS, key=lambda each: abs(each - weight_decay))
    return fit.cell(seed=fit.config.seeds[0], dropout_rate=dropout_rate, weight_decay=nearest).length_scale


def _best_decay(dropout_rate: float) -> float:
    """The weight decay of the lowest mean held-out score."""
    scores = results("effect_of_lambda")["nll"].mean(0)[LAMBDA_RATES.index(dropout_rate)]
    return LAMBDA_DECAYS[scores.argmin()]


def _labels_saved() -> tuple[float, float, float]:
    """Labels that the Gaussian process needs fewer than random choice on two clusters: mean and 95 % interval."""
    runs = results("active_curves_gaussian_process")
    counts, level = START + np.arange(ROUNDS + 1), LEVELS["two_clusters"]
    asked, at_random = (
        needed(counts, runs[f"two_clusters_{score}_rmse"], level, higher_is_better=False)
        for score in ("epistemic", "random")
    )
    mean, low, high = mean_interval(at_random - asked)
    return float(mean), float(low), float(high)


def _asked_in_noise() -> np.ndarray:
    """Of every run, the labels that the ensemble asked for where the noise has a standard deviation above 0.3."""
    picks = results("active_curves_deep_ensemble")["heteroscedastic_total_picks"].astype(int)
    inputs = [curve_pool("heteroscedastic", run).x[chosen, 0] for run, chosen in enumerate(picks)]
    return (heteroscedastic_noise_std(np.stack(inputs)) > 0.3).sum(1)


def _certainty(method: str) -> float:
    """The mean probability of the most probable class, in percent."""
    return 100 * results(f"classifier_mnist_{method}")["probabilities"].max(-1).mean()


def _gain_of_averaging(method: str) -> np.ndarray:
    """What the average of draws gains over one pass in accuracy, of every seed, in points."""
    found = results(f"classifier_mnist_{method}")
    return 100 * (found["accuracy"] - found["accuracy_one_pass"])


def _standard_error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def _risk(method: str, refused: float) -> float:
    """The share of wrong answers among those that are not refused, mean over seeds."""
    extra = results(f"classifier_mnist_{method}")
    answers = zip(extra["probabilities"], extra["predictive_entropy"], strict=True)
    curves = [risk_coverage(u, is_correct(p, extra["labels"])) for p, u in answers]
    return float(np.mean([curve.risk_after_refusing(refused) for curve in curves]))


def _bayes_loss(count: int, choice: int) -> float:
    """Mean loss of a line through so many points over all data seeds: by MLE, by MAP, by the average."""
    losses = []
    for seed in map(int, SEED.options):
        found = infer(LINE, made_points(LINE, count, seed, False), 0.7, 1.0)
        loss = found.loss_of_average() if choice == AVERAGE else found.loss(("mle", "map")[choice])
        assert loss is not None
        losses.append(loss)
    return float(np.mean(losses))


def _removed(images: str, preset: str, share: float) -> float:
    """The error in percent without that share of the weights, by the draws."""
    curves = results(f"bayes_{images}_{preset}")["removed_error"]
    return 100 * curves[CURVES.index("snr_draws"), FRACTIONS.index(share)]


def _bound(likelihood: str, images: str = "mnist") -> float:
    return float(results(f"likelihood_{images}_{likelihood}")["test_elbo"][0])


def _least(name: str, *index: int) -> float:
    """The smallest value over all seeds of a study of further seeds."""
    return float(_repeated(name)[(..., *index)].min())


def _most(name: str, *index: int) -> float:
    """The largest value over all seeds of a study of further seeds."""
    return float(_repeated(name)[(..., *index)].max())


def _mean_error(likelihood: str) -> float:
    """Of the expected pixels of held-out 8x8 digits, mean over seeds, in grey levels of 255."""
    return 255 * float(_repeated("rmse_digits")[:, LIKELIHOODS.index(likelihood)].mean())


def _repeated(name: str) -> np.ndarray:
    return next(found[name] for found in map(_repeats, study_seeds.ARRAYS) if name in found)


def _repeats(name: str) -> dict[str, np.ndarray]:
    return bundle(name, study_seeds.ARRAYS)


def _difference(*sources: Source) -> Source:
    first, second = sources
    return lambda: first() - second()


# Results --------------------------------------------------------------------------------------------------------------

CONCRETE, KINDS, CHAINS, LATENT = "concrete_dropout", "kinds_of_uncertainty", "variational_or_mcmc", "latent_space"


def _seeds(case: str) -> Array:
    """Of each training seed the sd at the data and away from them, (R, 2)."""
    return bundle(study_seeds.CURVES, study_seeds.ARRAYS)[case]


def _of_seeds(case: str, place: int, of: Callable[[Array], float]) -> float:
    return of(_seeds(case)[:, place])


def _largest_ratio(case: str) -> float:
    at_data, away = _seeds(case).T
    return float((away / at_data).max())


def _of_exact(scene: str, method: str, of: Callable[[Array], float]) -> float:
    """The sd in the gap over seeds, relative to the exact one of the scene."""
    name = f"in_between.{scene}.{method}"
    dataset = study_seeds.cases()[name].load()
    settings = in_between_study.GAPS[scene]
    exact = shelf.find(compare_study.config_of(compare_study.REFERENCE, dataset, **settings))
    assert exact is not None
    x = np.linspace(*dataset.x_range, study_seeds.NUM_INPUTS)
    std = exact.predict(x[:, None], REFERENCE_SAMPLES).epistemic_std[:, 0]
    _, in_gap = in_between.at_the_points_and_in_the_middle(x, std, dataset.x[:, 0])
    return of(_seeds(name)[:, 1] / in_gap)


SIGNAL, NOISE, BACKPROP = "signal_to_noise", "variational_dropout", "bayes_by_backprop"
AT_DATA, OUTSIDE, IN_GAP = "Sd at the data", "Sd outside", "Sd in the gap"
ELBO, HELD_OUT, SAME = "Training ELBO (nats)", "Held-out ELBO (nats)", "Same class nearest (%)"
KNOWN, UNKNOWN = "ELBO, y known (nats)", "ELBO of the VAE (nats)"
CORRELATION, AT_ONE_X, UPRIGHT, TURNED = "Correlation", "Sd at one x", "Entropy upright (nats)", "Entropy at 90° (nats)"
ERROR, RUNS = "Held-out RMSE", "Runs at the best arm"
COSTS = r"Removing 75 % of the weights costs ([−+][\d.]+) "
AVERAGED = ("mc_dropout", "deep_ensemble", "concrete_dropout", "variational_dropout")
FOURTH_COLUMN, AVERAGE = 3, 2

MEASURED: dict[str, dict[str, Source | tuple[Source, ...]]] = {  # several sources: the number is quoted for each
    # Digits
    "exercises/digits: MC_DROPOUT": {
        "0.69": lambda: math.log(2),
        "0.33": lambda: coin(0.1),
        "0.37": lambda: math.log(2) - coin(0.1),
        "0.56": lambda: coin(0.25),
    },
    "exercises/digits: BEFORE_UNSEEN": {
        "59%": lambda: (
            100
            * shown("mc_dropout", "= expected entropy", scene="unseen")()
            / shown("mc_dropout", "Predictive entropy (nats)", scene="unseen")()
        ),
    },
    "exercises/digits: CONCRETE_DROPOUT": {
        "-2.20": lambda: math.log(0.1 / 0.9),
        "-0.20": lambda: math.log(0.1 / 0.9) + 2000 * 0.001,
        "0.45": lambda: relaxation.fastest_rate(0.1, np.array(2000)).item(),
        "0.40": lambda: results("concrete_authors")["narrow_rates"][:, 0, 1:].mean(),
        "0.50": lambda: results("concrete_authors_settled")["narrow_rates"][:, 0, 1:].mean(),
        "6.9%": lambda: 100 * relaxation.share_between(0.01, 0.99, 0.5, 0.03),
        "9.8%": lambda: 100 * relaxation.share_between(0.01, 0.99, 0.12, 0.1),
        "23%": lambda: 100 * relaxation.share_between(0.01, 0.99, 0.5, 0.1),
    },
    "exercises/digits: BEFORE_N10000": {
        "0.65": shown(CONCRETE, "Mean keep, layer 1"),
        "0.61": shown(CONCRETE, "Mean keep, layer 2"),
        "0.87": shown(CONCRETE, "Mean keep, layer 1", scene="n10000"),
        "0.84": shown(CONCRETE, "Mean keep, layer 2", scene="n10000"),
    },
    "exercises/digits: BEFORE_NO_ENTROPY": {
        "0.88": lambda: 1 - 0.12,
        "0.89": shown(CONCRETE, "Mean keep, layer 2", scene="no-entropy"),
        "0.90": shown(CONCRETE, "Mean keep, layer 1", scene="no-entropy"),
    },
    "exercises/digits: BEFORE_WIDTH": {
        "0.40": shown(CONCRETE, "Learned rate", scene="width"),
        "0.03": shown(CONCRETE, "Best rate of the grid", scene="width"),
        "0.06": shown(CONCRETE, "Best rate of the grid", nth=1, scene="width"),
    },
    # Foundations
    "exercises/foundations: BAYES_RULE": {
        "0.55": lambda: 3.25**-0.5,
        "2.02": lambda: _four_networks()[0],
        "-1.05": lambda: _four_networks()[1],
        "1.33": lambda: _four_networks()[2],
    },
    "exercises/foundations: KINDS_OF_UNCERTAINTY": {
        "0.41": lambda: results("kinds_claims")["feature_truth"][np.isnan(results("kinds_claims")["errors"])].item(),
        "0.10": lambda: results("kinds_claims")["feature_truth"][results("kinds_claims")["errors"] == 0].item(),
        "0.32": lambda: sum(map(float, loss_terms(np.array(1.0), np.array(2.0)))) - 0.5,
    },
    "exercises/foundations: BEFORE_CONSTANT": {"0.36": shown(KINDS, "Aleatoric sd", scene="constant")},
    "exercises/foundations: BEFORE_DROPOUT": {"0.00": shown(KINDS, "Power of N", scene="dropout")},
    "exercises/foundations: BEFORE_GREEN": {"0.1": said(KINDS, r"sd [\d.]+ m and ([\d.]+) m", scene="green")},
    "exercises/foundations: VARIATIONAL_OR_MCMC": {
        "0.31": shown(CHAINS, "sd of q over true sd"),
        "-0.95": lambda: -math.sqrt(1 - shown(CHAINS, "sd of q over true sd")() ** 2),
        "1.2": shown(CHAINS, "KL[q ‖ p] left (nats)"),
        "8.8": shown(CHAINS, "KL[q ‖ p] left (nats)", direction="forward"),
        "1.000": shown(CHAINS, "R-hat, later half", scene="agree"),
        "461": shown(CHAINS, "Effective draws", scene="agree"),
        "0.9": shown(CHAINS, "Error of the mean (sd)", scene="agree"),
        "2.3": shown(CHAINS, "R-hat, later half", look="walk", posterior="unit", walk_step="0.15"),
    },
    # Generative models
    "exercises/generative: AUTOENCODER": {
        "15.55": shown("autoencoder", "Plain: sd of codes"),
        "164": lambda: -shown("autoencoder", "VAE: log p(x|z) (nats)")(),
        "0.95": shown("autoencoder", "VAE: sd of codes", images="digits"),
        "1.43": shown("autoencoder", "VAE: sd of codes"),
        "1.10": shown("autoencoder", "VAE: sd of codes", images="mnist60000"),
    },
    "exercises/generative: BEFORE_DIGIT_CODES": {
        "0.95": (shown("autoencoder", "VAE: sd of codes", images="digits"), partial(_least, "codes_std_digits", 1)),
        "0.97": partial(_most, "codes_std_digits", 1),
        "5.3": (shown("autoencoder", "Plain: sd of codes", images="digits"), partial(_least, "codes_std_digits", 0)),
        "7.8": partial(_most, "codes_std_digits", 0),
    },
    "exercises/generative: CONDITIONAL": {
        "-152.6": shown("conditional", KNOWN),
        "-169.7": shown("conditional", UNKNOWN),
        "17": lambda: (_repeated("conditional_elbo") - _repeated("plane_elbo")[:, 1]).min(),
        "21": lambda: (_repeated("conditional_elbo") - _repeated("plane_elbo")[:, 1]).max(),
        "17.1": _difference(
            shown("conditional", "ELBO, y known (nats)"), shown("conditional", "ELBO of the VAE (nats)")
        ),
        "63%": shown(LATENT, SAME, codes="2d"),
        "19%": shown("conditional", SAME),
    },
    "exercises/generative: DECODE": {"4.5": lambda: math.sqrt(20)},
    "exercises/generative: LATENT_SPACE": {
        "3.62": lambda: float(kl_to_prior(np.zeros((1, 2)), np.full((1, 2), 0.1))[0]),
        "4.62": lambda: float(kl_to_prior(np.ones((1, 2)), np.full((1, 2), 0.1))[0]),
        "5.8": shown(LATENT, "KL (nats per image)", codes="2d"),
    },
    "exercises/generative: BEFORE_PLANE_OF_CODES": {"89%": shown(LATENT, SAME), "63%": shown(LATENT, SAME, codes="2d")},
    "exercises/generative: BEFORE_HELD_OUT": {"91%": shown(LATENT, SAME, part="test"), "89%": shown(LATENT, SAME)},
    "exercises/generative: LIKELIHOOD": {
        "-24.6": partial(_bound, "bernoulli", "digits"),
        "-148.7": partial(_bound, "bernoulli"),
        "-144.7": partial(_bound, "binarised_bernoulli"),
        "2,970.9": partial(_bound, "continuous_bernoulli"),
        "222.1": partial(_bound, "gaussian_pixels"),
    },
    "exercises/generative: BEFORE_GREYER_DIGITS": {
        "64.5": shown("likelihood", "Error, continuous (/255)"),
        "45.6": partial(_mean_error, "bernoulli"),
        "43.2": partial(_mean_error, "binarised_bernoulli"),
        "42.3": partial(_mean_error, "continuous_bernoulli"),
        "28.6": partial(_mean_error, "gaussian_pixels"),
    },
    "exercises/generative: MANIFOLD": {
        "0.64": lambda: code_grid(2, 5, "quantile")[FOURTH_COLUMN, 0],
        "0.954": lambda: math.erf(2 / math.sqrt(2)),
        "91%": lambda: 100 * math.erf(2 / math.sqrt(2)) ** 2,
        "97.5%": lambda: 100 * math.erf(2.5 / math.sqrt(2)) ** 2,
        "99.5%": lambda: 100 * math.erf(3 / math.sqrt(2)) ** 2,
        "2.6": lambda: 2.5758,
        "29%": said("manifold", r"(\d+) % of them lie outside", scene="codes"),
        "9%": lambda: 100 * (1 - math.erf(2 / math.sqrt(2)) ** 2),
        "1.43": shown("autoencoder", "VAE: sd of codes"),
    },
    "exercises/generative: VAE": {
        "-110.6": shown("vae", ELBO),
        "19.1": shown("vae", "KL (nats)"),
        "91.5": lambda: -shown("vae", ELBO)() - shown("vae", "KL (nats)")(),
        "-129.8": shown("vae", HELD_OUT),
        "-94.0": shown("vae", ELBO, images="mnist60000"),
        "-96.3": shown("vae", HELD_OUT, images="mnist60000"),
        "19": _difference(shown("vae", ELBO), shown("vae", HELD_OUT)),
        "2": _difference(shown("vae", ELBO, images="mnist60000"), shown("vae", HELD_OUT, images="mnist60000")),
    },
    "exercises/generative: BEFORE_PLANE": {
        "5.8": shown("vae", "KL (nats)", scene="plane"),
        "19.1": shown("vae", "KL (nats)"),
        "13": _difference(shown("vae", "KL (nats)"), shown("vae", "KL (nats)", scene="plane")),
        "-110.6": shown("vae", ELBO),
        "-151.2": (shown("vae", ELBO, scene="plane"), partial(_most, "plane_elbo", 0)),
        "-157.9": partial(_least, "plane_elbo", 0),
    },
    "exercises/generative: BEFORE_FREE": {
        "3": shown("vae", "KL (nats)", images="digits"),
        "250": lambda: 10 * round(shown("vae", "KL (nats)", scene="free")() / 10),
    },
    # Regression
    "exercises/regression: EFFECT_OF_LAMBDA": {
        "0.00316": lambda: LAMBDA_DECAYS[np.abs(np.log(np.array(LAMBDA_DECAYS) / 0.00316)).argmin()],
        "0.90": partial(_length_scale, 0.00316, 0.0),
        "0.00178": partial(_best_decay, 0.0),
        "0.000178": partial(_best_decay, 0.05),
    },
    "exercises/regression: BEFORE_DROPOUT": {
        "0.00178": partial(_best_decay, 0.0),
        "0.000178": partial(_best_decay, 0.05),
    },
    "exercises/regression: FUNCTION_DRAWS": {
        "0.20": partial(_of_seeds, "function_draws.good", 0, np.min),
        "0.26": partial(_of_seeds, "function_draws.good", 0, np.max),
        "0.028": partial(_of_seeds, "function_draws.ensemble", 0, np.min),
        "0.048": partial(_of_seeds, "function_draws.ensemble", 0, np.max),
    },
    "exercises/regression: BEFORE_TWO_LAYERS": {
        "0.12": partial(_of_exact, "two-layers", "bayes_by_backprop", np.min),
        "0.18": partial(_of_exact, "two-layers", "bayes_by_backprop", np.max),
        "0.16": partial(_of_exact, "two-layers", "bayes_by_backprop", np.median),
        "0.087": partial(_of_exact, "one-layer", "bayes_by_backprop", np.min),
        "0.11": partial(_of_exact, "one-layer", "bayes_by_backprop", np.max),
    },
    "exercises/regression: BEFORE_HIGH_DROPOUT": {
        "0.24": shown("function_draws", "Epistemic sd at the data"),
        "0.53": shown("function_draws", "Epistemic sd at the data", scene="high-dropout"),
    },
    "exercises/regression: BEFORE_GAP": {
        "85%": lambda: np.nanmin(column("compare", "Inside 90% (%)", scene="gap")),
    },
    "exercises/regression: ACTIVE_LEARNING": {
        "22.9": shown("active_learning", "Regret, greedy", scene="greedy"),
    },
    "exercises/regression: BEFORE_NOISE": {"18": lambda: _asked_in_noise().min()},
    "exercises/regression: BEFORE_DROPOUT_ASKS": {
        "3.6": lambda: _labels_saved()[0],
        "3.2": lambda: _labels_saved()[2] - _labels_saved()[0],
        "0.18": shown("active_learning", "Mean of 5 runs", scene="dropout"),
        "0.05": shown("active_learning", "Mean of 5 runs", nth=1, scene="dropout"),
        "0.08": shown("active_learning", "… at random", scene="dropout"),
        "0.02": shown("active_learning", "… at random", nth=1, scene="dropout"),
    },
    "exercises/regression: BEFORE_GREEDY": {
        "83%": shown("active_learning", RUNS, active_look="bandit", bandit_round="100"),
        "40%": shown("active_learning", RUNS, scene="greedy"),
    },
    # Results
    "exercises/results: BEFORE_LECTURE": {
        "-0.06": lambda: min(_gain_of_averaging(method).mean() for method in AVERAGED),
        "-0.01": lambda: max(_gain_of_averaging(method).mean() for method in AVERAGED),
        "0.07": lambda: min(_standard_error(_gain_of_averaging(method)) for method in AVERAGED),
        "0.12": lambda: max(_standard_error(_gain_of_averaging(method)) for method in AVERAGED),
    },
    "exercises/results: BEFORE_CERTAIN_AND_WRONG": {
        "0.21": shown("scoreboard", UPRIGHT, scene="rotation"),
        "0.76": shown("scoreboard", TURNED, scene="rotation"),
        "0.14": shown("scoreboard", UPRIGHT, scene="certain-and-wrong"),
        "0.08": shown("scoreboard", TURNED, scene="certain-and-wrong"),
        "11%": shown("scoreboard", "Right at 90° (%)", scene="certain-and-wrong"),
    },
    "exercises/results: BEFORE_OVERCONFIDENT": {
        "95%": partial(_certainty, "map"),
        "95": partial(_certainty, "map"),
        "89": lambda: 100 * results("classifier_mnist_map")["accuracy"].mean(),
        "6": lambda: _certainty("map") - 100 * results("classifier_mnist_map")["accuracy"].mean(),
    },
    "exercises/results: ERRATA": {
        "4": shown("errata", "τ too small, p = 0.5", erratum="inverted-dropout"),
        "1.23": shown("errata", "τ too small, p = 0.1", erratum="inverted-dropout"),
        "0.64": lambda: 0.8**2,
        "0.53": shown("errata", f"✗ {AT_ONE_X}"),
        "0.54": shown("errata", f"✓ {AT_ONE_X}"),
        "0.02": shown("errata", f"✗ {CORRELATION}"),
        "1.00": shown("errata", f"✓ {CORRELATION}"),
    },
    "exercises/results: BEFORE_RHO": {"1.2": shown("errata", "✗ σ, without ε", scene="rho")},
    "exercises/results: BEFORE_PLUG_IN": {"6.8": shown("errata", "Too good by (nats)", scene="plug-in")},
    "exercises/results: SCOREBOARD": {
        "98": lambda: 1000 * _risk("mc_dropout", 0.0),
        "95": partial(_certainty, "map"),
        "6.3%": shown("scoreboard", "ECE (%)", scene="overconfident"),
        "6.5": shown("scoreboard", "ECE of one pass (%)"),
        "2.9%": shown("scoreboard", "ECE (%)"),
    },
    # Weights
    "exercises/weights: BAYES_BY_BACKPROP": {
        "0.126": shown(BACKPROP, "Mean μ", scene="certain"),
        "0.0124": shown(BACKPROP, "Sd σ", scene="certain"),
        "0.48": shown(BACKPROP, OUTSIDE),
        "0.0073": shown(BACKPROP, OUTSIDE, scene="cold"),
        "0.024": partial(_of_seeds, "backprop.two_clusters.backprop", 1, np.min),
        "0.062": partial(_of_seeds, "backprop.two_clusters.backprop", 1, np.max),
        "0.026": partial(_of_seeds, "backprop.two_clusters.wide-prior", 1, np.min),
        "0.094": partial(_of_seeds, "backprop.two_clusters.wide-prior", 1, np.max),
        "2.4": partial(_largest_ratio, "backprop.two_clusters.wide-prior"),
    },
    "exercises/weights: BEFORE_WIDE": {
        "0.39": partial(_of_seeds, "backprop.blundell.backprop", 1, np.min),
        "0.56": partial(_of_seeds, "backprop.blundell.backprop", 1, np.max),
        "0.79": partial(_of_seeds, "backprop.blundell.wide-prior", 1, np.min),
        "2.3": partial(_of_seeds, "backprop.blundell.wide-prior", 1, np.max),
        "0.018": partial(_of_seeds, "backprop.blundell.backprop", 0, np.min),
        "0.026": partial(_of_seeds, "backprop.blundell.backprop", 0, np.max),
        "0.020": partial(_of_seeds, "backprop.blundell.wide-prior", 0, np.min),
        "0.031": partial(_of_seeds, "backprop.blundell.wide-prior", 0, np.max),
    },
    "exercises/weights: BEFORE_GAP": {
        "0.024": partial(_of_seeds, "backprop.two_clusters.backprop", 1, np.min),
        "0.062": partial(_of_seeds, "backprop.two_clusters.backprop", 1, np.max),
        "0.031": partial(_of_seeds, "backprop.two_clusters.backprop", 0, np.min),
        "0.051": partial(_of_seeds, "backprop.two_clusters.backprop", 0, np.max),
        "1.5": partial(_largest_ratio, "backprop.two_clusters.backprop"),
    },
    "exercises/weights: BEFORE_GRADIENTS": {"9": shown(BACKPROP, "One draw, by B = 32", scene="gradients")},
    "exercises/weights: COMPRESSION": {
        "314": shown("compression", "Weights left", scene="single"),
        "45": said("compression", r"reads (\d+) of 64 pixels", scene="single"),
        "23": said("compression", r"has (\d+) of 64", scene="single"),
        "1,794": lambda: 45 * 23 + 23 * 23 + 23 * 10,
        "4": lambda: -shown("compression", "Bits per weight, by layer", nth=2, scene="bits")() - 1 - 3,
    },
    "exercises/weights: BEFORE_SINGLE": {
        "566": shown("compression", "Weights left", scene="network"),
        "27": said("compression", r"reads (\d+) of 64 pixels", scene="network"),
        "12": said("compression", r"has (\d+) of 64", scene="network"),
        "11": said("compression", r"(\d+) of 32 hidden", scene="network"),
        "314": shown("compression", "Weights left", scene="single"),
        "45": said("compression", r"reads (\d+) of 64 pixels", scene="single"),
        "23": said("compression", r"has (\d+) of 64", scene="single"),
        "284": partial(_least, "sparse_variational_dropout_left"),
        "329": partial(_most, "sparse_variational_dropout_left"),
        "490": partial(_least, "group_normal_jeffreys_left"),
        "620": partial(_most, "group_normal_jeffreys_left"),
        "44": partial(_least, "sparse_variational_dropout_units", 0),
        "46": partial(_most, "sparse_variational_dropout_units", 0),
        "26": partial(_least, "group_normal_jeffreys_units", 0),
        "28": partial(_most, "group_normal_jeffreys_units", 0),
    },
    "exercises/weights: SIGNAL_TO_NOISE": {
        "-17.6": said(SIGNAL, r"below (−[\d.]+) dB", scene="ratios"),
        "1.45%": partial(_removed, "mnist", "small_sigma", 0.0),
        "1.70%": partial(_removed, "mnist", "small_sigma", 0.8),
        "2.72%": partial(_removed, "mnist", "small_sigma", 0.9),
        "0.18": lambda: -said(SIGNAL, COSTS)(),
        "0.07": said(SIGNAL, COSTS[:-1].replace("([−+][\\d.]+)", "[−+][\\d.]+ ± ([\\d.]+)")),
    },
    "exercises/weights: BEFORE_TINY": {
        "1.45": partial(_removed, "mnist", "small_sigma", 0.0),
        "2.72%": partial(_removed, "mnist", "small_sigma", 0.9),
    },
    "exercises/weights: BEFORE_ALL_REMOVED": {"4.5%": partial(_removed, "mnist", "honest", 0.98)},
    "exercises/weights: BEFORE_HISTOGRAMS": {
        "0.198": said(SIGNAL, r"one draw ([\d.]+\d)", scene="histograms"),
        "0.030": said(SIGNAL, r"plain network ([\d.]+)", scene="histograms"),
        "0.038": said(SIGNAL, r"means ([\d.]+)", scene="histograms"),
    },
    "exercises/weights: SPARSITY": {
        "80%": shown("sparsity", "Mean, of its best value", look="one", strength="5", method="ard"),
        "90%": shown("sparsity", "Mean, of its best value", look="one", strength="10", method="ard"),
        "1.12": lambda: float(one_weight.strength_at(3.0, sparse_variational)),
        "2.2": (partial(_least, "few_paid", 0), partial(_most, "few_paid", 0)),
        "1.2": partial(_least, "few_paid", 1),
        "1.4": partial(_most, "few_paid", 1),
    },
    "exercises/weights: BEFORE_WEAK": {"-1.74": shown("sparsity", "Best log α", scene="strong")},
    "exercises/weights: BEFORE_FEW": {
        "2.2": (partial(_least, "few_paid", 0), partial(_most, "few_paid", 0)),
        "1.2": partial(_least, "few_paid", 1),
        "1.4": partial(_most, "few_paid", 1),
        "2.3": lambda: math.log(10),
    },
    "exercises/weights: VARIATIONAL_DROPOUT": {
        "0.25": lambda: weight_noise.matched_alpha(0.2),
        "0.0025": lambda: 0.05**2,
        "12.3%": lambda: 100 * weight_noise.distance_to_gaussian(10, 0.5),
    },
    "exercises/weights: BEFORE_MANY": {
        "22%": lambda: 100 * weight_noise.distance_to_gaussian(3, 0.5),
        "3%": lambda: 100 * weight_noise.distance_to_gaussian(200, 0.5),
        "2.8%": lambda: 100 * weight_noise.distance_to_gaussian(200, 0.5),
    },
    "exercises/weights: BEFORE_DROWNED": {
        "0.50": (shown(NOISE, "NLL, α per neuron", scene="functions"), partial(_least, "noise_nll", 0)),
        "1.80": shown(NOISE, "NLL, α per neuron", scene="drowned"),
        "0.70": partial(_most, "noise_nll", 0),
        "1.77": partial(_least, "noise_nll", 1),
        "2.02": partial(_most, "noise_nll", 1),
    },
    # Pages
    "bdlviz/errata/concrete.py": {"0.50": lambda: expit(0.0), "0.73": lambda: expit(1.0)},
    "pages/results/errata.py": {"0.50": lambda: expit(0.0), "0.73": lambda: expit(1.0)},
    "bdlviz/topics/foundations/kinds_of_uncertainty/views_classes.py": {"0.69": lambda: math.log(2)},
    "bdlviz/topics/generative/conditional/views.py": {"2.3": lambda: math.log(10)},
    "pages/generative/conditional.py": {"2.3": lambda: math.log(10)},
    "pages/foundations/bayes_rule.py": {  # MLE, MAP and average with one, three and twenty points
        "4.67": partial(_bayes_loss, 1, 0),
        "4.51": partial(_bayes_loss, 1, 1),
        "1.88": (partial(_bayes_loss, 1, AVERAGE), partial(_bayes_loss, 3, 0)),
        "1.41": partial(_bayes_loss, 3, 1),
        "1.34": partial(_bayes_loss, 3, AVERAGE),
        "1.11": partial(_bayes_loss, 20, 0),
        "1.10": partial(_bayes_loss, 20, 1),
        "1.09": partial(_bayes_loss, 20, AVERAGE),
    },
    "pages/results/scoreboard.py": {
        "95%": partial(_certainty, "map"),
        "89": lambda: 100 * results("classifier_mnist_map")["accuracy"].mean(),
    },
    "pages/weights/sparsity.py": {
        "2.30": (partial(_least, "thousand_paid", 0), partial(_most, "thousand_paid", 0)),
        "0.80": partial(_least, "thousand_paid", 1),
        "0.83": partial(_most, "thousand_paid", 1),
        "0.4%": lambda: 100 * _repeated("thousand_share")[:, 1].mean(),
    },
    "pages/weights/signal_to_noise.py": {
        "1,437": lambda: len(results("autoencoder_digits_2d")["train_labels"]),
        "360": lambda: len(results("bayes_digits_honest")["labels"]),
        "0.28": lambda: 100 / len(results("bayes_digits_honest")["labels"]),
        "25,856": lambda: 64 * 128 + 128 * 128 + 128 * 10,
    },
}
