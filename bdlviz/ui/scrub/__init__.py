"""Views that run in the browser and redraw during a drag, without a run of the page."""
