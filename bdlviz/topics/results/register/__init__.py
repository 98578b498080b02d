"""Everything that only the page results/register needs."""
