"""Which likelihood: the distribution of an image given its code, and which bounds may be compared."""

from bdlviz.topics import papers
from bdlviz.topics.generative.likelihood import controls as c
from bdlviz.topics.generative.likelihood import exercises as e
from bdlviz.topics.generative.likelihood import views, views_collapse, views_pixel
from bdlviz.ui import Explanation, Page, Scene, View, show
from bdlviz.ui.jobs.shipped import IMAGES

FOUR = {"look": "likelihoods"}

PAGE = Page(
    "generative/likelihood",
    "Which distribution over images does each decoder define?",
    views=(
        View("pixel", "One grey pixel", views_pixel.pixel, (IMAGES,), live=(c.PIXEL,)),
        View("likelihoods", "Four likelihoods", views.four_likelihoods, (IMAGES,), live=(c.SHOWN,), needs=views.needed),
        View("collapse", "Posterior collapse", views_collapse.collapse, live=(c.WEIGHT,), needs=views_collapse.needed),
    ),
    scenes=(
        Scene("pixel", "One grey pixel", {}),
        Scene("drawn", "Samples", FOUR),
        Scene("means", "Means", {**FOUR, "shown": "means"}, ask=e.BEFORE_MEANS),
        Scene("new", "New images", {**FOUR, "shown": "samples"}),
        Scene("digits", "Greyer digits", {**FOUR, "images": "digits"}, ask=e.BEFORE_GREYER_DIGITS),
        Scene("collapse", "Codes that collapse", {"look": "collapse", "kl_weight": "4"}),
    ),
    claim="A Bernoulli on grey pixels is no density of images; its bounds compare with no others.",
    explanation=Explanation(
        "The term that most VAEs sum over pixels, against the grey value of one pixel, and the density that it becomes "
        "with its constant; thin lines are this density at other λ. The patches are draws of this pixel. A nat is the "
        "unit of natural logarithms.",
        "A Bernoulli variable is 0 or 1. Its probabilities, evaluated at grey values, enclose an area of at most one "
        "half. The continuous Bernoulli divides by this area, which depends on λ.",
        "A higher density is no better picture: most of it comes from pixels of the background. In all four models "
        "pixels are independent given the code, so samples show noise that images do not have.",
    ),
    exercises=e.LIKELIHOOD,
    try_this=(
        "Move λ: where is the area under the Bernoulli term largest? What does the continuous Bernoulli draw there?",
        "Compare *Samples* with *Means*: which of the four has the grey values of the images?",
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
