"""Topics on scores, published numbers and errata."""
