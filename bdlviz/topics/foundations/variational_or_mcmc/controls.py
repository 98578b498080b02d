"""The controls of the page on variational inference and MCMC."""

from __future__ import annotations

from bdlviz.models.targets import TARGETS
from bdlviz.topics.foundations.variational_or_mcmc.gaussian_fit import DIRECTIONS, FAMILIES
from bdlviz.topics.foundations.variational_or_mcmc.samplers import SAMPLERS
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.model import Custom, Setting, When
from bdlviz.ui.scrub import switch

TARGET = Control(
    "posterior",
    "Posterior",
    tuple(TARGETS),
    "line",
    "menu",
    "Of two weights, so that all of it can be seen; each is that of a small model with Gaussian noise and prior.",
    {name: target.title for name, target in TARGETS.items()},
)
PICTURE = Custom(lambda: switch.choose(switch.PICTURE), more=lambda: switch.moving(switch.PICTURE))

# Fit ------------------------------------------------------------------------------------------------------------------

FAMILY = Control(
    "family",
    "Family of q",
    tuple(FAMILIES),
    "mean_field",
    "buttons",
    "Mean field: the weights are independent under q, so the axes of the ellipse are those of the picture. Full: q has "
    "a correlation.",
    FAMILIES,
)
DIRECTION = Control(
    "direction",
    "Divergence to minimise",
    tuple(DIRECTIONS),
    "reverse",
    "buttons",
    "KL[q ‖ p], as in variational inference, needs the posterior only up to a constant. KL[p ‖ q] matches moments: it "
    "needs those of the posterior, which are not known outside of small examples like this one.",
    DIRECTIONS,
)
SHARES = {"left": 0.3, "middle": 0.5, "right": 0.7}  # of the width of the picture
START = Control("start_at", "q starts", tuple(SHARES), "left", "buttons", "With two modes it decides where q ends.")
FIT = (TARGET, FAMILY, DIRECTION, START, PICTURE)

# Chains ---------------------------------------------------------------------------------------------------------------

SAMPLER = Control(
    "sampler",
    "Sampler",
    tuple(SAMPLERS),
    "hmc",
    "menu",
    "Metropolis proposes without the gradient. Langevin uses it once per proposal, Hamiltonian Monte Carlo many times.",
    {name: sampler.title for name, sampler in SAMPLERS.items()},
)
STEP = number_control(
    "walk_step",
    "Step size ε",
    (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8, 1.2, 2),
    0.1,
    "Metropolis: the sd of a proposal. The others: the size of a leapfrog step.",
)
LEAPFROG = number_control("walk_leapfrog", "Leapfrog steps L", (1, 2, 5, 10, 20, 40), 10, "Of one trajectory of HMC.")
PLACES = {
    "spread": ((0.2, 0.2), (0.8, 0.2), (0.2, 0.8), (0.8, 0.8)),
    "one": ((0.65, 0.65),) * 4,
}
STARTS = Control(
    "walk_starts",
    "Four chains start",
    tuple(PLACES),
    "spread",
    "buttons",
    "R-hat can find a disagreement only between chains that start apart.",
    {"spread": "far apart", "one": "in one place"},
)
SEED = number_control("walk_seed", "Seed", range(10), 0, "Another seed gives other chains from the same starts.")


def has_leapfrog_steps(setting: Setting) -> bool:
    """True for a sampler whose number of leapfrog steps can be chosen."""
    return SAMPLERS[setting[SAMPLER]].is_long


CHAINS = (TARGET, SAMPLER, When(has_leapfrog_steps, (LEAPFROG,)), STARTS, PICTURE)
LIVE_CHAINS = (STEP, SEED)

# Race -----------------------------------------------------------------------------------------------------------------

ERROR = Control(
    "race_error",
    "Error of the posterior's",
    ("mean", "std"),
    "std",
    "buttons",
    "Both in standard deviations of the posterior, over both weights.",
    {"mean": "means", "std": "sds"},
)
RACE = (TARGET, ERROR)
