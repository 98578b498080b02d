"""The weight of the KL term in each step: constant, with a warm-up, or halved from minibatch to minibatch."""

from __future__ import annotations

from bdlviz.training.method import Setup

SILENT = 0.25  # share of a warm-up in which the weight is 0: 5 of 20 epochs (Molchanov et al. 2017)


def kl_factor(setup: Setup, step: int) -> float:
    """The factor of the KL term at one step; after the warm-up its mean over an epoch is 1.

    ``setup.options`` may hold ``kl_warm_up``, the share of all steps after which the term has its full weight, and
    ``kl_halving``, 1 for the weights of `halved`.
    """
    warm_up, halving = setup.options.get("kl_warm_up", 0.0), setup.options.get("kl_halving", 0.0)
    minibatches = -(-setup.num_data // setup.batch_size)
    return warmed_up(step, warm_up * setup.num_steps) * (halved(step % minibatches, minibatches) if halving else 1.0)


def warmed_up(step: float, length: float) -> float:
    """0 in the first quarter of a warm-up of ``length`` steps, then linear to 1 at its end."""
    if step >= length:
        return 1.0
    return max(0.0, (step / length - SILENT) / (1 - SILENT))


def halved(index: int, minibatches: int) -> float:
    r"""The weight of minibatch ``index`` (from 0) of M, relative to equal weights; it is half of the one before.

    Source: Blundell et al. 2015, section 3.4. The powers here are below 1, since 2^M would overflow.

    $$ \pi_i M = M \frac{2^{M-i}}{2^M - 1} = M \frac{2^{-i}}{1 - 2^{-M}}, \qquad i = 1, \dots, M $$
    """
    return minibatches * 2.0 ** -(index + 1) / (1 - 2.0**-minibatches)
