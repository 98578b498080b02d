"""Everything that only the page weights/bayes_by_backprop needs."""
