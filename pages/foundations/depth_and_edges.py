"""Depth and edges: which uncertainty does a network of images show where?"""

from bdlviz.topics import papers
from bdlviz.topics.foundations.depth_and_edges import controls as c
from bdlviz.topics.foundations.depth_and_edges import dense_source, views_dense, views_next
from bdlviz.topics.foundations.depth_and_edges import views_dense_studies as studies
from bdlviz.topics.foundations.depth_and_edges.exercises import BEFORE_GREEN
from bdlviz.ui import Explanation, Page, Scene, View, show

LIVE, USUAL = (c.NUM_SCENES,), {"front": "none"}

PAGE = Page(
    "foundations/depth_and_edges",
    "Where in an image is a network uncertain?",
    views=(
        View(
            *("depth", "Depth of every pixel", views_dense.depth, views_next.DEPTH, (c.FROM, c.NUM_SCENES)),
            needs=views_dense.depth_needed,
        ),
        View(
            *("classes", "Classes of every pixel", views_dense.classes, views_next.CLASSES, LIVE),
            needs=dense_source.networks_needed,
        ),
        View("scenes", "More training scenes", studies.sizes, live=(c.NUM_SCENES,), needs=studies.sizes_needed),
        View("second_task", "A second task", studies.tasks, (studies.ABOUT_TASKS,), needs=studies.tasks_needed),
    ),
    scenes=(
        Scene("green-networks", "Unseen colour", {}),
        Scene("green", "One network", {"draws_of": "masks"}, ask=BEFORE_GREEN),
        Scene("strange", "Unseen shape", {"front": "tent"}),
        Scene("depth", "Nothing unseen", USUAL | {"draws_of": "masks", "n_scenes": "30"}),
        Scene("segmentation", "Classes", USUAL | {"look": "classes"}),
        Scene("more-scenes", "More training scenes", {"look": "scenes", "n_scenes": "30"}),
    ),
    former={"second-task": {"look": "second_task"}},
    claim="Networks trained separately mostly differ more at an unseen colour than elsewhere, yet less than they are "
    "wrong there.",
    explanation=Explanation(
        "Networks see a scene and guess how far away each pixel is; the mean of their guesses is drawn. Blue: how far "
        "their guesses differ (standard deviation). The frame marks the thing with a colour that no training scene "
        "has. Orange, in *Nothing unseen*: the noise that they expect.",
        "The readings of the sensor are noisy at outlines, far away and on glossy things, and the image shows where. "
        "So the network can learn this noise, and more scenes do not lower it. Draws differ where the training scenes "
        "do not determine the network.",
        "All draws of MC dropout use the same weights: on a colour that no training scene has they are wrong "
        "together and hardly differ. Networks that were trained separately differ more. And from few scenes the "
        "network overfits the noise, so its bands are too narrow.",
    ),
    try_this=(
        "Choose one network with dropout. Is the blue still larger on the unseen colour?",
        "Move *Training scenes N* to the left. What happens to both uncertainties?",
    ),
    caveat=(
        "Scenes are synthetic, of 32×32 pixels, so that the noise of the sensor is known. Networks are small and "
        "trained for few steps. The colour bars of the two uncertainties differ. A second task shows no change of "
        "the noise of depth in four trainings."
    ),
    papers=(papers.KENDALL_2017, papers.KENDALL_2018),
)

show(PAGE)
