"""Everything that only the page regression/function_draws needs."""
