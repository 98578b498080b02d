r"""Stochastic-gradient Langevin dynamics: a gradient step on the negative log posterior plus Gaussian noise.

$$ w_{t+1} = w_t - \frac{\epsilon^2}{2} \nabla U(w_t) + \epsilon\, r_t, \qquad r_t \sim \mathcal{N}(0, I), \qquad
   U(w) = -\log p(w, \mathcal{D}) $$

Welling & Teh, "Bayesian learning via stochastic gradient Langevin dynamics", ICML 2011.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bdlviz.methods.common import LENGTH_SCALE, NUM_KEPT, PRIOR_BY_WIDTH, STEP_SIZE, THINNING
from bdlviz.methods.hmc import sample
from bdlviz.types import MethodSpec, TrainingSettings

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup


def build(setup: Setup) -> Method:
    r"""One chain per seed and cell without rejection; a training step is one step of the chain.

    $$ w_{t+1} = w_t - \frac{\epsilon^2}{2} \nabla U(w_t) + \epsilon\, r_t, \qquad r_t \sim \mathcal{N}(0, I) $$
    """
    from bdlviz.training.stochastic_chains import langevin_step, stochastic_gradient_chains

    size = setup.hyperparameters["step_size"]
    return stochastic_gradient_chains(setup, lambda expand: langevin_step(size, expand))


SPEC = MethodSpec(
    name="sgld",
    title="Stochastic-gradient Langevin dynamics",
    idea="Gradient steps with added noise; the states of this chain are approximate draws from the posterior.",
    reference="Welling & Teh 2011",
    hyperparameters=(LENGTH_SCALE, PRIOR_BY_WIDTH, STEP_SIZE, NUM_KEPT, THINNING),
    build=build,
    sample=sample,
    inference="sampled",
    curve_settings=TrainingSettings(hidden=(50,), batch_size=None, num_steps=20_000),
    image_settings=TrainingSettings(hidden=(50,), batch_size=100, num_steps=20_000),
    order=132,
    short_title="SGLD",
    in_menus=False,
)
