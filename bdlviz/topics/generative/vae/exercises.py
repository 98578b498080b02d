"""Exercises and predictions of the page generative/vae, with their checks."""

from __future__ import annotations

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting

VAE: tuple[Exercise, ...] = (
    Number(
        "After 100 epochs the training ELBO is −110.6 nats and the KL 19.1. How large is the reconstruction term?",
        lambda: -110.6 + 19.1,
        0.005,
        "ELBO = reconstruction − KL: 91.5 nats are lost in the reconstruction, 19.1 in the KL term.",
        "The KL is subtracted in the ELBO.",
        "nats",
    ),
    Setting(
        "Choose a likelihood for which the ELBO is a bound on the density of a grey image.",
        lambda options: options["likelihood"] in ("continuous_bernoulli", "gaussian_pixels"),
        {"images": "digits", "likelihood": "continuous_bernoulli", "epochs": "20"},
        "The continuous Bernoulli and the Gaussian are densities of grey values, which may exceed 1: such a bound may "
        "be positive. It cannot be compared with a Bernoulli's.",
        "A Bernoulli variable is 0 or 1, and binarised pixels are no longer grey.",
    ),
    Choice(
        "On 1,000 images the training ELBO is −110.6 and the held-out one −129.8. On all of MNIST they are −94.0 and "
        "−96.3. What is the reason for the gap of 19 nats?",
        (
            "Held-out images are harder to reconstruct.",
            "The networks overfit to a thousand images.",
            "The held-out number is no bound, the other is one.",
            "The KL term counts less in training.",
        ),
        1,
        "With sixty times as many images the same networks have a gap of 2 nats.",
        "To which can a network overfit more, to a thousand images or to 60,000?",
    ),
)

BEFORE_PLANE = Prediction(
    Choice(
        "Two code dimensions instead of 20: the KL term of an image is then 5.8 instead of 19.1 nats. What does the "
        "training "
        "ELBO do?",
        (
            "It rises, because the KL term is 13 nats smaller.",
            "It stays the same: the two terms balance.",
            "It falls: the reconstruction gets worse by more.",
        ),
        2,
        "From −110.6 to −151.2 nats; three trainings of the plane end between −157.9 and −151.2. The loss in the "
        "reconstruction term is larger than the gain in the KL term.",
    ),
    {"shown_epoch": "100"},
)

BEFORE_FREE = Prediction(
    Choice(
        "At β = 1 the KL term of the 8×8 digits is 3 nats. With β = 0 it is not in the objective: how large does "
        "it become?",
        ("It goes to 0.", "It stays about 3 nats.", "It grows to hundreds of nats."),
        2,
        "The posteriors become narrow and move apart: the KL term grows to about 250 nats. The recorded ELBO, which "
        "contains this KL, becomes very low.",
    ),
    {"images": "digits", "shown_epoch": "100"},
)

BEFORE_COLLAPSE = Prediction(
    Choice(
        "At β = 1 the 8×8 digits use four of 20 dimensions. How many with β = 10?",
        ("More: a larger cost makes every code more efficient.", "One or two.", "None."),
        2,
        "One nat of KL would have to improve the reconstruction by more than ten nats, which never happens: every "
        "reconstruction is the average image.",
    ),
    {"images": "digits", "shown_epoch": "100"},
)
