"""Variational inference or Markov chains: how does one get at a posterior?"""

from bdlviz import ui
from bdlviz.topics.foundations.variational_or_mcmc import (
    derivation,
    exercises,
    views_chains,
    views_fit,
    views_race,
    views_setting,
)

VIEWS = ui.LegacyViews(
    {
        "fit": ("fit a Gaussian", views_fit.choose, views_fit.show),
        "walk": ("walk through it", views_chains.choose, views_chains.show),
        "race": ("error against work", views_race.choose, views_race.show),
    },
    "fit",
)
PAGE = ui.LegacyPage(
    title="Foundations · Fit or walk",
    question="How does one get at a posterior: fit a simple one, or walk through it?",
    controls=(VIEWS.control, views_setting.TARGET, *views_fit.CONTROLS, *views_chains.CONTROLS, *views_race.CONTROLS),
    scenes=(
        ui.Scene("fit", "Evidence = ELBO + KL", {}, "What the bound gains, the divergence loses: the sum never moves."),
        ui.Scene("lean", "Let q lean", {"family": "full"}, "Full covariance holds a Gaussian: nearly no KL is left."),
        ui.Scene(
            "banana",
            "Banana",
            {"posterior": "banana", "family": "full"},
            "No ellipse is a banana. Full covariance gains nothing over mean field here: the posterior is symmetric.",
        ),
        ui.Scene(
            "one-mode",
            "One mode",
            {"posterior": "unit", "family": "full"},
            "KL[q ‖ p] forbids q to stand where p is small: it takes one mode, and log 2 nats and more are lost.",
            ask=exercises.BEFORE_ONE_MODE,
        ),
        ui.Scene(
            "both-modes",
            "Both modes",
            {"posterior": "unit", "family": "full", "direction": "forward"},
            "KL[p ‖ q] forbids q to miss any of p: it covers both modes, and the empty ground between them.",
            ask=exercises.BEFORE_BOTH_MODES,
        ),
        ui.Scene(
            "good",
            "HMC that works",
            {"look": "walk", "posterior": "banana", "walk_step": "0.2", "walk_leapfrog": "20"},
            "Long trajectories run along the banana; four chains from four corners agree in the end.",
        ),
        ui.Scene(
            "small-step",
            "Step too small",
            {"look": "walk", "posterior": "banana", "sampler": "metropolis", "walk_step": "0.05"},
            "Nearly all is accepted, and nobody gets anywhere: R-hat is far from 1.",
        ),
        ui.Scene(
            "large-step",
            "Step too large",
            {"look": "walk", "posterior": "ring", "sampler": "unadjusted", "walk_step": "0.5", "walk_seed": "1"},
            "Nothing is refused, so nothing corrects a large step: the ring is too wide, and two chains run away.",
        ),
        ui.Scene(
            "stuck",
            "Stuck in two modes",
            {"look": "walk", "posterior": "unit", "walk_step": "0.15", "sampler": "langevin"},
            "Every chain knows its own mode only. R-hat sees it, because they started apart.",
        ),
        ui.Scene(
            "agree",
            "Agreed, and wrong",
            {"look": "walk", "posterior": "unit", "walk_step": "0.15", "walk_starts": "one"},
            "HMC from one place: all agree, for nobody has seen the other mode.",
            ask=exercises.BEFORE_AGREE,
        ),
        ui.Scene(
            "race",
            "Who is there first?",
            {"look": "race", "race_error": "mean"},
            "The mean of a Gaussian posterior: here VI is first. Chains need four times the work for half the error.",
        ),
        ui.Scene(
            "wrong",
            "Wrong for ever",
            {"look": "race", "posterior": "banana"},
            "The widths of the banana: VI stops at its bias, whatever work follows. Chains go on.",
        ),
    ),
    derivation=derivation.EVIDENCE,
    exercises=exercises.VARIATIONAL_OR_MCMC,
    try_this=(
        "Press *Play* and watch the bars: which moves first, the mean of q or its width?",
        "Correlated weights, mean field: by which factor is q too narrow? Compare with 1/Λᵢᵢ under *Equation*.",
        "Two modes: start q left, in the middle and right. Does VI ever say that there is another mode?",
        "Walk with HMC and raise ε until nothing is accepted any more. Does it fail slowly or all at once?",
        "Ring: which walk goes round it in 300 steps?",
        "*Who is there first?*: look at the sds instead of the means. Which fit is wrong for ever, and which is not?",
        "The race on two modes: who finds the second mode, and why not HMC?",
    ),
    caveat=(
        "With two weights nobody needs either method: a grid gives the exact answer, and only so can the errors here "
        "be measured. In two dimensions Metropolis does better than its name: the advantage of gradients grows with "
        "the number of weights. R-hat and ESS can show that chains have not arrived, never that they have. In the race "
        "a fit counts five evaluations a step and a chain as many as its leapfrog steps; Metropolis evaluates the "
        "posterior, not its gradient; step sizes were set by trial. KL[p ‖ q] is fitted with the exact moments, which "
        "nobody has for a network. The first view climbs a bound without noise; its bars are sums over a lattice that "
        "reaches seven standard deviations of q. A slip about this topic: [gradient ascent on log p written with a "
        "minus](errata?erratum=ascent)."
    ),
    papers=(
        ui.Paper(
            "Blei, Kucukelbir & McAuliffe 2017, Variational inference: a review", "https://arxiv.org/abs/1601.00670"
        ),
        ui.Paper("Neal 2011, MCMC using Hamiltonian dynamics", "https://arxiv.org/abs/1206.1901"),
        ui.Paper(
            "Vehtari et al. 2021, Rank-normalization, folding, and localization: an improved R-hat",
            "https://arxiv.org/abs/1903.08008",
        ),
        ui.Paper("Roberts & Tweedie 1996, Exponential convergence of Langevin distributions"),
        ui.Paper("Bishop 2006, Pattern recognition and machine learning, section 10.1"),
    ),
)

with PAGE.frame() as view:
    view.show(VIEWS)
