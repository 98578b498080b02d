"""Everything that only the page foundations/variational_or_mcmc needs."""
