"""Everything that only the page weights/sparsity needs."""
