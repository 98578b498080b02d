"""Train a VAE: its bound as it is learned, and what becomes of the images."""

from bdlviz import plots, ui
from bdlviz.methods import vae
from bdlviz.predictive import bounds, estimators, latent
from bdlviz.topics.generative.vae import derivation, exercises, views_theory, views_training
from bdlviz.topics.shared import generative_source

PAGE = ui.Page(
    title="Generative · Train a VAE",
    question="What does a variational autoencoder learn, and what does it pay for it?",
    controls=(*views_training.controls(), *views_theory.CONTROLS),
    scenes=(
        ui.Scene(
            "lecture", "Lecture's log", {}, "Twenty dimensions, 1,000 images: rings are the lecture's own numbers."
        ),
        ui.Scene(
            "plane",
            "A plane",
            {"latent_dim": "2"},
            "Two numbers per image: less KL to pay, blurred images back.",
            ask=exercises.BEFORE_PLANE,
        ),
        ui.Scene("digits", "8×8 digits", {"images": "digits"}, "The same on scikit-learn's small digits."),
        ui.Scene(
            "free",
            "No KL term",
            {"images": "digits", "beta": "0", "epochs": "50"},
            "β = 0: sharp images, absurd KL.",
            ask=exercises.BEFORE_FREE,
        ),
        ui.Scene(
            "collapse",
            "Collapse",
            {"images": "digits", "beta": "10", "epochs": "50"},
            "β = 10: dimensions go silent.",
            ask=exercises.BEFORE_COLLAPSE,
        ),
    ),
    derivation=derivation.VAE,
    exercises=exercises.VAE,
    try_this=(
        "Move the epoch slider: which digits are restored early, which late?",
        "Compare training and held-out ELBO on 1,000 images, then on all of MNIST. Where does the gap come from?",
        "Raise β from 0 to 100 and open *KL per dimension*: how many dimensions survive?",
        "Open *log p(x)*: for which digit is the encoder's Gaussian the worst guess of the posterior?",
        "Change the likelihood. May you compare the bounds?",
    ),
    caveat=(
        "The Bernoulli likelihood on grey pixels is the lecture's and the usual one, and no normalised density: see "
        "*What is wrong*. The recorded training ELBO is the mean over an epoch's minibatches while the weights still "
        "moved. A held-out number at the mean code, as the lecture's code computes it, is no bound and reads about six "
        "nats too good; here it is a Monte Carlo mean over codes."
    ),
    papers=(
        ui.Paper("Kingma & Welling 2014, Auto-encoding variational Bayes", "https://arxiv.org/abs/1312.6114"),
        ui.Paper("Burda et al. 2016, Importance weighted autoencoders", "https://arxiv.org/abs/1509.00519"),
        ui.Paper("Loaiza-Ganem & Cunningham 2019, The continuous Bernoulli", "https://arxiv.org/abs/1907.06845"),
        ui.Paper("Higgins et al. 2017, beta-VAE", "https://openreview.net/forum?id=Sy2fzU9gl"),
        ui.Paper("Sønderby et al. 2016, Ladder variational autoencoders (warm-up)", "https://arxiv.org/abs/1602.02282"),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        values = views_training.choose()
    with view.picture:
        run = views_training.show(values)
    if run is not None:
        view.footer(
            formulas=(vae.negative_elbo, latent.kl_to_prior, bounds.identity, bounds.importance_bound),
            code=(vae.negative_elbo, bounds.bound, bounds.plug_in, estimators.gradient_variance, plots.elbo_curves),
            snippet=generative_source.snippet(
                run.fit, "print(fit.history['elbo'])", "print(fit.elbo(data.x_test, 10).mean())"
            ),
            more=views_training.tabs(run) | views_theory.tabs(run),
        )
