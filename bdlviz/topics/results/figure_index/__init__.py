"""Everything that only the page results/figure_index needs."""
