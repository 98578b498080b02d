r"""Stochastic-gradient HMC: a momentum with friction, so that the noise of minibatch gradients does not accumulate.

$$ m_{t+1} = (1 - \epsilon C)\, m_t - \epsilon \nabla U(w_t) + \sqrt{2 C \epsilon}\, r_t, \qquad
   w_{t+1} = w_t + \epsilon\, m_{t+1}, \qquad r_t \sim \mathcal{N}(0, I) $$

Chen, Fox & Guestrin, "Stochastic gradient Hamiltonian Monte Carlo", ICML 2014 (arXiv 1402.4102).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bdlviz.methods.common import LENGTH_SCALE, NUM_KEPT, PRIOR_BY_WIDTH, STEP_SIZE, THINNING
from bdlviz.methods.hmc import sample
from bdlviz.types import Hyperparameter, MethodSpec, TrainingSettings

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup

FRICTION = Hyperparameter(
    name="friction",
    label="Friction C",
    symbol="C",
    values=(0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0),
    default=10.0,
    minimum=0.01,
    maximum=1000.0,
    help="Momenta decay at this rate. Step size times friction must be below 2.",
)


def build(setup: Setup) -> Method:
    """One chain per seed and cell without rejection; a training step is one step of the chain."""
    from bdlviz.training.stochastic_chains import friction_step, stochastic_gradient_chains

    size, friction = setup.hyperparameters["step_size"], setup.hyperparameters["friction"]
    return stochastic_gradient_chains(setup, lambda expand: friction_step(size, friction, expand))


SPEC = MethodSpec(
    name="sghmc",
    title="Stochastic-gradient HMC",
    idea="A chain with momentum and friction; its states are approximate draws from the posterior.",
    reference="Chen, Fox & Guestrin 2014",
    hyperparameters=(LENGTH_SCALE, PRIOR_BY_WIDTH, STEP_SIZE, FRICTION, NUM_KEPT, THINNING),
    build=build,
    sample=sample,
    inference="sampled",
    curve_settings=TrainingSettings(hidden=(50,), batch_size=None, num_steps=20_000),
    image_settings=TrainingSettings(hidden=(50,), batch_size=100, num_steps=20_000),
    order=134,
    short_title="SGHMC",
    in_menus=False,
)
