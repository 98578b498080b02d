"""Which likelihood: the distribution of an image given its code, and which bounds may be compared."""

from bdlviz.topics import papers
from bdlviz.topics.generative.likelihood import controls as c
from bdlviz.topics.generative.likelihood import exercises, views
from bdlviz.ui import Page, Scene, View, show
from bdlviz.ui.jobs.shipped import IMAGES

PAGE = Page(
    "generative/likelihood",
    "Which distribution over images does each decoder define?",
    views=(
        View(
            "likelihoods",
            "Four likelihoods",
            views.four_likelihoods,
            (IMAGES,),
            live=(c.SHOWN,),
            inside=(c.WEIGHT,),
            needs=views.needed,
        ),
    ),
    scenes=(
        Scene("drawn", "Samples", {}, "Samples of p(x|z) at the codes of the images in the first row."),
        Scene(
            "means",
            "Means",
            {"shown": "means"},
            "Means of p(x|z), without noise: papers print these.",
            exercises.BEFORE_MEANS,
        ),
        Scene("new", "New images", {"shown": "samples"}, "Means at codes drawn from the prior."),
        Scene(
            "digits",
            "8×8 digits",
            {"images": "digits"},
            "The same on scikit-learn's small digits.",
            exercises.BEFORE_GREYER_DIGITS,
        ),
    ),
    exercises=exercises.LIKELIHOOD,
    try_this=(
        "Compare *Samples* with *Means*: which of the four has the grey values of the images?",
        "Which has the best density, and which the smallest error? Why are they different models?",
        "Open *Bounds*: which of these numbers may be compared?",
        "Open *What is wrong*: how large is the missing normalising constant for one pixel, and for a whole image?",
        "Open *Posterior collapse* and raise β: when are reconstructions blurred? When do new images look like digits?",
    ),
    caveat=(
        "In all four models pixels are independent given the code, so the noise in the samples is part of the model. "
        "Small networks (two layers of 128 units, ten code dimensions), one seed. The error compares "
        "means alone; a better density may have a worse error. The Gaussian has mass outside [0, 1], and with a small "
        "σ its density grows without limit on pixels that are exactly 0: the lower limit of σ, one hundredth, "
        "determines its bound."
    ),
    papers=(papers.LOAIZA_GANEM_2019, papers.HIGGINS_2017, papers.LUCAS_2019),
)

show(PAGE)
