"""Exercises of the section on regression: priors and their scales, honesty, the gap, and where to measure next."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.data import load
from bdlviz.exercises.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.models.scaling import Scaling
from bdlviz.predictive import acquisition, comparison, in_between
from bdlviz.predictive.length_scale import length_scale_for, model_precision, weight_decay_for
from bdlviz.types import Dataset, Predictive

UNTOUCHED = {"data": "x_sin_x", "num_data": "all", "data_seed": "0"}  # the data as pages offer them first


def _has_own_data(options: Mapping[str, str], noise: str) -> bool:
    return options["noise"] == noise and all(options[key] == option for key, option in UNTOUCHED.items())


# The effect of weight decay -------------------------------------------------------------------------------------------


def _noisy() -> tuple[Dataset, float]:
    """The data of the page on weight decay, three times as noisy as usual, and the precision of their noise."""
    usual = load("x_sin_x").noise_std
    assert usual is not None
    data = load("x_sin_x", noise_std=3 * usual)
    return data, float(Scaling.of(data).y_scale.item() / (3 * usual)) ** 2


def _length_scale(weight_decay: float, dropout_rate: float) -> float:
    data, precision = _noisy()
    return length_scale_for(weight_decay, precision, data.num_data, dropout_rate)


def _has_unit_prior(options: Mapping[str, str]) -> bool:
    if options["weight_decay"] == "best" or not _has_own_data(options, "3"):
        return False
    rates = (0.0, float(options["dropout_rate"]))  # of the input of the first layer, and of the other layers
    return all(abs(_length_scale(float(options["weight_decay"]), rate) - 1) <= 0.15 for rate in rates)


EFFECT_OF_LAMBDA: tuple[Exercise, ...] = (
    Setting(
        "Leave the data as they are. Choose λ yourself so that the prior of every weight is as good as N(0, 1): ℓ "
        "within 15 % of 1 in every layer.",
        _has_unit_prior,
        {"weight_decay": "0.00316"},
        "The noise is given, so λ is a statement about weights before the data: $\\ell = \\sqrt{2 N \\lambda \\tau (1 "
        "- p)}$. Here λ = 0.00316 is ℓ = 0.90, and a slider without a unit has a meaning.",
        "The tab *Prior and posterior* tells which ℓ the chosen λ amounts to; ℓ goes like the root of λ.",
    ),
    Number(
        "By NLL the best λ is 0.00178 without dropout and 0.000178 at p = 0.05. By which factor is the prior's "
        "length-scale ℓ of the layers with dropped inputs multiplied from the first to the second?",
        lambda: _length_scale(0.000178, 0.05) / _length_scale(0.00178, 0.0),
        0.04,
        "$\\sqrt{0.1 \\cdot 0.95} = 0.31$. Dropout regularises too, so weights may have a prior three times as wide.",
        "$\\ell = \\sqrt{2 N \\lambda \\tau (1 - p)}$, with N and τ the same in both.",
    ),
    Choice(
        "Suppose λ were chosen by how well the mean fits the twenty training points. Which of the three panels wins?",
        (
            "The left one, with the smallest λ.",
            "The middle one, with the best held-out score.",
            "The right one, with the largest λ.",
        ),
        0,
        "A penalty can only take the mean away from the points. Their RMSE grows from panel to panel, so the training "
        "points always vote for no penalty at all: it takes others to judge λ.",
        "Which panel's mean comes closest to the points, noise included?",
    ),
)
BEFORE_TOO_LARGE = Prediction(
    Choice(
        "The right panel has thirty times the best λ, and its function still bends. What will be left of the function "
        "at λ = 0.1, nearly twice as much again?",
        (
            "A smoother curve through the points.",
            "A constant: nothing of the curve.",
            "Much the same as in the right panel.",
        ),
        1,
        "The weights are pressed to 0 altogether, and only the mean of the points is left. The prior's ℓ is 5 there.",
    ),
    {},
)
BEFORE_DROPOUT = Prediction(
    Choice(
        "Without dropout the held-out score is lowest at λ = 0.00178. Where will the lowest point be with a dropout "
        "rate of 0.05?",
        ("At the same λ.", "At a larger λ.", "At a smaller λ."),
        2,
        "It moves to 0.000178. Dropout regularises, too, so less is left for λ to do, and choosing it too small costs "
        "less: the left end falls.",
    ),
    {},
)


# Function draws -------------------------------------------------------------------------------------------------------


def _matches_four(options: Mapping[str, str]) -> bool:
    if (options["method"], options["follows"]) != ("mc_dropout", "noise") or not _has_own_data(options, "1"):
        return False
    names = ("length_scale", "weight_decay", "dropout_rate")
    length_scale, weight_decay, rate = (float(options[name]) for name in names)
    return weight_decay > 0 and abs(_precision(length_scale, weight_decay, rate) - 4) <= 0.4


def _precision(length_scale: float, weight_decay: float, dropout_rate: float) -> float:
    return model_precision(length_scale, weight_decay, load("x_sin_x").num_data, dropout_rate)


FUNCTION_DRAWS: tuple[Exercise, ...] = (
    Setting(
        "Keep MC dropout and the data, let τ follow (*What follows from the other two*), and set λ, ℓ and p so that "
        "the noise band matches τ = 4, within a tenth.",
        _matches_four,
        {"follows": "noise", "weight_decay": "0.03", "length_scale": "2", "dropout_rate": "0.2"},
        "$\\tau = \\ell^2 / 2 N \\lambda (1 - p)$, and τ = 4 is noise of half the data's spread. Weight decay alone "
        "says nothing: beside a prior of that ℓ it is a statement about the noise.",
        "N is 20, so $\\lambda (1 - p)$ has to be near $\\ell^2 / 160$.",
    ),
    Number(
        "Somebody collects four times as many points. Prior (ℓ), noise and dropout rate are to stay what they are. By "
        "which factor must λ be multiplied?",
        lambda: weight_decay_for(1.0, 10.0, 80, 0.1) / weight_decay_for(1.0, 10.0, 20, 0.1),
        0.02,
        "$\\lambda = \\ell^2 / 2 N \\tau (1 - p)$ goes like 1 / N. λ stands beside the mean loss of a point; the same "
        "prior weighs less beside more of them, and a λ that is kept is a stronger prior.",
        "Solve τ = ℓ² / 2Nλ(1 − p) for λ.",
    ),
    Choice(
        "At the points the draws of *Good fit* have an sd of 0.20 to 0.26 over 20 training seeds, those of *Deep "
        "ensemble* of 0.028 to 0.048. How would one find out on this page which is nearer to the truth about the "
        "function?",
        (
            "By more draws S: the true spread is what both tend to.",
            "By the smaller held-out RMSE.",
            "By laying the posterior of Hamiltonian Monte Carlo over both.",
            "The smaller one is right: all draws should pass through the points.",
        ),
        2,
        "A spread is right or wrong beside the posterior of the same network under the same prior, which converged "
        "chains draw from. More draws only show the method's own opinion more clearly.",
        "RMSE judges the mean. What would be the right spread, and what on this page comes nearest to it?",
    ),
)
BEFORE_NO_DROPOUT = Prediction(
    Choice(
        "These are fifty draws at a dropout rate of 0.1. What will be left at a rate of 0?",
        (
            "Fifty lines, half as far apart.",
            "One line and the noise band.",
            "One line and no band at all.",
        ),
        1,
        "Without masks all draws are one function, so nothing is left of the epistemic band. The noise is assumed, and "
        "stays.",
    ),
    {},
)
BEFORE_HIGH_DROPOUT = Prediction(
    Choice(
        "The dropout rate will be 0.5 instead of 0.1. What becomes of the spread at the points?",
        (
            "Nothing: the points hold the functions, whatever the rate.",
            "It about doubles: the rate sets the spread at the points, too.",
            "It shrinks: more dropout is more regularisation.",
        ),
        1,
        "From 0.24 to 0.53. What MC dropout calls ignorance is a setting as much as a finding.",
    ),
    {},
)
BEFORE_TANH = Prediction(
    Choice(
        "Outside the points these ReLU networks run on as straight lines, and part. What will the draws of tanh "
        "networks do there?",
        ("Part faster than these.", "Run flat and keep their distance.", "Come back to 0, and to each other."),
        1,
        "Every unit saturates, so every function becomes a constant. How fast uncertainty grows out there was chosen "
        "with the activation, not learned from data.",
    ),
    {},
)


# Compare --------------------------------------------------------------------------------------------------------------


def _distance_of_widths() -> float:
    mean = np.zeros(1)
    return comparison.gaussian_wasserstein(mean, np.array([0.1]), mean, np.array([0.5])).item()


def _shows_where(options: Mapping[str, str]) -> bool:
    return (options["look"], options["data"], options["reference"]) == ("distance", "two_clusters", "hmc")


COMPARE: tuple[Exercise, ...] = (
    Number(
        "You hold out 50 points of your own. By how many percentage points does chance alone move the coverage of an "
        "honest 90 % band, in 95 of 100 such tests?",
        lambda: 100 * comparison.coverage_by_chance(50, 0.9),
        0.05,
        "$1.96 \\sqrt{0.9 \\cdot 0.1 / 50} = 0.083$. A method that holds 84 % of 50 points may be honest; with the 500 "
        "of this page chance is hardly an excuse.",
        "Each point is inside with probability 0.9: the share has an sd of $\\sqrt{0.9 \\cdot 0.1 / 50}$; take 1.96 of "
        "them.",
        "percentage points",
    ),
    Number(
        "At some x the exact posterior of f(x) is N(0, 0.5²), and a method says N(0, 0.1²): the same mean, too narrow. "
        "How large is their Wasserstein distance?",
        _distance_of_widths,
        0.04,
        "Every quantile has to be moved by 0.4 |z|, on average $0.4 \\sqrt{2 / \\pi} = 0.32$. The distance is in y's "
        "unit and sees a band that is too narrow although the mean is right.",
        "The quantile at z lies at 0.5 z in one and at 0.1 z in the other. How large is |z| on average?",
    ),
    Setting(
        "With a gap in the data coverage is good for nearly every method. Set the page so that it shows *at which x* "
        "methods on the two clusters leave the exact answer.",
        _shows_where,
        {"look": "distance", "data": "two_clusters"},
        "Held-out points lie where the data lie, and so does all they can judge. The distance is taken at every x; "
        "all its curves but one have their peak in the gap.",
        "Change the data and what is looked at. Which reference is the exact answer for this network?",
    ),
)
BEFORE_GAP = Prediction(
    Choice(
        "Next are two clusters with a gap between them; the held-out points lie in the clusters, too. Which number "
        "will tell the methods apart that are too sure in the gap?",
        (
            "The share inside the 90 % band.",
            "The held-out NLL.",
            "The distance to the exact posterior.",
        ),
        2,
        "All bands hold between 85 % and 90 %, and the NLLs are alike, for no held-out point lies in the gap. The "
        "distance differs by a factor of nearly three.",
    ),
    {},
)
BEFORE_WHERE = Prediction(
    Choice(
        "The same methods as curves: their distance to the exact answer at every x. Where will they stand highest?",
        (
            "At the points, where noise misleads the fit.",
            "Away from the points: beyond them, and in the gaps between them.",
            "Nowhere: a method is as honest at one x as at another.",
        ),
        1,
        "At the points data decide. Between and beyond them the prior and the method do, and there methods part from "
        "the exact answer.",
    ),
    {},
)


# In between -----------------------------------------------------------------------------------------------------------


def _ceiling() -> float:
    at, variance = np.array([-1.0, 0.8]), np.square([0.03, 0.04])
    return float(np.sqrt(in_between.mean_field_ceiling(at, variance, np.array([0.2])).item()))


def _rise_of_dropout() -> float:
    one = np.ones((1, 1))
    params = {"weight0": one, "bias0": one, "weight1": one}
    high, low = (in_between.dropout_variance(params, rate, one).item() for rate in (0.5, 0.1))
    return float(np.sqrt(high / low))


IN_BETWEEN: tuple[Exercise, ...] = (
    Number(
        "One hidden layer of ReLU, independent Gaussian weights. At the training points x = −1 and x = 0.8 "
        "(standardised) the sd of f is 0.03 and 0.04. What can it not exceed at x = 0.2, in the gap?",
        _ceiling,
        0.03,
        "Theorem 1 adds the variances: $\\sqrt{0.03^2 + 0.04^2} = 0.05$. Certain at the clusters means certain between "
        "them, however it was trained. Under MC dropout it would be the larger one, 0.04.",
        "Var f(r) ≤ Var f(p) + Var f(q): add variances, not sds.",
    ),
    Number(
        "The dropout rate goes from 0.1 to 0.5. If the weights stayed as they are, by which factor would the sd of MC "
        "dropout be multiplied in the gap?",
        _rise_of_dropout,
        0.03,
        "$\\sqrt{p / (1 - p)}$ goes from ⅓ to 1, at every x alike: the sd at the points is tripled, too. The rate "
        "lifts the whole curve and does not open it in the gap.",
        "For one hidden layer the variance is p / (1 − p) times something without p.",
    ),
    Setting(
        "Set the page so that no theorem holds Bayes by Backprop or MC dropout down any more.",
        lambda options: options["depth"] == "2" or options["activation"] == "tanh",
        {"depth": "2", "length_scale": "2"},
        "The theorems speak of one hidden layer of ReLU. With two, the families may have any variance; whether "
        "training finds it is another question, and the bars answer it.",
        "Which networks do the theorems speak of? The caveat says it.",
    ),
)
BEFORE_TWO_LAYERS = Prediction(
    Choice(
        "With two hidden layers no theorem limits Bayes by Backprop: its sd could be that of the exact posterior. How "
        "large will its sd in the middle of the gap be?",
        ("About that of the exact posterior.", "About half of it.", "Not a fifth of it."),
        2,
        "Over 20 training seeds it is 0.12 to 0.18 times the exact one, 0.16 in the median. A larger sd in the gap is "
        "possible, and training does not find it. With one layer it is 0.087 to 0.11 times, below the ceiling, too.",
    ),
    {},
)


# Active learning ------------------------------------------------------------------------------------------------------


def _information_at_a() -> float:
    one = np.ones((1, 1))
    believed = Predictive(one, one[None], one, 0.4 * one, 0.2 * one, 1)
    return acquisition.information(believed, np.random.default_rng(0)).item()


def _is_greedy_by_draws(options: Mapping[str, str]) -> bool:
    wanted = ("bandit", "thompson", "exact", "0")
    return tuple(options[key] for key in ("active_look", "policy", "belief", "widened")) == wanted


ACTIVE_LEARNING: tuple[Exercise, ...] = (
    Number(
        "Two places can be measured. At A the epistemic sd is 0.4 and the noise 0.2, at B both are 1. Total variance "
        "asks for B. How many nats would a label at A tell of the function?",
        _information_at_a,
        0.04,
        "$\\frac12 \\log(1 + 0.4^2 / 0.2^2) = 0.80$, against $\\frac12 \\log 2 = 0.35$ at B: there every label says "
        "little. Total variance counts noise as if it could be learned away.",
        "Choose *information* and look at its equation.",
        "nats",
    ),
    Setting(
        "Set *a bandit* so that Thompson sampling, with the exact posterior, chooses as greedy does in every round.",
        _is_greedy_by_draws,
        {"active_look": "bandit", "widened": "0"},
        "With the posterior's sd times 0 every draw is the mean, and both lose 22.9 on average. All that Thompson "
        "sampling explores with is the width of its belief: take it away and nothing is left.",
        "Greedy looks at the mean, Thompson sampling at a draw. When is a draw the mean?",
    ),
)
BEFORE_NOISE = Prediction(
    Choice(
        "The noise grows to the right; in half of the pool its sd is above 0.3. Labels are asked for where the total "
        "variance, noise included, is highest. Where will twenty of them go?",
        (
            "Nearly all into the noise.",
            "About half into the noise, as the pool lies.",
            "Nearly all where the noise is low.",
        ),
        0,
        "No label lowers the noise, so the noisy places keep the highest variance, and the rest stays unknown. In each "
        "of five runs at least 18 of the 20 labels went into the noise.",
    ),
    {"pool": "heteroscedastic", "ask": "total", "learner": "deep_ensemble", "asked": "0"},
)
BEFORE_DROPOUT_ASKS = Prediction(
    Choice(
        "The Gaussian process asks where its functions differ most, and needs 3.6 ± 3.2 fewer labels than random "
        "choice (95 %, five runs). MC dropout will ask in the same way, by its own draws. How good is its curve after "
        "19 labels?",
        (
            "Better than with labels at random.",
            "As good as with labels at random.",
            "Worse than with labels at random.",
        ),
        2,
        "At the labelled points its draws differ nearly as much as before, so it asks at the same places again. Over "
        "five runs the RMSE is 0.18 ± 0.05, at random 0.08 ± 0.02 (95 %).",
    ),
    {"pool": "two_clusters", "asked": "19"},
)
BEFORE_GREEDY = Prediction(
    Choice(
        "Thompson sampling stands at the best arm at the end of 83 % of its runs. Greedy takes the arm with the "
        "highest mean in every round. In how many of its runs will it stand at the best arm?",
        ("In about as many.", "In less than half of them.", "In none."),
        1,
        "In 40 % of 30 runs. Once an arm is good enough, no other is ever tried. The first tries decide which "
        "arm that is.",
    ),
    {"active_look": "bandit"},
)
