"""Latent space: where does a VAE put the digits?"""

from bdlviz import plots, ui
from bdlviz.methods import vae
from bdlviz.predictive import embedding, latent
from bdlviz.ui import generative, shipped

PAGE = ui.Page(
    title="Generative · Latent space",
    question="Where does a variational autoencoder put the digits?",
    controls=(shipped.IMAGES, generative.CODES, generative.PART),
    scenes=(
        ui.Scene("train", "Training images", {}, "Never told the classes, the encoder separates most of them."),
        ui.Scene("test", "Test images", {"part": "test"}, "Images it has not seen fall into the same places."),
        ui.Scene("plane", "Two dimensions", {"codes": "2d"}, "A plane is too small for ten classes: they overlap."),
    ),
    try_this=(
        "Click points at the border between two classes: what does the decoder draw?",
        "Switch to two dimensions. Which digits share a region, and are they alike?",
    ),
    caveat=(
        "t-SNE keeps neighbours, not distances: gaps and cluster sizes mean nothing, and no point of the picture can "
        "be decoded except the codes themselves. With two dimensions no t-SNE is used."
    ),
    papers=(
        ui.Paper("Kingma & Welling 2014, Auto-encoding variational Bayes", "https://arxiv.org/abs/1312.6114"),
        ui.Paper("van der Maaten & Hinton 2008, Visualizing data using t-SNE"),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        images = shipped.IMAGES.show()
        codes = generative.CODES.show()
        part = generative.PART.show()
    with view.picture:
        found = shipped.fit_and_extra(f"vae_{images}_{codes}")
        if found is not None:
            fit, extra = found
            generative.show_code_map(extra, part, fit, shipped.SHAPES[images])
    if found is not None:
        fit, _ = found
        view.footer(
            formulas=(vae.negative_elbo, latent.kl_to_prior),
            code=(latent.encode, embedding.embed, plots.latent_scatter),
            snippet=generative.snippet(fit, "mean, std = fit.encode(data.x)\npoints = embed(mean)"),
            more={
                "Samples": lambda: generative.show_samples(fit, shipped.SHAPES[images]),
                "Training": lambda: generative.show_history(fit),
            },
        )
