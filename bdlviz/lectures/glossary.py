"""The terms of the field in one sentence each, the pages that show them, and an order of the pages for self-study."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """A term, its meaning in one sentence, the pages that show it, by name, the best one first, and its LaTeX."""

    name: str
    meaning: str
    pages: tuple[str, ...]
    formula: str = ""

    @property
    def key(self) -> str:
        """The term in links, such as ``epistemic-uncertainty``."""
        plain = unicodedata.normalize("NFKD", self.name.lower()).encode("ascii", "ignore").decode()
        return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


@dataclass(frozen=True)
class Stop:
    """A page in the order for self-study, and what a reader should know before it."""

    page: str
    assumes: str


DRAWS, LAMBDA, GAP = "regression/function_draws", "regression/effect_of_lambda", "regression/in_between"
RULE, KINDS, CHAINS = "foundations/bayes_rule", "foundations/noise_or_ignorance", "foundations/variational_or_mcmc"
DECIDING, DEPTH = "foundations/deciding", "foundations/depth_and_edges"
COMPARE, ACTIVE, BOARD = "regression/compare", "regression/active_learning", "results/scoreboard"
DIGITS, CONCRETE = "digits/mc_dropout", "digits/concrete_dropout"
BACKPROP, SIGNAL, NOISE = "weights/bayes_by_backprop", "weights/signal_to_noise", "weights/variational_dropout"
SPARSE, SMALL = "weights/sparsity", "weights/compression"
VAE, LATENT, DECODE, PLAIN = (f"generative/{name}" for name in ("vae", "latent_space", "decode", "autoencoder"))
MANIFOLD, PIXELS, CLASSES = (f"generative/{name}" for name in ("manifold", "likelihood", "conditional"))

TERMS = (
    Term(
        "Aleatoric uncertainty",
        "Noise: the uncertainty that comes from the observations; more data of the same kind do not reduce it.",
        (KINDS, DECIDING, DEPTH, DIGITS),
    ),
    Term(
        "ARD",
        "Automatic relevance determination: every weight has a prior variance of its own, which is learned, and "
        "weights whose variance goes to 0 are removed.",
        (SPARSE,),
    ),
    Term(
        "Autoencoder",
        "Two networks trained together: the encoder maps an image to a short code, and the decoder maps the code back "
        "to the image.",
        (PLAIN,),
    ),
    Term(
        "BALD",
        "A score for active learning: the mutual information of a label and the weights, which is high where the "
        "samples of the posterior disagree.",
        (ACTIVE,),
    ),
    Term(
        "Bayes by Backprop",
        "Variational inference with an independent Gaussian for every weight, trained by gradients through sampled "
        "weights.",
        (BACKPROP, SIGNAL),
    ),
    Term(
        "Calibration",
        "Predicted probabilities are calibrated if events that get the probability q happen in a share q of the cases.",
        (BOARD, COMPARE),
    ),
    Term(
        "Code",
        "The latent variable z of an image: a short vector from which the decoder makes the image.",
        (LATENT, DECODE),
    ),
    Term(
        "Concrete dropout",
        "Dropout whose rates are learned by gradients, because a continuous (concrete) distribution replaces the "
        "Bernoulli masks during training.",
        (CONCRETE,),
    ),
    Term(
        "Coverage",
        "The share of observations that lie inside a predictive interval; a calibrated 95 % interval covers 95 % of "
        "them.",
        (COMPARE, KINDS),
    ),
    Term(
        "Deep ensemble",
        "Several networks of one kind, trained from different random starts; their predictions are averaged.",
        (DRAWS, COMPARE),
    ),
    Term(
        "Draw",
        "One function that is sampled from all that the method holds possible, such as a network under one mask.",
        (DRAWS, DIGITS, BACKPROP),
    ),
    Term(
        "Dropout",
        "During training every unit is set to 0 with the probability p, independently in every step.",
        (DRAWS, DIGITS),
    ),
    Term(
        "Effective sample size",
        "The number of independent draws that would give the same standard error as the correlated draws of a chain.",
        (CHAINS,),
    ),
    Term(
        "ELBO",
        "The evidence lower bound: the fit to the data minus the KL divergence of q from the prior.",
        (CHAINS, VAE),
        r"\mathbb{E}_q[\log p(\mathcal{D} \mid w)] - \mathrm{KL}[q \,\|\, p] \le \log p(\mathcal{D})",
    ),
    Term(
        "Entropy",
        "The uncertainty of a discrete distribution, in nats; it is 0 if one class has probability 1.",
        (DIGITS,),
        r"H[p] = -\sum_c p_c \log p_c",
    ),
    Term(
        "Epistemic uncertainty",
        "Ignorance: uncertainty about the function or the weights that is left after the data; more data reduce it.",
        (KINDS, DECIDING, DEPTH, DRAWS),
    ),
    Term(
        "Evidence",
        "The marginal likelihood of the data: the likelihood averaged over the prior.",
        (RULE, CHAINS),
        r"p(\mathcal{D}) = \int p(\mathcal{D} \mid w)\, p(w)\, dw",
    ),
    Term(
        "Expected calibration error",
        "The mean distance between confidence and accuracy over bins of confidence, weighted by the number of "
        "predictions in each bin.",
        (BOARD,),
        r"\sum_b \tfrac{n_b}{N} \, |\mathrm{acc}_b - \mathrm{conf}_b|",
    ),
    Term(
        "Gaussian process",
        "A distribution over functions whose values at any inputs are jointly Gaussian; regression with it is exact.",
        (COMPARE, ACTIVE),
    ),
    Term(
        "Hamiltonian Monte Carlo",
        "A Markov chain that proposes distant points by simulating the motion of a particle, and accepts or rejects "
        "them; it samples from the exact posterior.",
        (CHAINS, COMPARE),
    ),
    Term(
        "Held-out data",
        "Data that were not used for training; scores on them estimate how the model does on new data.",
        (LAMBDA, BOARD),
    ),
    Term(
        "KL divergence",
        "How far a distribution q is from p; it is at least 0, and 0 only if q = p.",
        (CHAINS, BACKPROP, VAE),
        r"\mathrm{KL}[q \,\|\, p] = \mathbb{E}_q[\log q - \log p]",
    ),
    Term(
        "Laplace approximation",
        "A Gaussian posterior at the MAP estimate, whose covariance is the inverse curvature H there.",
        (COMPARE, GAP),
        r"q(w) = \mathcal{N}(\hat w,\, H^{-1})",
    ),
    Term(
        "Length-scale ℓ",
        "The inverse standard deviation of the prior of the weights; a large one means smooth functions.",
        (DRAWS, COMPARE),
        r"p(w) = \mathcal{N}(0,\, \ell^{-2})",
    ),
    Term(
        "Likelihood",
        "The probability of the observations as a function of the weights.",
        (RULE, PIXELS),
        r"p(\mathcal{D} \mid w)",
    ),
    Term(
        "Local reparameterisation",
        "The pre-activations of a layer are sampled instead of its weights, which gives gradients of smaller variance.",
        (NOISE, BACKPROP),
    ),
    Term(
        "Log-uniform prior",
        "A prior that cannot be normalised, and whose density grows without bound near 0.",
        (SPARSE, NOISE),
        r"p(w) \propto 1 / |w|",
    ),
    Term(
        "Manifold",
        "A surface in the space of images: with two latent dimensions, all images that a decoder can make.",
        (MANIFOLD,),
    ),
    Term(
        "MAP",
        "Maximum a posteriori: the weights with the largest posterior density; weight decay finds them.",
        (RULE, COMPARE),
        r"\hat w = \arg\max_w \, p(w \mid \mathcal{D})",
    ),
    Term(
        "Mask",
        "Which units dropout keeps and which it leaves out, in one training step or in one draw.",
        (DIGITS, CONCRETE, DRAWS),
    ),
    Term(
        "MC dropout",
        "Dropout that stays on at prediction: every mask gives one sample of the function.",
        (DRAWS, DIGITS),
    ),
    Term(
        "Mean field",
        "A variational family in which all weights are independent.",
        (CHAINS, BACKPROP),
        r"q(w) = \prod_i q(w_i)",
    ),
    Term(
        "MLE",
        "Maximum likelihood estimate: the weights under which the data are most probable, without a prior.",
        (RULE,),
        r"\hat w = \arg\max_w \, p(\mathcal{D} \mid w)",
    ),
    Term(
        "Model precision τ",
        "The inverse variance of the observation noise that the model assumes.",
        (DRAWS,),
        r"\tau = 1 / \sigma^2",
    ),
    Term(
        "Mutual information",
        "The entropy of the mean prediction minus the mean entropy of the samples: the part of the predictive entropy "
        "that comes from the weights.",
        (DIGITS, ACTIVE),
        r"H[\bar p] - \tfrac{1}{S} \sum_s H[p_s]",
    ),
    Term(
        "Negative log-likelihood",
        "Minus the log probability density that a prediction gives to an observation; smaller is better.",
        (LAMBDA, BOARD),
        r"-\log p(y \mid x)",
    ),
    Term(
        "Posterior",
        "The distribution of the weights after the data.",
        (RULE, CHAINS),
        r"p(w \mid \mathcal{D}) \propto p(\mathcal{D} \mid w)\, p(w)",
    ),
    Term(
        "Posterior collapse",
        "Dimensions of the code that the decoder does not use: their q(z|x) is equal to the prior for every image.",
        (VAE, PIXELS),
    ),
    Term(
        "Posterior predictive",
        "The distribution of a new observation, averaged over the posterior of the weights.",
        (RULE, DRAWS),
        r"p(y \mid x, \mathcal{D}) = \int p(y \mid x, w)\, p(w \mid \mathcal{D})\, dw",
    ),
    Term(
        "Prior",
        "The distribution of the weights before the data.",
        (RULE, LAMBDA),
        r"p(w)",
    ),
    Term(
        "R-hat",
        "The standard deviation over all chains divided by that within chains; values near 1 say that the chains "
        "sample from one distribution.",
        (CHAINS, COMPARE),
    ),
    Term(
        "Regret",
        "The reward of the best arm minus the reward of the arm that was chosen, summed over the rounds.",
        (ACTIVE,),
    ),
    Term(
        "Reparameterisation trick",
        "A sample is written as a function of the parameters and of noise, so that gradients pass through it.",
        (VAE, BACKPROP),
        r"z = \mu + \sigma \varepsilon, \quad \varepsilon \sim \mathcal{N}(0, 1)",
    ),
    Term(
        "Scale mixture prior",
        "A mixture of a wide and a narrow Gaussian with mean 0 as the prior of every weight.",
        (BACKPROP,),
    ),
    Term(
        "Signal-to-noise ratio",
        "How far the mean of a weight is from 0 in standard deviations; weights with a low ratio can be removed.",
        (SIGNAL, SPARSE),
        r"|\mu| / \sigma",
    ),
    Term(
        "t-SNE",
        "A map of points to the plane that keeps near neighbours near; distances between groups have no meaning.",
        (LATENT,),
    ),
    Term(
        "Thompson sampling",
        "Draw one function from the posterior and choose the arm that is best under it.",
        (ACTIVE,),
    ),
    Term(
        "VAE",
        "Variational autoencoder: an autoencoder whose encoder gives a distribution over codes, trained by the ELBO.",
        (VAE, CLASSES),
    ),
    Term(
        "Variational dropout",
        "Gaussian noise on every weight; α is learned, and a large α means that the weight can be removed.",
        (NOISE, SPARSE),
        r"q(w) = \mathcal{N}(\mu,\, \alpha \mu^2)",
    ),
    Term(
        "Variational inference",
        "The posterior is approximated by the member q of a family of distributions that maximises the ELBO.",
        (CHAINS, BACKPROP),
    ),
    Term(
        "Weight decay λ",
        "The factor of the squared weights in the loss; it is equivalent to a Gaussian prior of the weights.",
        (LAMBDA, DRAWS),
    ),
)
ORDER = (
    Stop(RULE, "Probability: densities, conditional probability."),
    Stop(DRAWS, "Bayes' rule; what a network with one hidden layer is."),
    Stop(LAMBDA, "Function draws; held-out data."),
    Stop(KINDS, "Function draws; mean and variance."),
    Stop(DECIDING, "Noise or ignorance."),
    Stop(DEPTH, "Noise or ignorance."),
    Stop(CHAINS, "Bayes' rule; KL divergence."),
    Stop(COMPARE, "Function draws; Variational or MCMC."),
    Stop(GAP, "Compare."),
    Stop(DIGITS, "Noise or ignorance; softmax."),
    Stop(CONCRETE, "MC dropout; entropy."),
    Stop(ACTIVE, "Noise or ignorance; mutual information."),
    Stop(BACKPROP, "Variational or MCMC; gradients."),
    Stop(SIGNAL, "Bayes by Backprop."),
    Stop(NOISE, "Bayes by Backprop; dropout."),
    Stop(SPARSE, "Variational dropout."),
    Stop(SMALL, "Sparsity."),
    Stop(PLAIN, "Networks for images."),
    Stop(VAE, "Variational or MCMC; Autoencoder."),
    Stop(LATENT, "VAE."),
    Stop(MANIFOLD, "VAE."),
    Stop(DECODE, "VAE."),
    Stop(PIXELS, "VAE; likelihood."),
    Stop(CLASSES, "VAE."),
    Stop(BOARD, "MC dropout; calibration."),
)


def terms_of(page: str) -> list[Term]:
    """The terms that a page shows, in alphabetical order."""
    return [term for term in TERMS if page in term.pages]
