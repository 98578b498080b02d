"""Which likelihood: what a decoder says that an image is, and which bounds may be compared."""

from bdlviz import plots, ui
from bdlviz.models.likelihoods import (
    Bernoulli,
    BinarisedBernoulli,
    ContinuousBernoulli,
    GaussianPixels,
    log_normaliser,
)
from bdlviz.predictive import latent
from bdlviz.topics.generative.likelihood import exercises, pixels, views
from bdlviz.topics.shared import generative_source
from bdlviz.ui.jobs import shipped

PAGE = ui.Page(
    title="Generative · Which likelihood?",
    question="What does a decoder say that an image is, before anybody takes the mean?",
    controls=(shipped.IMAGES, views.SHOWN, views.WEIGHT),
    scenes=(
        ui.Scene("drawn", "Drawn", {}, "What the four models say an image looks like, noise included."),
        ui.Scene(
            "means",
            "Means",
            {"shown": "means"},
            "What papers print: the means, without the noise that the model believes in.",
            ask=exercises.BEFORE_MEANS,
        ),
        ui.Scene("new", "New images", {"shown": "samples"}, "Codes from the prior: again the likelihood is not seen."),
        ui.Scene(
            "digits",
            "8×8 digits",
            {"images": "digits"},
            "The same on scikit-learn's small digits.",
            ask=exercises.BEFORE_GREYER_DIGITS,
        ),
    ),
    exercises=exercises.LIKELIHOOD,
    try_this=(
        "Compare *Drawn* with *Means*: which of the four has the grey values of the images?",
        "Which has the best density, and which the smallest error? Why not the same one?",
        "Open *Bounds*: which numbers may stand beside each other?",
        "Open *What is wrong*: how much does the Bernoulli term leave out of one pixel, and of a whole image?",
        "Open *Posterior collapse* and raise β from 0: when do reconstructions blur, when do new images become digits?",
    ),
    caveat=(
        "Pixels are independent given the code in all four: the speckle is what the model says, not a mistake of the "
        "picture. Small networks (two layers of 128 units, ten code dimensions), one seed. The error compares means "
        "alone; a better density may have a worse error. The Gaussian puts mass outside [0, 1], and with a small σ its "
        "density grows without limit on pixels that are exactly 0: the floor of σ, one hundredth, decides its bound."
    ),
    papers=(
        ui.Paper("Loaiza-Ganem & Cunningham 2019, The continuous Bernoulli", "https://arxiv.org/abs/1907.06845"),
        ui.Paper("Higgins et al. 2017, beta-VAE", "https://openreview.net/forum?id=Sy2fzU9gl"),
        ui.Paper(
            "Lucas et al. 2019, Don't blame the ELBO! A linear VAE perspective on posterior collapse",
            "https://arxiv.org/abs/1911.02469",
        ),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        images, shown = (control.show() for control in PAGE.controls[:2])
    with view.picture:
        models = views.find(images)
        if models:
            views.show(models, images, shown)
            views.show_numbers(models, images)
    if models:
        view.footer(
            formulas=(Bernoulli, BinarisedBernoulli, ContinuousBernoulli, GaussianPixels, log_normaliser),
            code=(latent.decode_logits, pixels.draw_pixels, plots.grey_values),
            snippet=generative_source.snippet(
                models["continuous_bernoulli"][0], "print(fit.elbo(data.x_test, 20).mean())"
            ),
            more=views.tabs(models),
        )
