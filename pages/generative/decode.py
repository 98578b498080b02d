"""Decode pad: drag through the latent space, and the digit morphs."""

from bdlviz import plots, ui
from bdlviz.methods import vae
from bdlviz.predictive import latent
from bdlviz.topics.generative.decode import exercises
from bdlviz.topics.shared import decoder_pad, generative_source

PAGE = ui.Page(
    title="Generative · Decode pad",
    question="What does every point of the latent space look like?",
    controls=(generative_source.IMAGES, generative_source.PLANES, decoder_pad.START),
    scenes=(
        ui.Scene("plane", "A plane", {}, "Two numbers describe a digit: where does a 4 close its top and become a 9?"),
        ui.Scene(
            "middle",
            "The middle",
            {"start": "origin"},
            "Where all classes meet the decoder draws none of them.",
            ask=exercises.BEFORE_MIDDLE,
        ),
        ui.Scene(
            "twenty", "Twenty dimensions", {"codes": "20d"}, "The pad spans the two coordinates that say the most."
        ),
        ui.Scene("three", "Bend a 3", {"codes": "20d", "start": "3"}, "Each slider changes one property: which?"),
        ui.Scene("digits", "8×8 digits", {"images": "digits"}, "The same on scikit-learn's small digits."),
    ),
    exercises=exercises.DECODE,
    try_this=(
        "Drag from a cluster of 4s to one of 9s. Is there a point at which you would hesitate?",
        "Drag far out of the dotted circles (1 and 2 sd of the prior). Does the decoder say that it does not know?",
        "With 20 dimensions: which coordinate is slant, which is the weight of the stroke?",
        "Open *Your own digit*, draw a 7 with a bar, and take its code to the pad.",
    ),
    caveat=(
        "The picture is the expected image, p(x | z) without its noise, which is why it is smooth. The decoder draws "
        "as confidently where no image ever had its code: a distance to the nearest code is all the warning there is. "
        "Coordinates have no names: another seed gives other ones, in another order."
    ),
    papers=(
        ui.Paper("Kingma & Welling 2014, Auto-encoding variational Bayes", "https://arxiv.org/abs/1312.6114"),
        ui.Paper("Higgins et al. 2017, beta-VAE", "https://openreview.net/forum?id=Sy2fzU9gl"),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        images, codes, start = (control.show() for control in PAGE.controls)
    with view.picture:
        found = generative_source.find(images, codes)
        if found is not None:
            decoder_pad.show(found, codes, start)
    if found is not None:
        code = ", ".join(f"{value:g}" for value in decoder_pad.place_of(found, codes, start).code)
        view.footer(
            formulas=(vae.negative_elbo, latent.traverse, latent.interpolate),
            code=(latent.decode_logits, latent.traverse, latent.interpolate, plots.manifold),
            snippet=generative_source.snippet(found.fit, f"image = fit.decode([{code}])"),
            more=decoder_pad.tabs(found) | decoder_pad.own_tab(found, codes, start),
        )
