"""Latent space: where does a VAE put the digits?"""

from functools import partial

from bdlviz import plots, ui
from bdlviz.methods import vae
from bdlviz.predictive import embedding, latent
from bdlviz.topics.generative.latent_space import exercises, views_embedding
from bdlviz.topics.shared import codemap, generative_source

PAGE = ui.Page(
    title="Generative · Latent space",
    question="Where does a variational autoencoder put the digits?",
    controls=(
        *(
            generative_source.IMAGES,
            generative_source.CODES,
            generative_source.PART,
            codemap.MARKS,
            codemap.COLOUR,
            views_embedding.PERPLEXITY,
        ),
        codemap.PICK,
    ),
    scenes=(
        ui.Scene("train", "Training images", {}, "Never told the classes, the encoder separates most of them."),
        ui.Scene(
            "test",
            "Held-out images",
            {"part": "test"},
            "Images it has not seen fall into the same places.",
            ask=exercises.BEFORE_HELD_OUT,
        ),
        ui.Scene(
            "plane",
            "Two dimensions",
            {"codes": "2d"},
            "A plane is too small for ten classes: they overlap.",
            ask=exercises.BEFORE_PLANE_OF_CODES,
        ),
        ui.Scene(
            "ellipses",
            "Posteriors",
            {"codes": "2d", "marks": "ellipses"},
            "Every image has a small Gaussian of its own: q(z|x), one standard deviation.",
        ),
        ui.Scene("kl", "What it costs", {"colour": "kl"}, "Images far from the prior cost many nats of KL."),
    ),
    exercises=exercises.LATENT_SPACE,
    try_this=(
        "Click a point at the border between two classes: who are its neighbours in z, and who in the picture?",
        "Choose by lasso and drag around that border: what do the chosen images share?",
        "Show the classes 4, 7 and 9 alone. Which of them would a classifier confuse?",
        "Set the perplexity to 5, then to 100. Which clusters are real?",
        "Switch to two dimensions. Which digits share a region, and are they alike?",
    ),
    caveat=(
        "t-SNE keeps neighbours, not distances: gaps, areas and the order of clusters mean nothing, another perplexity "
        "gives another picture, and clusters can appear where there are none. No point of the picture can be decoded "
        "except the codes themselves. With two dimensions no t-SNE is used: the plane is the latent space."
    ),
    papers=(
        ui.Paper("Kingma & Welling 2014, Auto-encoding variational Bayes", "https://arxiv.org/abs/1312.6114"),
        ui.Paper(
            "van der Maaten & Hinton 2008, Visualizing data using t-SNE",
            "https://jmlr.org/papers/v9/vandermaaten08a.html",
        ),
        ui.Paper(
            "Wattenberg, Viégas & Johnson 2016, How to use t-SNE effectively",
            "https://distill.pub/2016/misread-tsne/",
        ),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        images, codes, part, marks, colour, perplexity = (control.show() for control in PAGE.controls[:-1])
        classes = codemap.choose_classes()
    with view.picture:
        codemap.take_from_link()
        found = generative_source.find(images, codes)
        if found is not None:
            draw = partial(codemap.draw, found, part, marks, colour, classes)
            views_embedding.show(found, part, int(perplexity), draw)
            codemap.show_chosen(found, part)
            codemap.show_numbers(found, part)
    if found is not None:
        last = ("mean, std = fit.encode(data.x)", f"points = embed(mean, perplexity={perplexity})")
        view.footer(
            formulas=(vae.negative_elbo, latent.encode, latent.kl_to_prior, latent.average_posterior, embedding.embed),
            code=(latent.encode, latent.nearest, embedding.embed, plots.latent_scatter),
            snippet=generative_source.snippet(found.fit, *(last if codes == "20d" else last[:1])),
        )
