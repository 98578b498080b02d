"""Everything that only the page weights/signal_to_noise needs."""
