"""Exercises and predictions of the page generative/vae, with their checks."""

from __future__ import annotations

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting

VAE: tuple[Exercise, ...] = (
    Number(
        "After 100 epochs the training ELBO is −110.6 nats and the KL 19.1. How large is the reconstruction term?",
        lambda: -110.6 + 19.1,
        0.005,
        "ELBO = reconstruction − KL: 91.5 nats are lost in restoring the image, 19.1 in naming its code.",
        "The KL is subtracted in the ELBO. Mind the sign.",
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
        "−96.3. What made the gap of 19 nats?",
        (
            "Held-out images are harder to draw.",
            "The networks have learned a thousand images by heart.",
            "The held-out number is no bound, the other is one.",
            "The KL term counts less in training.",
        ),
        1,
        "The same networks with sixty times the images leave a gap of 2 nats.",
        "Which can be learned by heart, a thousand images or 60,000?",
    ),
)

BEFORE_PLANE = Prediction(
    Choice(
        "Two code dimensions instead of 20: an image then pays 5.8 instead of 19.1 nats of KL. What does the training "
        "ELBO do?",
        (
            "It rises: 13 nats are saved.",
            "It stays: the two parts balance.",
            "It falls: restoring the image loses more.",
        ),
        2,
        "From −110.6 to −151.2 nats; three trainings of the plane end between −157.9 and −151.2. The reconstruction "
        "loses more than the KL saves.",
    ),
    {},
)

BEFORE_FREE = Prediction(
    Choice(
        "At β = 1 the 8×8 digits pay 3 nats of KL. With β = 0 nobody asks for it: what becomes of it?",
        ("It goes to 0.", "It stays about 3 nats.", "It grows to hundreds of nats."),
        2,
        "Codes become exact and move apart, about 250 nats from the prior; the recorded ELBO, which counts them, "
        "collapses.",
    ),
    {"images": "digits"},
)

BEFORE_COLLAPSE = Prediction(
    Choice(
        "At β = 1 the 8×8 digits use four of 20 dimensions. How many with β = 10?",
        ("More: a dearer code is used better.", "One or two.", "None."),
        2,
        "A nat of code would have to save ten nats in restoring, and none does: every image comes back as the average.",
    ),
    {"images": "digits"},
)
