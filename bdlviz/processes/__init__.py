"""Training in processes of its own, so that a fit neither waits for the interpreter nor makes a page wait for it."""
