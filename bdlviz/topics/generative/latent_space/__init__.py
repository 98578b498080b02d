"""Everything that only the page generative/latent_space needs."""
