"""Views that redraw during a drag, without a run of the page: the generic base, and the function picture."""

from bdlviz.ui.scrub.functions import FunctionView
from bdlviz.ui.scrub.grid_view import GridView

__all__ = ["FunctionView", "GridView"]
