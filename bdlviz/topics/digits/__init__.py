"""Topics on classified digits."""
