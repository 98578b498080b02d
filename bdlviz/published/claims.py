"""What sources print: one declaration for each number that we measure too."""

from __future__ import annotations

from collections.abc import Iterator

from bdlviz.published.claim import AsOneRun, AtLeast, AtMost, Claim, Within

LECTURE_VAE = "Lee, lecture slides on Bayesian deep learning: VAE on MNIST-1000, z = 20"
# One run's log. Its first epoch scatters: 60 seeds have mean -403.7 and sd 4.0 there, and at most 1.5 later.
VAE_LOG = (-400.16, -218.88, -206.14, -202.25, -200.18, -197.61)

LECTURE_DIGITS = "Lee, lecture slides on Bayesian deep learning: MC dropout on MNIST-1000"
# One run's log, epochs 1 to 10, at a dropout rate that the slides leave out; 0.5 is the one that gives these numbers.
DIGITS_LOG = {
    "cross_entropy": (1.9796, 1.0945, 0.7152, 0.5239, 0.4333, 0.3665, 0.2764, 0.2257, 0.2041, 0.1645),
    "penalty": (54.3, 51.4, 49.9, 49.2, 48.8, 48.7, 48.7, 48.9, 49.1, 49.3),
    "accuracy": (33.6, 68.6, 76.0, 83.1, 86.2, 89.1, 92.6, 93.6, 94.5, 95.0),
}
DIGITS_UNIT = {
    "cross_entropy": "nats per label",
    "penalty": "10⁻³ nats per label",
    "accuracy": "% of training digits",
}
LECTURE_TABLE = "Lee, lecture slides on Bayesian deep learning: test accuracy, 1,000 training digits"
# Mean over repeats, in %: by one pass without masks, and by Monte Carlo; None where the table has no such number.
ACCURACY_TABLE: dict[str, tuple[float, float | None]] = {
    "map": (89.37, None),
    "mc_dropout": (90.07, 90.17),
    "concrete_dropout": (90.23, 90.20),
    "variational_dropout": (88.77, 89.60),
}
ACCURACY_SD: dict[str, tuple[float, float | None]] = {  # of single runs, as printed
    "map": (0.32, None),
    "mc_dropout": (0.44, 0.23),
    "concrete_dropout": (0.21, 0.32),
    "variational_dropout": (0.53, 0.56),
}
ACCURACY_TITLES = {
    "map": "base network",
    "mc_dropout": "MC dropout",
    "concrete_dropout": "concrete dropout",
    "variational_dropout": "variational dropout",
}
WAYS = {"one_pass": "one pass without masks", "monte_carlo": "Monte Carlo"}


AUTHORS_CONCRETE = "Gal, Hron & Kendall: synthetic study in the repository of Concrete dropout (2017)"
# Mean over three repeats: dropout rate of hidden layers and of the input, aleatoric and epistemic standard deviation.
AUTHORS_STUDY = {
    10: (0.40, 0.076, 1.26, 1.28),
    100: (0.24, 0.073, 1.32, 0.72),
    1000: (0.23, 0.056, 1.22, 0.64),
    10_000: (0.157, 0.051, 1.13, 0.53),
}
STUDIED = {  # name -> words, unit, tolerance
    "hidden": ("dropout rate of the hidden layers", "probability", 0.04),
    "input": ("dropout rate of the input", "probability", 0.025),
    "aleatoric": ("aleatoric standard deviation", "units of y", 0.25),
    "epistemic": ("epistemic standard deviation", "units of y", 0.25),
}


def _study_claims() -> Iterator[Claim]:
    for num_data, numbers in AUTHORS_STUDY.items():
        for (name, (words, unit, distance)), published in zip(STUDIED.items(), numbers, strict=True):
            yield Claim(
                f"concrete_{name}_{num_data}",
                AUTHORS_CONCRETE,
                f"{words}, N = {num_data:,}, as many steps as the authors took",
                published,
                unit,
                Within(distance),
                "concrete_authors",
            )


