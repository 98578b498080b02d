"""Depth and edges: which uncertainty does a network of images show where?"""

from bdlviz.topics import papers
from bdlviz.topics.foundations.depth_and_edges import controls as c
from bdlviz.topics.foundations.depth_and_edges import dense_source, views_dense, views_next
from bdlviz.topics.foundations.depth_and_edges import views_dense_studies as studies
from bdlviz.topics.foundations.depth_and_edges.exercises import BEFORE_GREEN
from bdlviz.ui import Explanation, Page, Scene, View, show

LIVE = (c.NUM_SCENES,)
MANY = {"n_scenes": "300"}
GREEN = MANY | {"front": "green"}

PAGE = Page(
    "foundations/depth_and_edges",
    "Where in an image is a network uncertain?",
    views=(
        View(
            "depth", "Depth of every pixel", views_dense.depth, views_next.DEPTH, LIVE, needs=views_dense.depth_needed
        ),
        View(
            *("classes", "Classes of every pixel", views_dense.classes, views_next.CLASSES, LIVE),
            needs=dense_source.networks_needed,
        ),
        View("scenes", "More training scenes", studies.sizes, live=(c.NUM_SCENES,), needs=studies.sizes_needed),
        View("second_task", "A second task", studies.tasks, (studies.ABOUT_TASKS,), needs=studies.tasks_needed),
    ),
    scenes=(
        Scene("depth", "Depth", {}),
        Scene("strange", "Unseen shape", MANY | {"front": "tent"}),
        Scene("green", "Unseen colour", GREEN, ask=BEFORE_GREEN),
        Scene("green-networks", "Unseen colour, three networks", GREEN | {"draws_of": "networks"}),
        Scene("segmentation", "Classes", MANY | {"look": "classes"}),
        Scene("more-scenes", "More training scenes", {"look": "scenes"}),
    ),
    former={"second-task": {"look": "second_task"}},
    claim="A network should be uncertain where readings are noisy, as at outlines, and where it saw too little.",
    explanation=Explanation(
        "A network sees a scene and predicts how far away each pixel is. Orange: the noise that it expects; blue: how "
        "far its draws differ. Frames mark the outlines or, with something never seen in front, that thing; then the "
        "error takes the place of the noise.",
        "The readings of the sensor are noisy at outlines, far away and on glossy things, and the image shows where. "
        "So the network can learn this noise, and more scenes do not lower it. Draws differ where the training scenes "
        "do not determine the network.",
        "All masks of MC dropout use the same weights: on a colour that no training scene has they are wrong "
        "together and hardly differ. Networks that were trained separately differ more. And from few scenes the "
        "network overfits the noise, so its bands are too narrow.",
    ),
    try_this=(
        "Move *Training scenes N*. Which of the two uncertainties falls, and which one grows?",
        "Give the thing in front a shape that was never seen. Is the blue larger there?",
    ),
    caveat=(
        "Scenes are synthetic, of 32×32 pixels, so that the noise of the sensor is known. Networks are small and "
        "trained for few steps. The colour bars of the two uncertainties differ. A second task shows no change of "
        "the noise of depth in four trainings."
    ),
    papers=(papers.KENDALL_2017, papers.KENDALL_2018),
)

show(PAGE)
