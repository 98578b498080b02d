"""Addresses: the pages of the navigation, and the settings in a link."""
