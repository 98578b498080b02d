"""Work in the background: the queue, what a page obtains from it, and what it remembers."""
