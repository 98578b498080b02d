"""Variational inference or Markov chains: how is a posterior computed?"""

from bdlviz.topics import papers
from bdlviz.topics.foundations.variational_or_mcmc import controls, views_chains, views_fit, views_race
from bdlviz.topics.foundations.variational_or_mcmc import exercises as ex
from bdlviz.topics.foundations.variational_or_mcmc.derivation import EVIDENCE
from bdlviz.ui import Page, Scene, View, show

CHAINS, RACE = {"look": "walk"}, {"look": "race"}
LONG = {"walk_step": "0.2", "walk_leapfrog": "20"}
FULL, MODES = {"family": "full"}, {"posterior": "unit", "family": "full"}
ON_BANANA, ON_MODES = {"posterior": "banana"}, {"posterior": "unit", "walk_step": "0.15"}
TOO_LARGE = {"posterior": "ring", "sampler": "unadjusted", "walk_step": "0.5", "walk_seed": "1"}

PAGE = Page(
    "foundations/variational_or_mcmc",
    "How is a posterior computed: by a fit or by sampling?",
    views=(
        View("fit", "fit a Gaussian", views_fit.fit, controls.FIT),
        View("walk", "run Markov chains", views_chains.chains, controls.CHAINS, controls.LIVE_CHAINS),
        views_race.VIEW,
    ),
    scenes=(
        Scene("fit", "Evidence = ELBO + KL", {}, "The ELBO rises by as much as the KL falls: their sum is constant."),
        Scene(
            "one-mode",
            "One mode",
            MODES,
            "KL[q ‖ p] is large where q has mass and p has none. q covers one mode, and at least log 2 nats are lost.",
            ex.BEFORE_ONE_MODE,
        ),
        Scene(
            "both-modes",
            "Both modes",
            MODES | {"direction": "forward"},
            "KL[p ‖ q] is large where p has mass and q has little. q covers both modes and the space between them.",
            ex.BEFORE_BOTH_MODES,
        ),
        Scene("good", "HMC converges", CHAINS | ON_BANANA | LONG, "With long trajectories the four chains agree."),
        Scene(
            "agree",
            "Agreed but wrong",
            CHAINS | ON_MODES | {"walk_starts": "one"},
            "HMC from one place: all chains agree, and none of them has visited the other mode.",
            ex.BEFORE_AGREE,
        ),
        Scene("lean", "Full covariance", FULL, "Now q can equal a Gaussian posterior: the KL is nearly 0."),
        Scene("banana", "Banana", ON_BANANA | FULL, "No Gaussian fits a curved posterior."),
        Scene(
            "small-step",
            "Step too small",
            CHAINS | ON_BANANA | {"sampler": "metropolis", "walk_step": "0.05"},
            "Nearly all proposals are accepted, but the chains hardly move: R-hat is far from 1.",
        ),
        Scene(
            "large-step",
            "Step too large",
            CHAINS | TOO_LARGE,
            "Without rejections a large step is not corrected: the ring is too wide, and two chains run away.",
        ),
        Scene(
            "stuck",
            "Two modes",
            CHAINS | ON_MODES | {"sampler": "langevin"},
            "Every chain stays in one mode, and R-hat detects it.",
        ),
        Scene("race", "Error of the means", RACE | {"race_error": "mean"}, "VI needs the fewest evaluations here."),
        Scene("wrong", "Error with a bias", RACE | ON_BANANA, "More work does not reduce the bias of VI."),
    ),
    derivation=EVIDENCE,
    exercises=ex.VARIATIONAL_OR_MCMC,
    try_this=(
        "Press *Play* and watch the bars. Which changes first, the mean of q or its width?",
        "Correlated weights, mean field: by which factor is q too narrow? Compare with 1/Λᵢᵢ under *Equation*.",
        "Two modes: start q left, in the middle and right. Does VI ever show that there is another mode?",
        "Run HMC and raise ε until no proposal is accepted. Does the acceptance fall slowly or at once?",
        "Ring: which sampler moves all the way around it in 300 steps?",
        "*Error of the means*: choose the sds instead. Which fit keeps an error, and which does not?",
        "*Error against work* on two modes: which methods find the second mode, and why not HMC?",
    ),
    caveat=(
        "With two weights a grid gives the exact answer, and neither method is needed. Therefore the errors can be "
        "measured here. In two dimensions Metropolis is better than usual: the advantage of gradients grows with the "
        "number of weights. R-hat and ESS can show that chains have not converged, never that they have. In *error "
        "against work* a fit counts five evaluations a step and a chain as many as its leapfrog steps; Metropolis "
        "evaluates the posterior, not its gradient; step sizes were set by trial. KL[p ‖ q] is fitted with the exact "
        "moments, which are not known for a network. The first view maximises a bound without noise; its bars are sums "
        "over a lattice that reaches seven standard deviations of q. An error in the lectures about this: [gradient "
        "ascent on log p written with a minus](errata?erratum=ascent)."
    ),
    papers=(papers.BLEI_2017, papers.NEAL_2011, papers.VEHTARI_2021, papers.ROBERTS_1996, papers.BISHOP_2006),
)

show(PAGE)
