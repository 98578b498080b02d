"""Networks, likelihoods and the scaling of data."""
