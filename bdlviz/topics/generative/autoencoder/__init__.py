"""Everything that only the page generative/autoencoder needs."""
