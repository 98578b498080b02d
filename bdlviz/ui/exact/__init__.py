"""Views in which approximations meet exact answers."""
