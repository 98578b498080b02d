"""The predictive distribution of new observations, which scores use."""
