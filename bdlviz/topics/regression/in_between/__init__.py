"""Everything that only the page regression/in_between needs."""
