"""Everything that only the page regression/effect_of_lambda needs."""
