"""Everything that only the page foundations/bayes_rule needs."""
