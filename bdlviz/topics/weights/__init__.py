"""Topics on the distribution of weights."""
