"""The results that exercises on results and weights quote, and all pages, and where they come from."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.special import expit
from scipy.stats import t

from bdlviz.models.divergences import sparse_variational
from bdlviz.topics.weights.sparsity import one_weight
from bdlviz.topics.weights.variational_dropout import weight_noise
from tests.quoted.computed import (
    AVERAGE,
    bayes_loss,
    certainty,
    gain_of_averaging,
    largest_ratio,
    least,
    most,
    of_seeds,
    removed,
    repeated,
    risk,
    standard_error,
)
from tests.quoted.sources import Source, results, said, shown

SIGNAL, NOISE, BACKPROP = "signal_to_noise", "variational_dropout", "bayes_by_backprop"
OUTSIDE = "Sd outside"
JUMP, UPRIGHT, TURNED = "Jump to the next x", "Entropy upright (nats)", "Entropy at 90° (nats)"
PIXELS_LEFT, UNITS_LEFT = r"has (\d+) of 64 pixels", r"pixels and (\d+) of 64"
COSTS = r"Removing 75 % of the weights costs ([−+][\d.]+) "
AVERAGED = ("mc_dropout", "deep_ensemble", "concrete_dropout", "variational_dropout")

FROM_RESULTS: dict[str, dict[str, Source | tuple[Source, ...]]] = {
    # Results
    "exercises/results: BEFORE_LECTURE": {
        "-0.06": lambda: min(gain_of_averaging(method).mean() for method in AVERAGED),
        "-0.01": lambda: max(gain_of_averaging(method).mean() for method in AVERAGED),
        "0.07": lambda: min(standard_error(gain_of_averaging(method)) for method in AVERAGED),
        "0.12": lambda: max(standard_error(gain_of_averaging(method)) for method in AVERAGED),
    },
    "exercises/results: REGISTER": {"2.78": lambda: float(t.ppf(0.975, 4))},
    "exercises/results: BEFORE_CERTAIN_AND_WRONG": {
        "0.21": shown("scoreboard", UPRIGHT, scene="rotation"),
        "0.76": shown("scoreboard", TURNED, scene="rotation"),
        "0.14": shown("scoreboard", UPRIGHT, scene="certain-and-wrong"),
        "0.08": shown("scoreboard", TURNED, scene="certain-and-wrong"),
        "11%": shown("scoreboard", "Right at 90° (%)", scene="certain-and-wrong"),
    },
    "exercises/results: BEFORE_OVERCONFIDENT": {
        "95%": partial(certainty, "map"),
        "95": partial(certainty, "map"),
        "89": lambda: 100 * results("classifier_mnist_map")["accuracy"].mean(),
        "6": lambda: certainty("map") - 100 * results("classifier_mnist_map")["accuracy"].mean(),
    },
    "exercises/results: ERRATA": {
        "4": said("errata", r"τ too small, p = 0\.5: ([\d.]+)", erratum="inverted-dropout"),
        "1.23": said("errata", r"τ too small, p = 0\.1: ([\d.]+)", erratum="inverted-dropout"),
        "0.64": lambda: 0.8**2,
        "0.53": said("errata", r"✗ Sd at one x: ([\d.]+)"),
        "0.54": said("errata", r"✓ Sd at one x: ([\d.]+)"),
        "0.61": shown("errata", f"✗ {JUMP}"),
        "0.07": shown("errata", f"✓ {JUMP}"),
    },
    "exercises/results: BEFORE_RHO": {"1.2": shown("errata", "✗ σ, without ε", scene="rho")},
    "exercises/results: BEFORE_PLUG_IN": {"6.8": said("errata", r"Too good by \(nats\): ([\d.]+)", scene="plug-in")},
    "exercises/results: SCOREBOARD": {
        "98": lambda: 1000 * risk("mc_dropout", 0.0),
        "95": partial(certainty, "map"),
        "6.3%": lambda: 100 * results("classifier_mnist_map")["ece"].mean(),
        "6.5": lambda: 100 * results("classifier_mnist_mc_dropout")["ece_one_pass"].mean(),
        "2.9%": lambda: 100 * results("classifier_mnist_mc_dropout")["ece"].mean(),
    },
    # Weights
    "exercises/weights: BAYES_BY_BACKPROP": {
        "0.126": shown(BACKPROP, "Mean μ", look="weight"),
        "0.0124": shown(BACKPROP, "Sd σ", look="weight"),
        "0.48": shown(BACKPROP, OUTSIDE),
        "0.0073": shown(BACKPROP, OUTSIDE, kl_weight="0"),
        "0.024": partial(of_seeds, "backprop.two_clusters.backprop", 1, np.min),
        "0.062": partial(of_seeds, "backprop.two_clusters.backprop", 1, np.max),
        "0.026": partial(of_seeds, "backprop.two_clusters.wide-prior", 1, np.min),
        "0.094": partial(of_seeds, "backprop.two_clusters.wide-prior", 1, np.max),
        "2.4": partial(largest_ratio, "backprop.two_clusters.wide-prior"),
    },
    "exercises/weights: BEFORE_WIDE": {
        "0.39": partial(of_seeds, "backprop.blundell.backprop", 1, np.min),
        "0.56": partial(of_seeds, "backprop.blundell.backprop", 1, np.max),
        "0.79": partial(of_seeds, "backprop.blundell.wide-prior", 1, np.min),
        "2.3": partial(of_seeds, "backprop.blundell.wide-prior", 1, np.max),
        "0.018": partial(of_seeds, "backprop.blundell.backprop", 0, np.min),
        "0.026": partial(of_seeds, "backprop.blundell.backprop", 0, np.max),
        "0.020": partial(of_seeds, "backprop.blundell.wide-prior", 0, np.min),
        "0.031": partial(of_seeds, "backprop.blundell.wide-prior", 0, np.max),
    },
    "exercises/weights: BEFORE_GAP": {
        "0.024": partial(of_seeds, "backprop.two_clusters.backprop", 1, np.min),
        "0.062": partial(of_seeds, "backprop.two_clusters.backprop", 1, np.max),
        "0.031": partial(of_seeds, "backprop.two_clusters.backprop", 0, np.min),
        "0.051": partial(of_seeds, "backprop.two_clusters.backprop", 0, np.max),
        "1.5": partial(largest_ratio, "backprop.two_clusters.backprop"),
    },
    "exercises/weights: BEFORE_GRADIENTS": {"9": shown(BACKPROP, "One draw, by B = 32", scene="gradients")},
    "exercises/weights: COMPRESSION": {
        "314": shown("compression", "Weights left", scene="single"),
        "45": said("compression", PIXELS_LEFT, scene="single"),
        "23": said("compression", UNITS_LEFT, scene="single"),
        "1,794": lambda: 45 * 23 + 23 * 23 + 23 * 10,
        "4": lambda: (
            -shown("compression", "Bits per weight, by layer", nth=2, look="bits", compressed_images="digits")() - 1 - 3
        ),
    },
    "exercises/weights: BEFORE_SINGLE": {
        "566": shown("compression", "Weights left", compressed_images="digits"),
        "27": said("compression", PIXELS_LEFT, compressed_images="digits"),
        "12": said("compression", UNITS_LEFT, compressed_images="digits"),
        "11": said("compression", r"(\d+) of 32 hidden", compressed_images="digits"),
        "314": shown("compression", "Weights left", scene="single"),
        "45": said("compression", PIXELS_LEFT, scene="single"),
        "23": said("compression", UNITS_LEFT, scene="single"),
        "284": partial(least, "sparse_variational_dropout_left"),
        "329": partial(most, "sparse_variational_dropout_left"),
        "490": partial(least, "group_normal_jeffreys_left"),
        "620": partial(most, "group_normal_jeffreys_left"),
        "44": partial(least, "sparse_variational_dropout_units", 0),
        "46": partial(most, "sparse_variational_dropout_units", 0),
        "26": partial(least, "group_normal_jeffreys_units", 0),
        "28": partial(most, "group_normal_jeffreys_units", 0),
    },
    "exercises/weights: SIGNAL_TO_NOISE": {
        "-17.6": said(SIGNAL, r"below (−[\d.]+) dB", scene="ratios"),
        "1.45%": partial(removed, "mnist", "small_sigma", 0.0),
        "1.70%": partial(removed, "mnist", "small_sigma", 0.8),
        "2.72%": partial(removed, "mnist", "small_sigma", 0.9),
        "0.18": lambda: -said(SIGNAL, COSTS)(),
        "0.07": said(SIGNAL, COSTS[:-1].replace("([−+][\\d.]+)", "[−+][\\d.]+ ± ([\\d.]+)")),
    },
    "exercises/weights: BEFORE_TINY": {
        "1.45": partial(removed, "mnist", "small_sigma", 0.0),
        "2.72%": partial(removed, "mnist", "small_sigma", 0.9),
    },
    "exercises/weights: BEFORE_ALL_REMOVED": {"4.5%": partial(removed, "mnist", "honest", 0.98)},
    "exercises/weights: BEFORE_HISTOGRAMS": {
        "0.198": said(SIGNAL, r"one draw ([\d.]+\d)", scene="histograms"),
        "0.030": said(SIGNAL, r"plain network ([\d.]+)", scene="histograms"),
        "0.038": said(SIGNAL, r"means ([\d.]+)", scene="histograms"),
    },
    "exercises/weights: SPARSITY": {
        "80%": shown("sparsity", "Mean, of its best value", look="one", strength="5", method="ard"),
        "90%": shown("sparsity", "Mean, of its best value", look="one", strength="10", method="ard"),
        "1.12": lambda: float(one_weight.strength_at(3.0, sparse_variational)),
        "2.2": (partial(least, "few_paid", 0), partial(most, "few_paid", 0)),
        "1.2": partial(least, "few_paid", 1),
        "1.4": partial(most, "few_paid", 1),
    },
    "exercises/weights: BEFORE_WEAK": {"-1.74": shown("sparsity", "Best log α", look="one")},
    "exercises/weights: BEFORE_FEW": {
        "2.2": (partial(least, "few_paid", 0), partial(most, "few_paid", 0)),
        "1.2": partial(least, "few_paid", 1),
        "1.4": partial(most, "few_paid", 1),
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
        "0.50": (shown(NOISE, "NLL, α per neuron", scene="functions"), partial(least, "noise_nll", 0)),
        "1.80": shown(NOISE, "NLL, α per neuron", scene="drowned"),
        "0.70": partial(most, "noise_nll", 0),
        "1.77": partial(least, "noise_nll", 1),
        "2.02": partial(most, "noise_nll", 1),
    },
    # Pages
    "bdlviz/errata/concrete.py": {"0.50": lambda: expit(0.0), "0.73": lambda: expit(1.0)},
    "bdlviz/topics/digits/mc_dropout/views.py": {"2.30": lambda: math.log(10)},
    "bdlviz/topics/foundations/noise_or_ignorance/views_classes.py": {"0.69": lambda: math.log(2)},
    "bdlviz/topics/generative/conditional/views.py": {"2.3": lambda: math.log(10)},
    "pages/generative/conditional.py": {"2.3": lambda: math.log(10)},
    "pages/foundations/bayes_rule.py": {  # MLE, MAP and average with one, three and twenty points
        "4.67": partial(bayes_loss, 1, 0),
        "4.51": partial(bayes_loss, 1, 1),
        "1.88": (partial(bayes_loss, 1, AVERAGE), partial(bayes_loss, 3, 0)),
        "1.41": partial(bayes_loss, 3, 1),
        "1.34": partial(bayes_loss, 3, AVERAGE),
        "1.11": partial(bayes_loss, 20, 0),
        "1.10": partial(bayes_loss, 20, 1),
        "1.09": partial(bayes_loss, 20, AVERAGE),
    },
    "pages/weights/sparsity.py": {
        "2.30": (partial(least, "thousand_paid", 0), partial(most, "thousand_paid", 0)),
        "0.80": partial(least, "thousand_paid", 1),
        "0.83": partial(most, "thousand_paid", 1),
        "0.4%": lambda: 100 * repeated("thousand_share")[:, 1].mean(),
    },
    "pages/weights/signal_to_noise.py": {
        "1,437": lambda: len(results("autoencoder_digits_2d")["train_labels"]),
        "360": lambda: len(results("bayes_digits_honest")["labels"]),
        "0.28": lambda: 100 / len(results("bayes_digits_honest")["labels"]),
        "25,856": lambda: 64 * 128 + 128 * 128 + 128 * 10,
    },
}
