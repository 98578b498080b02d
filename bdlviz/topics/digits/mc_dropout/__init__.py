"""Everything that only the page digits/mc_dropout needs."""
