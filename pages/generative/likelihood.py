"""Which likelihood: the distribution of an image given its code, and which bounds may be compared."""

from bdlviz.topics import papers
from bdlviz.topics.generative.likelihood import controls as c
from bdlviz.topics.generative.likelihood import exercises as e
from bdlviz.topics.generative.likelihood import views, views_collapse, views_pixel
from bdlviz.ui import Explanation, Page, Scene, View, When, show
from bdlviz.ui.jobs.shipped import IMAGES

AVERAGED = When(views.shows_samples, (c.AVERAGED,))
GREYER = {"decoders": c.ALL, "images": "digits", "averaged": "1"}
FOUR = (IMAGES, c.SHOWN, When(views.shows_samples, (c.DECODERS,)))

PAGE = Page(
    "generative/likelihood",
    "What does a Bernoulli decoder draw?",
    views=(
        View("likelihoods", "Four decoders", views.four_likelihoods, FOUR, (AVERAGED,), needs=views.needed),
        View("pixel", "One grey pixel", views_pixel.pixel, (IMAGES,), live=(c.PIXEL,)),
        View("collapse", "Posterior collapse", views_collapse.collapse, live=(c.WEIGHT,), needs=views_collapse.needed),
    ),
    scenes=(
        Scene("drawn", "Samples", {}),
        Scene("means", "Means", {"shown": "means"}, ask=e.BEFORE_MEANS),
        Scene("new", "New images", {"shown": "samples"}),
        Scene("digits", "Greyer digits", GREYER, ask=e.BEFORE_GREYER_DIGITS),
        Scene("pixel", "One grey pixel", {"look": "pixel"}),
        Scene("collapse", "Codes that collapse", {"look": "collapse", "kl_weight": "4"}),
    ),
    claim="A Bernoulli decoder draws each pixel black or white; only averages of its samples, like its mean, are grey.",
    explanation=Explanation(
        "Digits, and below them what a decoder gives at their codes: a sample, in which every pixel is drawn, the "
        "average of several, and the mean. Grey is neither paper nor ink, to a twentieth.",
        "A Bernoulli variable is 0 or 1, so no sample has a grey pixel. Most VAEs use its term on grey pixels, where "
        "it is no density: see *One grey pixel*. The continuous Bernoulli adds the constant that makes it one.",
        "The mean is blurred, so it is greyer than the images. A higher density is no better picture: most of it comes "
        "from pixels of the background. In all four models pixels are independent given the code, so samples show "
        "noise that images do not have.",
    ),
    exercises=e.LIKELIHOOD,
    try_this=(
        "Average more samples. From how many on does the average look like the mean?",
        "Open *One grey pixel* and move λ: where is the area largest? What does the continuous Bernoulli draw there?",
    ),
    caveat=(
        "Small networks (two layers of 128 units, ten code dimensions), one training each in the pictures; the caption "
        "has more. The error compares means alone. The Gaussian has mass outside [0, 1], and with a small σ its "
        "density grows without limit on pixels that are exactly 0: the lower limit of σ, one hundredth, determines its "
        "bound."
    ),
    papers=(papers.LOAIZA_GANEM_2019, papers.HIGGINS_2017, papers.LUCAS_2019),
)

show(PAGE)
