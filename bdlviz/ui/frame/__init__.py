"""The frame of every page: heading, scenes, tabs, exports, presenter mode."""
