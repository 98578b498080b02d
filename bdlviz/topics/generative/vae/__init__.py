"""Everything that only the page generative/vae needs."""
