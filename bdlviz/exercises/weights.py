"""Exercises of the section on weights: what distributions over single weights say, and how many weights can go."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from bdlviz.exercises.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.models import divergences, one_weight, shrinkage
from bdlviz.predictive import description, weight_noise

DIVERGENCES = {"sparse_variational_dropout": divergences.sparse_variational, "ard": divergences.ard}


# Bayes by Backprop ----------------------------------------------------------------------------------------------------


BAYES_BY_BACKPROP: tuple[Exercise, ...] = (
    Number(
        "Open *Most certain weight*: at the end μ = 0.126 and σ = 0.0124, and the prior is N(0, 1). How many bits does "
        "it take to tell somebody this weight, that is, how large is its KL to the prior?",
        lambda: float(description.bits(divergences.gaussian(0.126, 0.0124, 1.0))),
        0.02,
        "$\\frac12(\\mu^2 + \\sigma^2 - 1) - \\log\\sigma = 3.90$ nats, divided by log 2: the price of being narrow. A "
        "weight that stays as wide as the prior costs nothing.",
        "The KL is $\\frac12(\\mu^2 + \\sigma^2 - 1) - \\log\\sigma$ here, in nats; a nat is 1 / log 2 bits.",
        "bits",
    ),
    Setting(
        "Leave ρ at the start as it is. Set the page so that the band closes away from the points, too, although the "
        "draws still follow the points.",
        lambda options: options["kl_weight"] == "0" and options["start_rho"] == "-4",
        {"kl_weight": "0"},
        "With β = 0 nothing rewards width, so σ shrinks. With this training seed the sd outside falls from 0.48 to "
        "0.0073. The KL term is what keeps q as wide as the prior where the data say nothing.",
        "A tight prior closes the band, but then the draws ignore the points. Which term of the bound asks for width?",
    ),
    Choice(
        "Open *A gap in the data* and raise σ₁ to 7.39. Over 20 training seeds the sd in the gap is 0.024 to 0.062 "
        "with σ₁ = 1 and 0.026 to 0.094 with σ₁ = 7.39, at most 2.4 times that at the clusters. Why does the band not "
        "open?",
        (
            "The data leave no doubt about the function between the clusters.",
            "Every weight is uncertain by itself: a width that opened the gap would blur the fit at the clusters, too.",
            "Twenty draws are too few to show the width in the gap.",
            "The prior is still too narrow.",
        ),
        1,
        "To be uncertain in the gap alone, several weights would have to move together, and q has no correlations. For "
        "one hidden layer of ReLU it is a theorem: around the middle of the data the variance is at most the sum of "
        "those on both sides.",
        "The truth lies far off in the gap, and σ₁ = 7.39 is wide. What can a q without correlations not say?",
    ),
)
BEFORE_WIDE = Prediction(
    Choice(
        "This is σ₁ = 1. Where does the band change most when σ₁ rises to 7.39?",
        (
            "At the points: it becomes wider there.",
            "Away from the points: it becomes wider there.",
            "Nowhere: the data have decided.",
        ),
        1,
        "Over 20 training seeds the sd outside is 0.39 to 0.56 with the one prior and 0.79 to 2.3 with the other; at "
        "the points it is 0.018 to 0.026 and 0.020 to 0.031. Where there are data, the prior hardly matters.",
    ),
    {},
)
BEFORE_GAP = Prediction(
    Choice(
        "Now two clusters of points with a wide gap between them. How uncertain is q in the gap?",
        (
            "Several times as uncertain as at the clusters.",
            "About as uncertain as at the clusters, less than twice.",
            "Not at all: all draws agree there.",
        ),
        1,
        "Over 20 training seeds the sd is 0.024 to 0.062 in the gap and 0.031 to 0.051 at the clusters, never more "
        "than 1.5 times as large in the gap, though the truth is far away.",
    ),
    {},
)
BEFORE_GRADIENTS = Prediction(
    Choice(
        "The gradient by μ from 32 points instead of one, all of them with one and the same draw of the weights: how "
        "much less noise has it?",
        ("32 times less.", "Less, but by far not 32 times.", "As much as before."),
        1,
        "About 9 times: what the points share does not average out. With a draw for every point it would be about 32 "
        "times.",
    ),
    {},
)


# Compression ----------------------------------------------------------------------------------------------------------


def _hides_noise_and_keeps_signal(options: Mapping[str, str]) -> bool:
    prior, scale, slab = options["shrinking_prior"], float(options["prior_scale"]), float(options["slab_share"])
    small, large = shrinkage.posterior_mean(prior, np.array([1.0, 6.0]), scale, slab)
    return bool(small < 0.1 and large > 5.5)


def _dense_over_sparse() -> float:
    sizes = (45, 23, 23, 10)
    return sum(before * after for before, after in pairwise(sizes)) / 314


COMPRESSION: tuple[Exercise, ...] = (
    Setting(
        "In *priors that shrink*, find a prior and a scale that prune well: they believe less than 0.1 of an "
        "observation of 1, but more than 5.5 of an observation of 6.",
        _hides_noise_and_keeps_signal,
        {"prior_scale": "0.1"},
        "It takes a prior with much mass near 0 and heavy tails, such as the horseshoe with a small scale, or a spike "
        "and a wide slab. The Gaussian shrinks both alike, and the Laplace prior pays for the one with the other.",
        "Start with the horseshoe and make its scale smaller; watch the two numbers *believed*.",
    ),
    Number(
        "Open *Single weights*: 314 weights are not 0, yet 45 pixels, 23 and 23 hidden units and 10 classes still have "
        "one. How many times as many numbers does a dense network of these sizes store, biases not counted?",
        _dense_over_sparse,
        0.02,
        "45 · 23 + 23 · 23 + 23 · 10 = 1,794 numbers for 314 weights. A matrix gets smaller only where a whole row or "
        "column is 0; that is why priors for groups pay, although they leave more weights.",
        "Between two layers a dense network stores the product of their sizes.",
    ),
    Choice(
        "Open *Bits*: the layers need 1 + 3 + 1, 1 + 3 + 1 and 1 + 3 + 4 bits, as sign + exponent + places. What does "
        "that say of the last layer?",
        (
            "Its weights are larger.",
            "Its weights are more certain: their posterior variances are smaller.",
            "It has more weights.",
            "It matters least, so that it is kept as it was.",
        ),
        1,
        "Size counts in the exponent, which is the same everywhere. Places after the point are needed down to a "
        "weight's noise, and no further.",
        "Which of the three parts differs, and what is it computed from?",
    ),
)
BEFORE_KAPPA = Prediction(
    Choice(
        "κ is near 0 where a weight is believed, near 1 where it is taken for noise. Where does the horseshoe's κ "
        "stand, at scale 1?",
        (
            "High in the middle, low at both ends.",
            "High at both ends, low in the middle.",
            "High at κ = 1 only: most weights are noise.",
            "It is flat.",
        ),
        1,
        "It is Beta(½, ½), a shape like a horseshoe: all or nothing for every weight.",
    ),
    {},
)
BEFORE_SINGLE = Prediction(
    Choice(
        "Here whole units leave: 566 weights, 27 pixels, 12 and 11 hidden units are left. What if single weights may "
        "leave instead?",
        (
            "Fewer weights and fewer units are left.",
            "Fewer weights are left, in more units.",
            "More weights are left, in fewer units.",
        ),
        1,
        "314 weights, but 45 pixels and 23 and 23 hidden units: the zeros lie scattered. With other seeds it is the "
        "same: five trainings leave 284 to 329 weights instead of 490 to 620, and 44 to 46 pixels instead of 26 to 28.",
    ),
    {"look": "network"},
)
BEFORE_ALL_PRUNED = Prediction(
    Choice(
        "Now every weight is pruned. How often is the answer right?",
        ("Never.", "In about one of ten images.", "Nearly as often as before."),
        1,
        "Only the biases are left: every image gets the same answer, and one digit in ten is that.",
    ),
    {"look": "network"},
)


# Signal to noise ------------------------------------------------------------------------------------------------------


SIGNAL_TO_NOISE: tuple[Exercise, ...] = (
    Number(
        "Open *Signal to noise*: three quarters of the weights lie below −17.6 dB. How many times as large as its mean "
        "is the σ of a weight at exactly −17.6 dB?",
        lambda: 10 ** (17.6 / 20),
        0.03,
        "20 dB are a factor of ten, so $10^{17.6 / 20}$. The sign of such a weight is as good as open.",
        "Decibels are $20 \\log_{10}(|\\mu| / \\sigma)$.",
    ),
    Setting(
        "Set the standard deviations to *tiny* and remove as many weights as go without costing a whole point of error "
        "on MNIST.",
        lambda options: (options["images"], options["preset"], options["removed"]) == ("mnist", "small_sigma", "80"),
        {"preset": "small_sigma", "removed": "80"},
        "From 1.45 % the error rises to 1.70 % at 80 % removed, and to 2.72 % at 90 %. With learned σ even 95 % go for "
        "nothing: there the training itself told which weights are noise.",
        "Read the curve of the lowest |μ|/σ: where is it a point above its left end?",
    ),
    Choice(
        "With learned σ, removing 75 % of the weights lowers the error of ten draws by 0.18 ± 0.07 points (one "
        "training; ± one standard error over 10,000 images). Predicting by the means, it changes nothing. Why?",
        (
            "Fewer weights overfit less.",
            "These weights have means near 0: they add noise to a draw, and nothing to the means.",
            "The removed weights were wrong, and the rest was trained again.",
        ),
        1,
        "A weight far below 0 dB is drawn around nearly 0 with a large σ. Taking it out takes out its noise.",
        "Nothing is trained again after a cut. What does such a weight do in one draw?",
    ),
)
BEFORE_TINY = Prediction(
    Choice(
        "With learned σ, 90 % of the weights go for nothing. What does the same cut cost where σ was tiny all along?",
        ("Nothing either.", "About one point of error.", "Nearly everything: most digits are wrong."),
        1,
        "The error goes from 1.45 to 2.72 %. Without learned widths the ranking is by size, and small weights still do "
        "some work.",
    ),
    {"removed": "90"},
)
BEFORE_ALL_REMOVED = Prediction(
    Choice(
        "Two weights in a hundred are left, and the error is 4.5 %. What if these go, too?",
        (
            "The error doubles.",
            "About 90 % are wrong: every digit gets one answer.",
            "All are wrong: without weights there is no answer.",
        ),
        1,
        "Biases alone say the same of every image, which is right for the digits of that class.",
    ),
    {"removed": "98"},
)
BEFORE_HISTOGRAMS = Prediction(
    Choice(
        "How wide is the histogram of one draw of all weights, beside a plain network's weights?",
        ("About as wide.", "Twice as wide.", "More than six times as wide."),
        2,
        "Their standard deviations are 0.198 and 0.030, though the means of Bayes by Backprop have 0.038: the width of "
        "a draw is noise.",
    ),
    {},
)


# Sparse variational dropout and ARD -----------------------------------------------------------------------------------


def _removed_at_a_minimum(options: Mapping[str, str]) -> bool:
    if options["look"] != "one":
        return False
    best = one_weight.best_log_alpha(float(options["strength"]), DIVERGENCES[options["method"]])
    return math.isfinite(best) and best > divergences.PRUNED


SPARSITY: tuple[Exercise, ...] = (
    Number(
        "In *one weight* with ARD, at the best noise the mean keeps 80 % of its best value for c = 5, and 90 % for "
        "c = 10. For which c does it keep 95 %? The slider does not go so far.",
        lambda: float(one_weight.strength_at(math.log(0.05 / 0.95), divergences.ard)),
        0.01,
        "The best noise is α = 1 / (c − 1), and the mean keeps 1 / (1 + α) = 1 − 1 / c. However much the data care, "
        "some of it goes to the noise.",
        "Look at what is given up: 1/5 for c = 5, 1/10 for c = 10.",
    ),
    Setting(
        "In *one weight*, let the data care just so much that the objective has a minimum, and the weight is removed "
        "all the same.",
        _removed_at_a_minimum,
        {"look": "one", "strength": "1.05"},
        "Between c = 1 and 1.12 the log-uniform prior's minimum lies beyond the threshold log α = 3, which is ours and "
        "not the bound's. Little is lost: the curve is nearly flat out there.",
        "Below c = 1 there is no minimum. How far above it does the minimum stay right of 3?",
    ),
    Choice(
        "In *few and many images*, N = 100 on the 8×8 digits: without a warm-up no weight is left, for about "
        "2.2 nats an image, in all of five trainings. With the warm-up about one of a hundred is left, for 1.2 to 1.4 "
        "nats. What follows?",
        (
            "The objective wants no weights for so few images.",
            "The objective prefers the weights; training without a warm-up got stuck.",
            "The warm-up changes the objective, so the two numbers cannot be compared.",
        ),
        1,
        "At the end both pay the same objective, and the smaller number wins. Weights that go before the data have "
        "spoken hardly come back.",
        "What is minimised, once the warm-up is over?",
    ),
)
BEFORE_WEAK = Prediction(
    Choice(
        "At c = 10 the best log α is −1.74. The data care less and less, down to c = 0.8. Where is the minimum then?",
        ("Further left: less noise.", "A little further right, below 0.", "Nowhere: the curve falls for ever."),
        2,
        "Below c = 1 every further noise is a gain: the weight is dropped.",
    ),
    {"look": "one"},
)
BEFORE_FEW = Prediction(
    Choice(
        "A hundred images, with a warm-up of the KL term. What if the KL term counts from the first step?",
        (
            "It comes to the same network; the warm-up only takes time.",
            "A few more weights are left.",
            "All weights go, although that costs more nats.",
        ),
        2,
        "Five trainings end at 2.2 instead of 1.2 to 1.4 nats per image, hardly better than the 2.3 of a guess: they "
        "are stuck.",
    ),
    {"look": "size", "images": "digits"},
)


# Gaussian and variational dropout -------------------------------------------------------------------------------------


def _looks_gaussian_with_few(options: Mapping[str, str]) -> bool:
    num_inputs, rate = int(options["noise_inputs"]), float(options["noise_rate"])
    is_near = weight_noise.distance_to_gaussian(num_inputs, rate) < 0.14
    return options["noise_look"] == "noise" and num_inputs <= 10 and is_near


VARIATIONAL_DROPOUT: tuple[Exercise, ...] = (
    Number(
        "A unit sums n equal inputs that add up to 1 without noise, at the dropout rate p = 0.2. How large must n be "
        "for the sum to have an sd of 0.05? Check it in *two kinds of noise*.",
        lambda: weight_noise.matched_alpha(0.2) / 0.05**2,
        0.01,
        "The variance is α / n with α = p / (1 − p) = 0.25, so n = 0.25 / 0.0025. It is the same for masks and for "
        "Gaussian noise.",
        "One input has the noise variance α = p / (1 − p). What is the variance of a mean of n of them?",
    ),
    Setting(
        "In *two kinds of noise*, let at most 10 inputs look as Gaussian as they can: bring the gap between the two "
        "below 14 %.",
        _looks_gaussian_with_few,
        {"noise_look": "noise", "noise_inputs": "10"},
        "At p = 0.5 a mask is symmetric, and 10 inputs come to 12.3 %. Where drops are rare or frequent the sum is "
        "skewed, and that needs more inputs to average out.",
        "More inputs help. At which p is a mask as symmetric as a Gaussian?",
    ),
    Choice(
        "*Learned noise: pixels of digits* at β = 0.001 shows where the ink is. Set β to 1: what does the picture say "
        "of the pixels then?",
        (
            "The same, more clearly.",
            "Nothing: every α of the first layer stands at its cap.",
            "The reverse: now ink bears the noise.",
        ),
        1,
        "All of them would grow past 1. A thousand images cannot pay for so many certain weights, and what is equal "
        "everywhere tells nothing.",
        "Read *At the cap, layer 1*.",
    ),
)
BEFORE_BOUND = Prediction(
    Choice(
        "This is β = 0.001. Where do the α go with β = 1, as the bound says?",
        ("Towards 0: noise costs the fit.", "To the cap, α = 1.", "They spread as they do here."),
        1,
        "The KL term rewards noise, for every weight. There are many more weights than images that object.",
    ),
    {"noise_look": "layers"},
)
BEFORE_MANY = Prediction(
    Choice(
        "With 3 inputs the two sums differ by 22 %, though their means and variances agree. And with 200 inputs?",
        (
            "By 22 % still: mean and variance have not changed their relation.",
            "By about 3 %: the gap falls with the root of n.",
            "Not at all: the sums are the same.",
        ),
        1,
        "2.8 %. The root of 200 / 3 is about 8.",
    ),
    {"noise_look": "noise", "noise_inputs": "3"},
)
BEFORE_DROWNED = Prediction(
    Choice(
        "Learned noise at β = 0.001 follows the twenty points. What do the functions do at β = 1?",
        (
            "They follow the points more closely: this is the true bound.",
            "They no longer follow the points.",
            "They stay as they are; only the noise between the points grows.",
        ),
        1,
        "With an α per neuron the held-out NLL rises from 0.50 to 1.80; in five trainings, from 0.50 – 0.70 to "
        "1.77 – 2.02. Twenty points do not outweigh the noise that the KL term rewards in thousands of weights.",
    ),
    {"noise_look": "functions"},
)
