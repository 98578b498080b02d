"""Everything that only the page digits/concrete_dropout needs."""
