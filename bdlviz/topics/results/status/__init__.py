"""Everything that only the page results/status needs."""