def _digits_tolerance(quantity: str, published: float) -> Within:
    """15 % of a cross-entropy, 2 % of a penalty, 3 points of an accuracy; or what single runs scatter."""
    return AsOneRun(
        {"cross_entropy": round(0.15 * published, 4), "penalty": round(0.02 * published, 4), "accuracy": 3}[quantity]
    )


def _accuracy_claims() -> Iterator[Claim]:
    for method, numbers in ACCURACY_TABLE.items():
        for (way, words), published in zip(WAYS.items(), numbers, strict=True):
            if published is not None:
                yield Claim(
                    f"accuracy_{method}_{way}",
                    LECTURE_TABLE,
                    f"{ACCURACY_TITLES[method]}, {words}",
                    published,
                    "% of test digits",
                    Within(0.8),
                    f"accuracy_{method}",
                    is_lecture=True,
                )


SPARSE_PAPER = "Molchanov, Ashukha & Vetrov 2017: LeNet-300-100 on MNIST"
SPARSE_SPARSITY = {0: (98.9, 1.5), 1: (97.2, 2.0), 2: (62.0, 10.0)}  # layer -> % of its weights, tolerance
LECTURE_ARD = "Mittov, lecture slides on variational dropout: automatic relevance determination on MNIST"
BACKPROP_PAPER = "Blundell et al. 2015: Bayes by Backprop on MNIST"
BACKPROP_AGAIN = "Independent replications of Bayes by Backprop on MNIST (2.3 to 2.6 %)"


def _weights_claims() -> Iterator[Claim]:
    sparse, ard = "lenet_sparse_variational_dropout", "lenet_ard"
    error, times = "% of test digits", "times fewer weights"
    yield Claim(f"{sparse}_error", SPARSE_PAPER, "error, after pruning", 1.92, error, AtMost(2.0), sparse)
    yield Claim(f"{sparse}_compression", SPARSE_PAPER, "compression", 68, times, AtLeast(60), sparse)
    for layer, (share, distance) in SPARSE_SPARSITY.items():
        quantity = f"weights pruned in layer {layer + 1}"
        yield Claim(f"{sparse}_layer_{layer}", SPARSE_PAPER, quantity, share, "% of weights", Within(distance), sparse)
    yield Claim(f"{ard}_compression", LECTURE_ARD, "compression", 35, times, AtLeast(35), ard, is_lecture=True)
    small = "400 units twice, error with a very small initial sigma"
    yield Claim("bayes_small_sigma", BACKPROP_PAPER, small, 1.3, error, AtMost(1.6), "bayes_small_sigma")
    honest = "400 units twice, error with a sigma that is learned"
    yield Claim("bayes_honest", BACKPROP_AGAIN, honest, 2.45, error, Within(0.3), "bayes_honest")


CLAIMS: tuple[Claim, ...] = (
    *(
        Claim(
            f"vae_log_{epoch}",
            LECTURE_VAE,
            f"training ELBO, mean over the minibatches of epoch {epoch}",
            published,
            "nats per image",
            AsOneRun(2),
            "vae_log",
            is_lecture=True,
        )
        for epoch, published in enumerate(VAE_LOG, 1)
    ),
    Claim(
        "vae_train_100",
        LECTURE_VAE,
        "training ELBO after 100 epochs (the log says about -111)",
        -111,
        "nats per image",
        AtLeast(-113),
        "vae_log",
        is_lecture=True,
    ),
    Claim(
        "vae_test_100",
        LECTURE_VAE,
        "test ELBO after 100 epochs (the log says about -130), by Monte Carlo over codes",
        -130,
        "nats per image",
        AtLeast(-132),
        "vae_log",
        is_lecture=True,
    ),
    *(
        Claim(
            f"mc_dropout_{quantity}_{epoch}",
            LECTURE_DIGITS,
            f"{quantity.replace('_', '-')} in training, mean over the minibatches of epoch {epoch}",
            published,
            DIGITS_UNIT[quantity],
            _digits_tolerance(quantity, published),
            "mc_dropout_log",
            is_lecture=True,
        )
        for quantity, log in DIGITS_LOG.items()
        for epoch, published in enumerate(log, 1)
    ),
    *_accuracy_claims(),
    *_study_claims(),
    *_weights_claims(),
)
