"""The pages on foundations: what their views show."""
