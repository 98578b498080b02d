"""Views that redraw during a drag, without a run of the page: the generic base, and the function picture."""
