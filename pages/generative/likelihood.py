"""Which likelihood: the distribution of an image given its code, and which bounds may be compared."""

from bdlviz.topics import papers
from bdlviz.topics.generative.likelihood import controls as c
from bdlviz.topics.generative.likelihood import exercises, views
from bdlviz.ui import Page, Scene, View, show
from bdlviz.ui.jobs.shipped import IMAGES

PAGE = Page(
    "generative/likelihood",
    "Which distribution does a decoder give to the pixels, and what does its mean hide?",
    views=(
        View(
            "likelihoods",
            "Four likelihoods",
            views.four_likelihoods,
            (IMAGES, c.SHOWN),
            inside=(c.WEIGHT,),
            needs=views.needed,
        ),
    ),
    scenes=(
        Scene("drawn", "Drawn", {}, "Images drawn from the four models, with the noise of their likelihoods."),
        Scene(
            "means",
            "Means",
            {"shown": "means"},
            "What papers print: the means, without the noise of the likelihood.",
            exercises.BEFORE_MEANS,
        ),
        Scene("new", "New images", {"shown": "samples"}, "Means at codes from the prior: again without the noise."),
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
        "Compare *Drawn* with *Means*: which of the four has the grey values of the images?",
        "Which has the best density, and which the smallest error? Why not the same one?",
        "Open *Bounds*: which of these numbers may be compared?",
        "Open *What is wrong*: how much does the Bernoulli term leave out of one pixel, and of a whole image?",
        "Open *Posterior collapse* and raise β from 0: when do reconstructions blur, when do new images become digits?",
    ),
    caveat=(
        "In all four models pixels are independent given the code: the speckle belongs to the model and is no mistake "
        "of the picture. Small networks (two layers of 128 units, ten code dimensions), one seed. The error compares "
        "means alone; a better density may have a worse error. The Gaussian has mass outside [0, 1], and with a small "
        "σ its density grows without limit on pixels that are exactly 0: the lower limit of σ, one hundredth, "
        "determines its bound."
    ),
    papers=(papers.LOAIZA_GANEM_2019, papers.HIGGINS_2017, papers.LUCAS_2019),
)

show(PAGE)
