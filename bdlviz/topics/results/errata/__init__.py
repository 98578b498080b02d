"""Everything that only the page results/errata needs."""
