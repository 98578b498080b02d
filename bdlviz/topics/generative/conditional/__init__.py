"""Everything that only the page generative/conditional needs."""
