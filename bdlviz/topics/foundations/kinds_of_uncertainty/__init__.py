"""Everything that only the page foundations/kinds_of_uncertainty needs."""
