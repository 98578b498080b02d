"""Learned keep probabilities: which pixels does a network decide to drop?"""

from bdlviz import plots, ui
from bdlviz.methods import concrete_dropout
from bdlviz.ui import keep, shipped

PAGE = ui.Page(
    title="Digits · Learned keep probabilities",
    question="Which pixels does a network decide to drop?",
    controls=(shipped.IMAGES,),
    scenes=(
        ui.Scene("mnist", "MNIST-1000", {}, "Pixels at the border never carry ink: they may be dropped."),
        ui.Scene("digits", "8×8 digits", {"images": "digits"}, "The same on scikit-learn's small digits."),
    ),
    try_this=(
        "Compare the picture with the average digit: where is ink common, where is it informative?",
        "Open *All layers*: do deeper layers keep more of their units?",
    ),
    caveat=(
        "A dropout rate moves by about one learning rate a step, so after a short training its value counts steps more "
        "than evidence; these fits were trained for 300 epochs. Without the entropy term every rate would fall to 0."
    ),
    papers=(ui.Paper("Gal, Hron & Kendall 2017, Concrete dropout", "https://arxiv.org/abs/1705.07832"),),
)

with PAGE.frame() as view:
    with view.controls:
        images = shipped.IMAGES.show()
        keep.show_introduction()
    with view.picture:
        found = shipped.fit_and_extra(f"concrete_{images}")
        if found is not None:
            keep.show_pixels(found[1], shipped.SHAPES[images])
    if found is not None:
        fit, extra = found
        view.footer(
            formulas=(concrete_dropout.relaxed_mask, concrete_dropout.kl_to_prior),
            code=(concrete_dropout.relaxed_mask, concrete_dropout.keep_probabilities, plots.keep_probabilities),
            snippet=keep.snippet(fit),
            more={"All layers": lambda: keep.show_layers(extra)},
        )
