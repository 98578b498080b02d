"""The first pages."""
