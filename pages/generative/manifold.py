"""Learned manifold: every point of a plane is a digit."""

from bdlviz import plots, ui
from bdlviz.methods import vae
from bdlviz.predictive import latent
from bdlviz.topics.generative.manifold import exercises
from bdlviz.topics.shared import decoder_pad, generative_source, planes

PAGE = ui.Page(
    title="Generative · Learned manifold",
    question="What does the decoder draw between the digits it has seen?",
    controls=(generative_source.IMAGES, planes.GRID, planes.REACH, planes.STEPS, planes.OVERLAY),
    scenes=(
        ui.Scene("lecture", "Lecture's grid", {}, "Even steps over [-2, 2]²: neighbours morph into each other."),
        ui.Scene(
            "paper",
            "Paper's grid",
            {"grid": "quantile"},
            "Equal prior mass, as in the paper's figure 4.",
            ask=exercises.BEFORE_PRIOR_MASS,
        ),
        ui.Scene("codes", "With the codes", {"overlay": "train"}, "Where the digits are, there were images."),
        ui.Scene(
            "far",
            "Far out",
            {"reach": "4", "overlay": "train"},
            "Beyond the codes the decoder still draws something.",
            ask=exercises.BEFORE_FAR,
        ),
    ),
    exercises=exercises.MANIFOLD,
    try_this=(
        "Follow one row: which digits lie on the way from a 1 to a 0?",
        "Widen the range to ±4 and show the codes. Does the decoder say where it has never been?",
        "Compare even steps with equal prior mass: which wastes fewer pictures?",
        "All of MNIST instead of 1,000 images: which borders become sharper?",
    ),
    caveat=(
        "The decoder has no notion of 'I do not know': far from all codes it draws as confidently. Pixels are "
        "the expected grey values; the Bernoulli likelihood on grey pixels is not a normalised density."
    ),
    papers=(ui.Paper("Kingma & Welling 2014, Auto-encoding variational Bayes", "https://arxiv.org/abs/1312.6114"),),
)

with PAGE.frame() as view:
    with view.controls:
        images, grid, reach, steps, overlay = (control.show() for control in PAGE.controls)
    with view.picture:
        found = generative_source.find_plane(images)
        if found is not None:
            planes.show_manifold(found, float(reach), int(steps), grid, overlay)
    if found is not None:
        view.footer(
            formulas=(vae.negative_elbo, latent.code_grid, latent.encode),
            code=(latent.code_grid, latent.decode_logits, plots.manifold),
            snippet=generative_source.snippet(found.fit, f"images = fit.decode(code_grid({reach}, {steps}, {grid!r}))"),
            more=decoder_pad.tabs(found),
        )
