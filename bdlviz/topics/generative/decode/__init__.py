"""Everything that only the page generative/decode needs."""
