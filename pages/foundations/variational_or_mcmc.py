"""Variational inference or Markov chains: how is a posterior computed?"""

from bdlviz.topics import papers
from bdlviz.topics.foundations.variational_or_mcmc import controls, views_chains, views_fit, views_race
from bdlviz.topics.foundations.variational_or_mcmc import exercises as ex
from bdlviz.topics.foundations.variational_or_mcmc.derivation import EVIDENCE
from bdlviz.ui import Explanation, Page, Scene, View, show

CHAINS, RACE = {"look": "walk"}, {"look": "race"}
FULL, MODES = {"family": "full"}, {"posterior": "unit", "family": "full"}
ON_BANANA, ON_MODES = {"posterior": "banana"}, {"posterior": "unit", "walk_step": "0.15"}
TOO_LARGE = {"posterior": "ring", "sampler": "unadjusted", "walk_step": "0.5", "walk_seed": "1"}

PAGE = Page(
    "foundations/variational_or_mcmc",
    "How is a posterior computed: by a fit or by sampling?",
    views=(
        View("fit", "A Gaussian is fitted", views_fit.fit, controls.FIT),
        View("walk", "Markov chains", views_chains.chains, controls.CHAINS, controls.LIVE_CHAINS),
        views_race.VIEW,
    ),
    scenes=(
        Scene("fit", "A fit, step by step", {}),
        Scene("one-mode", "One mode", MODES, ask=ex.BEFORE_ONE_MODE),
        Scene("both-modes", "Both modes", MODES | {"direction": "forward"}, ask=ex.BEFORE_BOTH_MODES),
        Scene("good", "Chains that agree", CHAINS | ON_BANANA | {"walk_step": "0.2", "walk_leapfrog": "20"}),
        Scene("agree", "Agreed and wrong", CHAINS | ON_MODES | {"walk_starts": "one"}, ask=ex.BEFORE_AGREE),
        Scene("small-step", "Steps too small", CHAINS | ON_BANANA | {"sampler": "metropolis", "walk_step": "0.05"}),
    ),
    former={
        "lean": FULL,
        "banana": ON_BANANA | FULL,
        "large-step": CHAINS | TOO_LARGE,
        "stuck": CHAINS | ON_MODES | {"sampler": "langevin"},
        "race": RACE | {"race_error": "mean"},
        "wrong": RACE | ON_BANANA,
    },
    claim="A q that cannot tilt can stay too narrow, however long it is fitted; a long Markov chain draws from the "
    "posterior.",
    explanation=Explanation(
        "The pink cloud is the exact posterior of two weights. Left, blue ellipses are one and two standard deviations "
        "of its approximation q; right, dots are the draws of one chain. Lines at the bottom are two on both sides of "
        "the means. The figure below has the ELBO, a lower bound on the log evidence, and the KL divergence that is "
        "missing, in nats: their sum is always the log evidence.",
        "The evidence does not depend on q, so a step that raises the ELBO lowers the KL by as much. A q without "
        "correlation cannot follow a ridge: KL[q ‖ p] is large where q has mass and p has none, so q stays narrow. "
        "Chains draw from the posterior itself, and their error falls with the number of draws.",
        "More steps do not remove the error of a fit. Chains can fail without a sign: if all start at one mode, they "
        "agree and are wrong. With two weights a grid is exact, so the errors can be measured here.",
    ),
    derivation=EVIDENCE,
    exercises=ex.VARIATIONAL_OR_MCMC,
    try_this=(
        "Press *Play* and watch the two widths. Which one stops, and which one goes on?",
        "Choose *Markov chains* and raise ε until no proposal is accepted. Does the acceptance fall slowly or at once?",
    ),
    caveat=(
        "In two dimensions Metropolis is better than usual: gradients help the more, the more weights there are. "
        "R-hat and ESS can show that chains have not converged, never that they have. In *Error against work* a fit "
        "counts five evaluations a step and a chain as many as its leapfrog steps; step sizes were set by trial, also "
        "for the chain of HMC beside a fit. "
        "KL[p ‖ q] is fitted with the exact moments, which are not known for a network. The fit maximises a bound "
        "without noise; its ELBO is a sum over a lattice that reaches seven standard deviations of q. An error in a "
        "lecture about this: [gradient ascent on log p written with a minus](errata?erratum=ascent)."
    ),
    papers=(papers.BLEI_2017, papers.NEAL_2011, papers.VEHTARI_2021, papers.ROBERTS_1996, papers.BISHOP_2006),
)

show(PAGE)
