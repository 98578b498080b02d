"""Topics on autoencoders."""
