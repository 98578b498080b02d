"""Everything that only the page start/lecture needs."""
