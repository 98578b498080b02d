"""Everything that only the page results/scoreboard needs."""
