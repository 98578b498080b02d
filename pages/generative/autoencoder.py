"""A plain autoencoder beside a VAE: the same network, data and seed, and another latent space."""

from bdlviz import plots, ui
from bdlviz.methods import autoencoder, vae
from bdlviz.predictive import latent
from bdlviz.topics.generative.autoencoder import exercises
from bdlviz.topics.shared import generative_source, planes

PAGE = ui.Page(
    title="Generative · Autoencoder or VAE",
    question="What does the KL term buy: why not a plain autoencoder?",
    controls=(generative_source.IMAGES, generative_source.PART),
    scenes=(
        ui.Scene(
            "mnist",
            "MNIST-1000",
            {},
            "The autoencoder's codes sprawl and leave holes; the VAE's lie close together, without holes.",
        ),
        ui.Scene(
            "held-out",
            "Held-out images",
            {"part": "test"},
            "Unseen images land beside the training codes, a few farther off.",
        ),
        ui.Scene(
            "digits",
            "8×8 digits",
            {"images": "digits"},
            "The same on scikit-learn's small digits.",
            ask=exercises.BEFORE_DIGIT_CODES,
        ),
    ),
    exercises=exercises.AUTOENCODER,
    try_this=(
        "Read the axes: how far do the codes of the plain autoencoder reach, and how far the prior N(0, I)?",
        "Open *Samples*: what does the plain autoencoder draw from N(0, I), and from a Gaussian fitted to its codes?",
        "Open *Reconstructions*: which model restores better? Which one would you sample from?",
        "Open *Interpolation*: who leaves the digits on the way?",
    ),
    caveat=(
        "Same network, data, minibatches and seed; the autoencoder has no noise and no KL term, so that nothing tells "
        "its codes where to live. With enough images it restores a little better, because it may use all of the plane; "
        "on 1,000 it learns them by heart. The VAE's reconstruction "
        "term is averaged over its noisy codes, the autoencoder's is not: mind that when comparing the numbers."
    ),
    papers=(
        ui.Paper("Kingma & Welling 2014, Auto-encoding variational Bayes", "https://arxiv.org/abs/1312.6114"),
        ui.Paper(
            "Hinton & Salakhutdinov 2006, Reducing the dimensionality of data with neural networks",
            "https://doi.org/10.1126/science.1127647",
        ),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        images, part = (control.show() for control in PAGE.controls)
    with view.picture:
        plain = generative_source.find_plane(images, "autoencoder")
        ours = generative_source.find(images, "2d")
        models = {} if plain is None or ours is None else {"Plain autoencoder": plain, "VAE": ours}
        if models:
            planes.show_two(models, part)
            planes.show_two_numbers(models)
    if plain is not None and models:
        view.footer(
            formulas=(vae.negative_elbo, latent.draw_codes),
            code=(autoencoder.build, vae.negative_elbo, latent.draw_codes, plots.manifold),
            snippet=generative_source.snippet(
                plain.fit, "codes, _ = fit.encode(data.x)", "images = fit.sample(40, like=codes)"
            ),
            more=planes.tabs(models),
        )
