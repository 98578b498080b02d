"""Two divergences that let a weight go: the log-uniform prior for every noise, and a prior with a learned variance."""

from __future__ import annotations

import numpy as np

from bdlviz.lectures.derivation import Derivation, Sides, Step
from bdlviz.lectures.small_cases import integral, log_normal, normal_nodes
from bdlviz.models import divergences
from bdlviz.topics.weights.sparsity import one_weight

MEAN, STD, PRIOR_STD = 0.8, 0.35, 0.5
LOG_ALPHA = float(np.log(STD**2 / MEAN**2))
SIGMOIDAL_ERROR = 0.01  # nats
STRENGTH = 5.0
BEST_STD = float(np.hypot(MEAN, STD))


def additive_noise() -> Sides:
    """The second moment of a weight whose noise multiplies it, and of one to which noise is added."""
    alpha, (nodes, share) = STD**2 / MEAN**2, normal_nodes()
    multiplied, added = MEAN * (1 + np.sqrt(alpha) * nodes), MEAN + STD * nodes
    return Sides(float(share @ multiplied**2), float(share @ added**2))


def sigmoidal_error() -> Sides:
    """The approximation's largest error, and what is said of it; both in nats."""
    log_alpha = np.linspace(-9, 9, 361)
    error = np.abs(divergences.sparse_variational(log_alpha) - divergences.log_uniform(log_alpha))
    return Sides(float(error.max()), SIGMOIDAL_ERROR)


def two_gaussians() -> Sides:
    """The divergence between two Gaussians by quadrature, and by its formula."""

    def integrand(w: float) -> float:
        log_q = log_normal(w, MEAN, STD)
        return float(np.exp(log_q) * (log_q - log_normal(w, 0.0, PRIOR_STD)))

    by_hand = integral(integrand, MEAN - 12 * STD, MEAN + 12 * STD, [MEAN])
    return Sides(by_hand, float(divergences.gaussian(MEAN, STD, 1 / PRIOR_STD)))


def best_prior() -> Sides:
    """The prior variance at which the divergence is smallest, by searching and by its formula."""
    from scipy.optimize import brentq

    step = 1e-4

    def slope(log_std: float) -> float:
        low, high = (divergences.gaussian(MEAN, STD, np.exp(-log_std + side * step)) for side in (1, -1))
        return float(high - low)

    found = brentq(slope, -3.0, 3.0, xtol=1e-13)
    return Sides(float(np.exp(2 * np.asarray(found))), BEST_STD**2)


def put_in() -> Sides:
    """The divergence from the best prior, and as a function of log alpha."""
    return Sides(float(divergences.gaussian(MEAN, STD, 1 / BEST_STD)), float(divergences.ard(LOG_ALPHA)))


def one_weight_cost() -> Sides:
    """What noise costs the data by quadrature, theta at its best for it, and by its formula."""
    alpha, (nodes, share) = float(np.exp(LOG_ALPHA)), normal_nodes()
    mean = 1 / (1 + alpha)  # in units of the best value
    weights = mean * (1 + np.sqrt(alpha) * nodes)
    return Sides(float(share @ (STRENGTH / 2 * np.square(weights - 1))), float(one_weight.misfit(LOG_ALPHA, STRENGTH)))


def best_noise() -> Sides:
    """The best log alpha of a weight under ARD by searching, and by its formula."""
    return Sides(one_weight.best_log_alpha(STRENGTH, divergences.ard), -float(np.log(STRENGTH - 1)))


