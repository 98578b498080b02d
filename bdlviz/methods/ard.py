r"""Automatic relevance determination: every weight has its own prior, whose variance is learned, too.

$$ q(w) = \mathcal{N}(w \mid \theta, \sigma^2), \qquad p(w) = \mathcal{N}(0, s^2), \quad s^2 = \theta^2 + \sigma^2 $$

Kharitonov, Molchanov & Vetrov, "Variational dropout via empirical Bayes", 2018 (arXiv 1811.00596), after MacKay 1994.
The best prior variance has a closed form. With it, the divergence depends on log alpha only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bdlviz.methods.common import KL_WEIGHT
from bdlviz.methods.sparse_variational_dropout import START_LOG_STD, WARM_UP, prunable_weights, sample
from bdlviz.types import MethodSpec

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup


def build(setup: Setup) -> Method:
    r"""The negative evidence lower bound per data point, with the best prior for every weight.

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, w_i)
       + \frac{\beta}{2 N} \sum_{\text{weights}} \log\left(1 + \frac{\theta^2}{\sigma^2}\right) $$
    """
    from bdlviz.training.weight_families import ard

    return prunable_weights(setup, ard)


SPEC = MethodSpec(
    name="ard",
    title="Automatic relevance determination",
    idea="Every weight has its own prior, whose variance is learned. Weights that are not needed shrink to 0.",
    reference="Kharitonov, Molchanov & Vetrov 2018",
    hyperparameters=(KL_WEIGHT, WARM_UP, START_LOG_STD),
    build=build,
    sample=sample,
    order=90,
    noise_on="weights",
    in_menus=False,
)
