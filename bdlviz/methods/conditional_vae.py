r"""Conditional VAE: encoder and decoder get the class as an input, so the code describes only the style.

Told as a one-hot row after the image and after the code. The prior of z does not depend on the class: one code in ten
classes is one style in ten digits. Kingma, Rezende, Mohamed & Welling, "Semi-supervised learning with deep generative
models", NIPS 2014 (arXiv 1406.5298; their M2 with all labels seen); Sohn, Lee & Yan, "Learning structured output
representation using deep conditional generative models", NIPS 2015.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bdlviz.methods import vae
from bdlviz.types import MethodSpec

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup


def build(setup: Setup) -> Method:
    r"""As the VAE's, by the same code: the network alone sees the class.

    $$ \log p(x \mid y) \ge \mathbb{E}_{q(z \mid x, y)}\left[\log p(x \mid z, y)\right]
       - \operatorname{KL}\left[q(z \mid x, y)\,\Vert\,\mathcal{N}(0, I)\right] $$
    """
    return vae.build(setup)


SPEC = MethodSpec(
    name="conditional_vae",
    title="Conditional variational autoencoder",
    idea="The class is given to encoder and decoder, so that the code describes the style alone.",
    reference="Kingma et al. 2014; Sohn, Lee & Yan 2015",
    hyperparameters=vae.SPEC.hyperparameters,
    build=build,
    sample=vae.sample,
    tasks=("classification",),
    is_generative=True,
    sees_classes=True,
    order=170,
)
