"""Everything that only the page weights/compression needs."""
