"""Everything that only the page regression/active_learning needs."""
