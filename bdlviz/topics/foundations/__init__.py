"""Topics of the foundations."""