SPARSE = Derivation(
    title="Two divergences that let a weight go",
    claim=r"Both depend on $\alpha$ alone and are smallest for endless noise: a weight stays if the data pay for it.",
    steps=(
        Step(
            "Add the noise",
            r"w = \theta\,(1 + \sqrt\alpha\, \epsilon) \quad\text{or}\quad w = \theta + \sigma \epsilon, \qquad"
            r" \alpha = \frac{\sigma^2}{\theta^2}",
            r"The same $q(w) = \mathcal{N}(\theta, \sigma^2)$, with $\sigma$ learned in place of $\alpha$. Then "
            r"$\partial w / \partial \theta = 1$ instead of $1 + \sqrt\alpha\, \epsilon$: a gradient without noise of "
            "its own.",
            "*Signal and noise*: θ to the right, σ upwards.",
            sides=additive_noise,
        ),
        Step(
            "The log-uniform prior, for every noise",
            r"\left| \operatorname{KL} - \left(k_1 - k_1\, s(k_2 + k_3 \log \alpha) + \tfrac12 \log(1 + \alpha^{-1})"
            r"\right) \right| \le 0.01 \text{ nats}, \qquad s(a) = \frac{1}{1 + e^{-a}}",
            r"The exact divergence has no closed form. The last term is right for small $\alpha$ up to a constant, the "
            r"sigmoid was fitted to the rest; both go to 0 for $\alpha \to \infty$ (Molchanov et al. 2017).",
            "Switch to *Sparse VD*: the green curve.",
            sides=sigmoidal_error,
            relation="<=",
        ),
        Step(
            "ARD: a prior for each weight",
            r"\operatorname{KL}[\mathcal{N}(\theta, \sigma^2) \Vert \mathcal{N}(0, s^2)] = \frac12 \left("
            r"\frac{\theta^2 + \sigma^2}{s^2} - 1 - \log \frac{\sigma^2}{s^2}\right)",
            r"Two Gaussians: $\mathbb{E}_q[w^2] = \theta^2 + \sigma^2$ and the entropy of $q$. The prior has a "
            "variance $s^2$ of its own for every weight.",
            sides=two_gaussians,
        ),
        Step(
            "Let the bound choose the prior",
            r"\frac{\partial \operatorname{KL}}{\partial s^2} = 0 \quad\Rightarrow\quad s^2 = \theta^2 + \sigma^2",
            r"Only the KL term knows $s$, so the best $s$ can be put in at once (empirical Bayes). The slope is "
            r"$\frac{1}{2 s^2} \left(1 - \frac{\theta^2 + \sigma^2}{s^2}\right)$: negative before, positive after.",
            sides=best_prior,
        ),
        Step(
            "Put it in",
            r"\operatorname{KL} = \frac12 \log\left(1 + \frac{\theta^2}{\sigma^2}\right)"
            r" = \frac12 \log\left(1 + \alpha^{-1}\right)",
            "The fraction becomes 1 and cancels the $-1$: no constant is left over. It is always at least 0, and 0 "
            r"for endless noise.",
            "The green curve, falling to 0 on the right.",
            ("KL",),
            put_in,
        ),
        Step(
            "What the data say",
            r"F(\alpha) = \frac{c}{2} \cdot \frac{\alpha}{1 + \alpha} + \operatorname{KL}(\log \alpha), \qquad"
            r" \min_\theta \mathbb{E}_q\left[\tfrac{c}{2} \left(\tfrac{w}{w_*} - 1\right)^2\right]"
            r" = \frac{c}{2} \cdot \frac{\alpha}{1 + \alpha}",
            "Near its best value $w_*$ the loss is a parabola; "
            r"$\mathbb{E}_q = \frac{c}{2} \left((1 - \theta)^2 + \alpha \theta^2\right)$ in units of $w_*$ is smallest "
            r"at $\theta = 1 / (1 + \alpha)$.",
            "The rising curve, and the sum of the two. (All but the KL are drawn lower by c/2: 0 is a removed weight.)",
            ("data", "KL", "both"),
            one_weight_cost,
        ),
        Step(
            "Who stays",
            r"\frac{\partial F}{\partial \log \alpha} = 0 \quad\Rightarrow\quad \log \alpha = -\log(c - 1), \qquad"
            r" c \le 1: \; \alpha \to \infty",
            r"The slopes are $\frac{c}{2} \frac{\alpha}{(1 + \alpha)^2}$ and $-\frac12 \frac{1}{1 + \alpha}$: equal "
            r"sizes at $c\, \alpha = 1 + \alpha$. A weight whose removal costs the data less than half a nat goes.",
            "On the right: the best noise against c.",
            ("best log α",),
            best_noise,
        ),
    ),
    source="Molchanov, Ashukha & Vetrov 2017; Kharitonov, Molchanov & Vetrov 2018",
    state={"look": "one", "method": "ard"},
)
