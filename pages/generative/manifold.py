"""Learned manifold: every point of a plane is a digit."""

from bdlviz import plots, ui
from bdlviz.methods import vae
from bdlviz.predictive import latent
from bdlviz.ui import generative, shipped

PAGE = ui.Page(
    title="Generative · Learned manifold",
    question="What does the decoder draw between the digits it has seen?",
    controls=(shipped.IMAGES, generative.GRID, generative.REACH, generative.STEPS),
    scenes=(
        ui.Scene("lecture", "Lecture's grid", {}, "Even steps over [-2, 2]²: neighbours morph into each other."),
        ui.Scene("paper", "Paper's grid", {"grid": "quantile"}, "Equal prior mass, as in the paper's figure 4."),
        ui.Scene("far", "Far out", {"reach": "4"}, "Beyond the training codes the decoder still draws something."),
    ),
    try_this=(
        "Follow one row: which digits lie on the way from a 1 to a 0?",
        "Widen the range to ±4. Hardly any training image has its code there. Does the decoder say so?",
    ),
    caveat=(
        "The decoder has no notion of 'I do not know': far from all codes it draws as confidently. Pixels are "
        "the expected grey values; the Bernoulli likelihood on grey pixels is not a normalised density."
    ),
    papers=(ui.Paper("Kingma & Welling 2014, Auto-encoding variational Bayes", "https://arxiv.org/abs/1312.6114"),),
)

with PAGE.frame() as view:
    with view.controls:
        images = shipped.IMAGES.show()
        grid = generative.GRID.show()
        reach = float(generative.REACH.show())
        steps = int(generative.STEPS.show())
    with view.picture:
        found = shipped.fit_and_extra(f"vae_{images}_2d")
        if found is not None:
            generative.show_manifold(found[0], reach, steps, grid, shipped.SHAPES[images])
    if found is not None:
        fit, _ = found
        view.footer(
            formulas=(vae.negative_elbo,),
            code=(generative.code_grid, latent.decode_logits, plots.manifold),
            snippet=generative.snippet(fit, f"images = fit.decode(code_grid({reach:g}, {steps}, {grid!r}))"),
            more={
                "Samples": lambda: generative.show_samples(fit, shipped.SHAPES[images]),
                "Training": lambda: generative.show_history(fit),
            },
        )
