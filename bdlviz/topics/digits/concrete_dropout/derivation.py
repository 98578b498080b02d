"""The bound of dropout with the rate as a part of q: an entropy, and masks with a gradient by the rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bdlviz.lectures.derivation import Derivation, Sides, Step
from bdlviz.lectures.small_cases import integral, masked_weight_kl, mean_and_error
from bdlviz.methods import concrete_dropout
from bdlviz.models.likelihoods import Gaussian
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.predictive.relaxation import relaxed_density, relaxed_distribution, share_between
from bdlviz.predictive.summaries import entropy
from bdlviz.types import Array

if TYPE_CHECKING:
    from torch import Tensor

LENGTH_SCALE, RATE, TEMPERATURE = 0.7, 0.12, 0.1
SPIKE_STD, KEPT_WEIGHT = 0.02, 1.5  # the width of the two spikes, and m
SMOOTH = 1.0  # a temperature at which the relaxed mask's density can be integrated to many digits
X, Y, WEIGHT = 0.8, 0.3, 1.1  # one point and one weight
NUM_DRAWS, NUM_NETWORKS, STEP = 200_000, 200, 1e-4


def _tensors(weight: Array, bias: Array, rates: Array) -> dict[str, Tensor]:
    """The parameters of one layer with weights (in, out), biases (out,) and dropout rates (in,), as torch has them."""
    import torch

    arrays = {"weight0": weight, "bias0": bias[None], "drop_logit0": concrete_dropout.logit(rates)[None]}
    return {name: torch.tensor(np.asarray(array, float)[None, None]) for name, array in arrays.items()}


def _kl(weight: Array, bias: Array, rates: Array) -> float:
    import torch

    length_scale = torch.tensor([LENGTH_SCALE], dtype=torch.float64)
    return float(concrete_dropout.kl_to_prior(_tensors(weight, bias, rates), length_scale))


def entropy_term() -> Sides:
    """How KL changes from p = 0.3 to p = 0.1 for one weight: by quadrature, and by the method's formula."""
    before, after = 0.3, 0.1
    change = masked_weight_kl(after, KEPT_WEIGHT, SPIKE_STD, LENGTH_SCALE) - masked_weight_kl(
        before, KEPT_WEIGHT, SPIKE_STD, LENGTH_SCALE
    )
    early, late = (_kl(np.array([[(1 - p) * KEPT_WEIGHT]]), np.zeros(1), np.array([p])) for p in (before, after))
    return Sides(change, late - early)


def scaled_masks() -> Sides:
    """The divergence of a layer written with M, and as the method computes it with W."""
    rates, bias = np.array([0.1, 0.4, 0.5]), np.array([0.3, -0.2])
    kept = np.array([[0.5, -1.2], [0.8, 0.1], [0.0, 0.4]])
    units = (1 - rates) * LENGTH_SCALE**2 / 2 * np.square(kept).sum(1) - entropy(np.stack([rates, 1 - rates], axis=1))
    plain = units.sum() + LENGTH_SCALE**2 / 2 * np.square(bias).sum()
    return Sides(float(plain), _kl((1 - rates)[:, None] * kept, bias, rates))


def slope_by_rate() -> Sides:
    """Slope of the divergence by logit p at fixed W: by hand, and by autograd."""
    import torch

    rate, weight = 0.2, np.array([[0.6]])
    params = _tensors(weight, np.zeros(1), np.array([rate]))
    leaf = params["drop_logit0"].requires_grad_()
    length_scale = torch.tensor([LENGTH_SCALE], dtype=torch.float64)
    concrete_dropout.kl_to_prior(params, length_scale).sum().backward()
    assert leaf.grad is not None
    norm = LENGTH_SCALE**2 / 2 * float(np.square(weight).sum()) * rate / (1 - rate)
    return Sides(norm + rate * (1 - rate) * float(concrete_dropout.logit(rate)), float(leaf.grad))


def hard_limit() -> Sides:
    """The dropout rate, and how many relaxed masks are nearer to 0 than to 1."""
    import torch

    noise = concrete_dropout.logistic_noise(np.random.default_rng(0), (1, 1, NUM_DRAWS, 1))
    drop_logit = torch.full((1, 1, 1, 1), float(concrete_dropout.logit(RATE)))
    mask = (1 - RATE) * concrete_dropout.relaxed_mask(drop_logit, torch.from_numpy(noise), TEMPERATURE).numpy()
    return Sides(float(relaxed_distribution(np.array(0.5), RATE, TEMPERATURE)), *mean_and_error(mask.ravel() < 0.5))


def density() -> Sides:
    """The probability of a mask between 0.1 and 0.9: from the distribution function, and by its slope written out."""
    odds, t = (1 - RATE) / RATE, TEMPERATURE

    def written_out(z: float) -> float:
        below, above = z**-t, (1 - z) ** -t
        return t * odds * below * above / (z * (1 - z) * (odds * below + above) ** 2)

    return Sides(share_between(0.1, 0.9, RATE, TEMPERATURE), integral(written_out, 0.1, 0.9))


def _expected_misfit(drop_logit: float) -> float:
    rate = 1 / (1 + np.exp(-drop_logit))

    def integrand(z: float) -> float:
        squares = (Y - X * WEIGHT * z / (1 - rate)) ** 2
        return float(relaxed_density(np.array(z), rate, SMOOTH) * squares / 2)

    return integral(integrand, 1e-12, 1 - 1e-12)


