"""Topics on curves."""
