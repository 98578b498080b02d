"""What the pages on distributions over weights share and show."""
