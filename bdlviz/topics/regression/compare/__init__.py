"""Everything that only the page regression/compare needs."""
