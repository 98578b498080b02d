"""The results that texts on digits, foundations, generative models and regression quote, and where they come from."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from bdlviz.predictive import relaxation
from bdlviz.predictive.kinds import loss_terms
from bdlviz.predictive.latent import code_grid, kl_to_prior
from bdlviz.topics.regression.effect_of_lambda.study import LAMBDA_DECAYS
from tests.quoted.computed import (
    asked_in_noise,
    best_decay,
    best_decays,
    best_mean_field_width,
    bound,
    change_below,
    coin,
    difference,
    four_networks,
    labels_saved,
    least,
    length_scale,
    mean_error,
    most,
    of_exact,
    of_seeds,
    repeated,
)
from tests.quoted.sources import Source, column, results, said, shown

CONCRETE, CHAINS, LATENT = "concrete_dropout", "variational_or_mcmc", "latent_space"
KINDS, DEPTH = "noise_or_ignorance", "depth_and_edges"

ELBO, HELD_OUT, SAME = "Training ELBO (nats)", "Held-out ELBO (nats)", "Same class nearest (%)"
KL = "Training KL (nats)"
LAST = "100"
KNOWN, UNKNOWN = "ELBO, y known (nats)", "ELBO of the VAE (nats)"
RUNS = "Runs at the best arm"

TO_REGRESSION: dict[str, dict[str, Source | tuple[Source, ...]]] = {  # several sources: the number is quoted for each
    # Digits
    "exercises/digits: MC_DROPOUT": {
        "0.69": lambda: math.log(2),
        "0.33": lambda: coin(0.1),
        "0.37": lambda: math.log(2) - coin(0.1),
        "0.56": lambda: coin(0.25),
    },
    "exercises/digits: BEFORE_UNSEEN": {
        "61%": lambda: (
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
        "2.02": lambda: four_networks()[0],
        "-1.05": lambda: four_networks()[1],
        "1.33": lambda: four_networks()[2],
    },
    "exercises/foundations: NOISE_OR_IGNORANCE": {
        "0.41": lambda: results("kinds_claims")["feature_truth"][np.isnan(results("kinds_claims")["errors"])].item(),
        "0.10": lambda: results("kinds_claims")["feature_truth"][results("kinds_claims")["errors"] == 0].item(),
        "0.32": lambda: sum(map(float, loss_terms(np.array(1.0), np.array(2.0)))) - 0.5,
    },
    "exercises/foundations: BEFORE_CONSTANT": {"0.36": shown(KINDS, "Aleatoric sd", scene="constant")},
    "exercises/foundations: BEFORE_DROPOUT": {"0.00": shown(KINDS, "Power of N", scene="dropout")},
    "exercises/foundations: BEFORE_GREEN": {"0.1": said(DEPTH, r"differ by ([\d.]+) m, elsewhere", scene="green")},
    "exercises/foundations: VARIATIONAL_OR_MCMC": {
        "0.31": shown(CHAINS, "sd of q over true sd"),
        "0.302": best_mean_field_width,
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
        "10.7": shown("autoencoder", "Plain: sd of codes", look="planes"),
        "14.6": shown("autoencoder", "Plain: sd of codes", nth=1, look="planes"),
        "164": lambda: -shown("autoencoder", "VAE: held-out log p(x|z)", look="planes")(),
        "0.95": tuple(shown("autoencoder", "VAE: sd of codes", nth, look="planes", images="digits") for nth in (0, 1)),
        "1.39": shown("autoencoder", "VAE: sd of codes", nth=1, look="planes"),
        "1.09": shown("autoencoder", "VAE: sd of codes", nth=1, look="planes", images="mnist60000"),
    },
    "exercises/generative: BEFORE_DIGIT_CODES": {
        "0.95": (
            shown("autoencoder", "VAE: sd of codes", look="planes", images="digits"),
            partial(least, "codes_std_digits", 1),
        ),
        "0.97": partial(most, "codes_std_digits", 1),
        "4.99": shown("autoencoder", "Plain: sd of codes", look="planes", images="digits"),
        "4.76": shown("autoencoder", "Plain: sd of codes", nth=1, look="planes", images="digits"),
        "5.3": partial(least, "codes_std_digits", 0),
        "7.8": partial(most, "codes_std_digits", 0),
    },
    "exercises/generative: CONDITIONAL": {
        "-152.6": shown("conditional", KNOWN),
        "-169.7": shown("conditional", UNKNOWN),
        "17": lambda: (repeated("conditional_elbo") - repeated("plane_elbo")[:, 1]).min(),
        "21": lambda: (repeated("conditional_elbo") - repeated("plane_elbo")[:, 1]).max(),
        "17.1": difference(
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
        "-24.6": partial(bound, "bernoulli", "digits"),
        "-148.7": partial(bound, "bernoulli"),
        "-144.7": partial(bound, "binarised_bernoulli"),
        "2,970.9": partial(bound, "continuous_bernoulli"),
        "222.1": partial(bound, "gaussian_pixels"),
    },
    "exercises/generative: BEFORE_GREYER_DIGITS": {
        "64.5": shown("likelihood", "Error, continuous (/255)", look="likelihoods"),
        "45.6": partial(mean_error, "bernoulli"),
        "43.2": partial(mean_error, "binarised_bernoulli"),
        "42.3": partial(mean_error, "continuous_bernoulli"),
        "28.6": partial(mean_error, "gaussian_pixels"),
    },
    "exercises/generative: MANIFOLD": {
        "0.64": lambda: code_grid(2, 5, "quantile")[3, 0],
        "0.954": lambda: math.erf(2 / math.sqrt(2)),
        "91%": lambda: 100 * math.erf(2 / math.sqrt(2)) ** 2,
        "97.5%": lambda: 100 * math.erf(2.5 / math.sqrt(2)) ** 2,
        "99.5%": lambda: 100 * math.erf(3 / math.sqrt(2)) ** 2,
        "2.6": lambda: 2.5758,
        "29%": said("manifold", r"(\d+) % of the codes lie outside", reach="2"),
        "9%": lambda: 100 * (1 - math.erf(2 / math.sqrt(2)) ** 2),
        "1.46": shown("autoencoder", "VAE: sd of codes", look="planes"),
        "1.39": shown("autoencoder", "VAE: sd of codes", nth=1, look="planes"),
    },
    "exercises/generative: VAE": {
        "-110.6": shown("vae", ELBO, shown_epoch=LAST),
        "19.1": shown("vae", KL, shown_epoch=LAST),
        "91.5": lambda: -shown("vae", ELBO, shown_epoch=LAST)() - shown("vae", KL, shown_epoch=LAST)(),
        "-129.8": shown("vae", HELD_OUT, shown_epoch=LAST),
        "-94.0": shown("vae", ELBO, images="mnist60000", shown_epoch=LAST),
        "-96.3": shown("vae", HELD_OUT, images="mnist60000", shown_epoch=LAST),
        "19": difference(shown("vae", ELBO, shown_epoch=LAST), shown("vae", HELD_OUT, shown_epoch=LAST)),
        "2": difference(
            shown("vae", ELBO, images="mnist60000", shown_epoch=LAST),
            shown("vae", HELD_OUT, images="mnist60000", shown_epoch=LAST),
        ),
    },
    "exercises/generative: BEFORE_PLANE": {
        "5.8": shown("vae", KL, scene="plane"),
        "19.1": shown("vae", KL, shown_epoch=LAST),
        "13": difference(shown("vae", KL, shown_epoch=LAST), shown("vae", KL, scene="plane")),
        "-110.6": shown("vae", ELBO, shown_epoch=LAST),
        "-151.2": (shown("vae", ELBO, scene="plane"), partial(most, "plane_elbo", 0)),
        "-157.9": partial(least, "plane_elbo", 0),
    },
    "exercises/generative: BEFORE_FREE": {
        "3": shown("vae", KL, images="digits", shown_epoch=LAST),
        "250": lambda: 10 * round(shown("vae", KL, scene="free")() / 10),
    },
    # Regression
    "exercises/regression: EFFECT_OF_LAMBDA": {
        "0.00316": lambda: LAMBDA_DECAYS[np.abs(np.log(np.array(LAMBDA_DECAYS) / 0.00316)).argmin()],
        "0.90": partial(length_scale, 0.00316, 0.0),
        "0.00178": partial(best_decay, 0.0),
    },
    "exercises/regression: BEFORE_DROPOUT": {
        "0.00178": partial(best_decay, 0.0),
        "0.06": lambda: 0.01 * math.ceil(100 * change_below(0.001, 0.05)),
        "3.16e-7": lambda: float(best_decays(0.05)[:2].max()),
        "1.78e-4": lambda: float(best_decays(0.05)[2]),
    },
    "exercises/regression: FUNCTION_DRAWS": {
        "0.20": partial(of_seeds, "function_draws.good", 0, np.min),
        "0.26": partial(of_seeds, "function_draws.good", 0, np.max),
        "0.028": partial(of_seeds, "function_draws.ensemble", 0, np.min),
        "0.048": partial(of_seeds, "function_draws.ensemble", 0, np.max),
    },
    "exercises/regression: BEFORE_TWO_LAYERS": {
        "0.12": partial(of_exact, "two-layers", "bayes_by_backprop", np.min),
        "0.18": partial(of_exact, "two-layers", "bayes_by_backprop", np.max),
        "0.16": partial(of_exact, "two-layers", "bayes_by_backprop", np.median),
        "0.087": partial(of_exact, "one-layer", "bayes_by_backprop", np.min),
        "0.11": partial(of_exact, "one-layer", "bayes_by_backprop", np.max),
    },
    "exercises/regression: BEFORE_HIGH_DROPOUT": {
        "0.24": shown("function_draws", "Epistemic sd at the data"),
        "0.53": shown("function_draws", "Epistemic sd at the data", scene="high-dropout"),
    },
    "exercises/regression: BEFORE_GAP": {
        "85%": lambda: np.nanmin(column("compare", "Inside 90% (%)", scene="gap")),
    },
    "exercises/regression: ACTIVE_LEARNING": {
        "26.0": shown("active_learning", "Regret, greedy", scene="greedy"),
    },
    "exercises/regression: BEFORE_NOISE": {"18": lambda: asked_in_noise().min()},
    "exercises/regression: BEFORE_DROPOUT_ASKS": {
        "3.6": lambda: labels_saved()[0],
        "3.2": lambda: labels_saved()[2] - labels_saved()[0],
        "0.18": shown("active_learning", "Mean of 5 runs", scene="dropout"),
        "0.05": shown("active_learning", "Mean of 5 runs", nth=1, scene="dropout"),
        "0.08": shown("active_learning", "At random", scene="dropout"),
        "0.02": shown("active_learning", "At random", nth=1, scene="dropout"),
    },
    "exercises/regression: BEFORE_GREEDY": {
        "88%": shown("active_learning", RUNS, active_look="bandit", bandit_round="100"),
        "31%": shown("active_learning", RUNS, scene="greedy"),
    },
}
