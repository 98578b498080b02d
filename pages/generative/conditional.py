"""A conditional VAE: told the class, the code is left with the style."""

from bdlviz import plots, ui
from bdlviz.methods import conditional_vae
from bdlviz.predictive import bounds, latent
from bdlviz.topics.generative.conditional import exercises, views
from bdlviz.topics.shared import generative_source
from bdlviz.ui.jobs import shipped

PAGE = ui.Page(
    title="Generative · Choose the class",
    question="What is left for the code to say once the class is known?",
    controls=(shipped.IMAGES, *views.CONTROLS),
    scenes=(
        ui.Scene("styles", "One style, ten digits", {}, "Every column is one code: slant and weight, never the digit."),
        ui.Scene(
            "second",
            "The other coordinate",
            {"walk": "2"},
            "The second coordinate holds another trait.",
            ask=exercises.BEFORE_SECOND,
        ),
        ui.Scene(
            "sevens",
            "All the sevens",
            {"class": "7"},
            "The plane of one class: every way to write a 7.",
            ask=exercises.BEFORE_SEVENS,
        ),
        ui.Scene("digits", "8×8 digits", {"images": "digits"}, "The same on scikit-learn's small digits."),
    ),
    exercises=exercises.CONDITIONAL,
    try_this=(
        "Follow a column: do a slanted 1 and a slanted 9 have the same code?",
        "Open *What the code knows*: where have the clusters gone?",
        "Open *Lend a style*: whose handwriting do the ten digits have?",
        "Open *Bayes' rule*: find an image that the wrong class explains better.",
    ),
    caveat=(
        "The bound given the class is on log p(x|y), the VAE's on log p(x): to compare them, pay log 10 = 2.3 nats for "
        "naming the class. The rest of the difference is not magic: a plane is too small for ten classes and their "
        "styles, and the class is one more input. Style has no names either: another seed gives other coordinates, and "
        "nothing but the shared prior makes a code mean the same in every class."
    ),
    papers=(
        ui.Paper(
            "Kingma, Rezende, Mohamed & Welling 2014, Semi-supervised learning with deep generative models",
            "https://arxiv.org/abs/1406.5298",
        ),
        ui.Paper(
            "Sohn, Lee & Yan 2015, Learning structured output representation using deep conditional generative models",
            "https://papers.nips.cc/paper/5775-learning-structured-output-representation-using-deep-conditional-"
            "generative-models",
        ),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        images, label, walk, other = views.choose(shipped.IMAGES)
    with view.picture:
        found, plain = generative_source.find_plane(images, "conditional_vae"), generative_source.find(images, "2d")
        if found is not None and plain is not None:
            views.show(found, label, walk, float(other))
            views.show_numbers(found, plain)
    if found is not None and plain is not None:
        view.footer(
            formulas=(conditional_vae.build, latent.given_class, bounds.class_posterior),
            code=(latent.given_class, latent.traverse, bounds.class_posterior, plots.manifold),
            snippet=generative_source.snippet(found.fit, views.last_line(label, walk, other)),
            more=views.tabs(found, plain, label),
        )
