"""Everything that only the page weights/variational_dropout needs."""
