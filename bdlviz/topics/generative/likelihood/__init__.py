"""Everything that only the page generative/likelihood needs."""
