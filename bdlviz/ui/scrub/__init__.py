"""Views that redraw during a drag, without a run of the page: the generic base, and the function picture."""

from bdlviz.topics.regression.effect_of_lambda.views_moving import GridView
from bdlviz.topics.regression.function_draws.views_moving import FunctionView

__all__ = ["FunctionView", "GridView"]
