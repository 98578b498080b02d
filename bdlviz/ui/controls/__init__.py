"""Settings as data, shown as widgets."""
