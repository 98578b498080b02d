r"""Conditional VAE: the class is an input of encoder and decoder, so the code describes only the style.

The one-hot class is appended to the image and to the code. The prior of z does not depend on the class: the same code
with ten classes gives ten digits in the same style. Kingma, Rezende, Mohamed & Welling, "Semi-supervised learning with
deep generative models", NIPS 2014 (arXiv 1406.5298; model M2 with all labels observed); Sohn, Lee & Yan, "Learning
structured output representation using deep conditional generative models", NIPS 2015.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bdlviz.methods import vae
from bdlviz.types import MethodSpec

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup


def build(setup: Setup) -> Method:
    r"""The negative evidence lower bound as in the VAE; only the network depends on the class.

    $$ \log p(x \mid y) \ge \mathbb{E}_{q(z \mid x, y)}\left[\log p(x \mid z, y)\right]
       - \operatorname{KL}\left[q(z \mid x, y)\,\Vert\,\mathcal{N}(0, I)\right] $$
    """
    return vae.build(setup)


SPEC = MethodSpec(
    name="conditional_vae",
    title="Conditional variational autoencoder",
    idea="The class is an input of encoder and decoder, so the code describes only the style.",
    reference="Kingma et al. 2014; Sohn, Lee & Yan 2015",
    hyperparameters=vae.SPEC.hyperparameters,
    build=build,
    sample=vae.sample,
    tasks=("classification",),
    is_generative=True,
    sees_classes=True,
    order=170,
)
