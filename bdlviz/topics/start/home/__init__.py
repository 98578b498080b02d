"""Everything that only the page start/home needs."""
