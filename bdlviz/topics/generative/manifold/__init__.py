"""Everything that only the page generative/manifold needs."""