def gradient() -> Sides:
    """Slope of the expected misfit by logit p: by quadrature, and by autograd through drawn masks."""
    import torch

    at, batch = float(concrete_dropout.logit(0.3)), 100
    shape = (NUM_NETWORKS, 1, 1, 1)
    leaf = torch.full(shape, at, dtype=torch.float64, requires_grad=True)
    weight, bias = (torch.full(shape, value, dtype=torch.float64) for value in (WEIGHT, 0.0))
    noise = concrete_dropout.logistic_noise(np.random.default_rng(0), (NUM_NETWORKS, 1, batch, 1))
    x, y = (torch.full((1, 1, batch, 1), value, dtype=torch.float64) for value in (X, Y))
    params = {"weight0": weight, "bias0": bias, "drop_logit0": leaf}
    temperature = torch.tensor([SMOOTH], dtype=torch.float64)
    model = Model(MLP((1, 1)), Gaussian())
    misfit = concrete_dropout.relaxed_negative_log_likelihood(
        model, params, x, y, [torch.from_numpy(noise)], temperature
    )
    misfit.sum().backward()
    assert leaf.grad is not None
    exact = (_expected_misfit(at + STEP) - _expected_misfit(at - STEP)) / (2 * STEP)
    return Sides(exact, *mean_and_error(leaf.grad.numpy().ravel()))


CONCRETE_DROPOUT = Derivation(
    title="Dropout rates in the bound",
    claim=r"With its entropy in the bound and its masks relaxed, the dropout rate $p$ can be learned by gradient.",
    steps=(
        Step(
            "The rate is a part of q",
            r"\operatorname{KL}[q(W) \Vert p(W)] = \sum_k \left[ \frac{\ell^2}{2} (1 - p_k) \lVert M_k \rVert^2"
            r" - \mathbb{H}(p_k) \right] + \text{const}",
            r"The divergence of dropout: two spikes that do not overlap. Once $p_k$ is learned, the entropy "
            r"$\mathbb{H}(p) = -p \log p - (1 - p) \log(1 - p)$ of the mask is no constant any more.",
            "Picture *Over training*: without the entropy term rates hardly leave their start.",
            sides=entropy_term,
        ),
        Step(
            "Masks divided by the keep probability",
            r"\frac{\ell^2}{2} (1 - p_k) \lVert M_k \rVert^2 = \frac{\ell^2}{2} \frac{\lVert W_k \rVert^2}{1 - p_k},"
            r" \qquad W_k = (1 - p_k) M_k",
            r"The network holds $W$, since kept units are multiplied by $1 / (1 - p_k)$. Biases have no mask: "
            r"$\frac{\ell^2}{2} \lVert b \rVert^2$ is added.",
            sides=scaled_masks,
        ),
        Step(
            "What pulls at a rate",
            r"\frac{\partial \operatorname{KL}}{\partial \operatorname{logit} p} = \frac{\ell^2}{2} \lVert W \rVert^2"
            r" \frac{p}{1 - p} + p\,(1 - p) \operatorname{logit} p",
            r"The chain rule with $\partial p / \partial \operatorname{logit} p = p (1 - p)$. Without weights only the "
            r"second term is left, and it is 0 at $p = \frac12$; weights pull the rate below.",
            "Picture *Kept pixels*: the border, which carries no ink, is kept half of the time.",
            sides=slope_by_rate,
        ),
        Step(
            "A mask as a function of noise",
            r"z = \left[\operatorname{logit} p + \operatorname{logit} u < 0\right], \qquad u \sim \mathcal{U}(0, 1)"
            r" \quad\Rightarrow\quad P(z = 0) = p",
            r"$\operatorname{logit} u < -\operatorname{logit} p$ where $u < 1 - p$. What is random does not depend on "
            r"$p$, but a step has no slope. (The relaxed mask is below $\frac12$ just as often.)",
            "On the right: the dashed step of height p.",
            ("hard mask, t → 0",),
            hard_limit,
            "≈",
        ),
        Step(
            "Relax the step",
            r"\tilde z = \operatorname{sigmoid}\left(-\tfrac1t (\operatorname{logit} p + \operatorname{logit} u)\right)"
            r", \qquad P(\tilde z) = \operatorname{sigmoid}(t \operatorname{logit} \tilde z + \operatorname{logit} p)",
            r"Solve for $u$: the map is monotonic, so the distribution function follows, and its slope is the density. "
            r"For $t \to 0$ it is the hard mask.",
            "The curves: on the left the density, on the right the distribution function.",
            ("relaxed mask",),
            density,
        ),
        Step(
            "What a minibatch minimises",
            r"\frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, W, \tilde z_i)"
            r" + \frac1N \operatorname{KL}[q(W) \Vert p(W)], \qquad \nabla_p \mathbb{E}_{\tilde z}[g(\tilde z, p)]"
            r" = \mathbb{E}_u[\nabla_p\, g(\tilde z(u, p), p)]",
            "$u$ does not depend on $p$, so the gradient moves inside the expectation and runs through the mask. It "
            r"is the gradient of the relaxed objective, which nears the bound as $t \to 0$.",
            "Raise t: the curves leave the hard mask, and training sees another noise than predictions.",
            ("relaxed mask", "hard mask, t → 0"),
            gradient,
            "≈",
        ),
    ),
    source="Gal, Hron & Kendall 2017; Maddison, Mnih & Teh 2017",
    state={"look": "relaxation"},
)
