"""What the pages on generative models show. `source` finds the fit, the other modules draw what pages make of it."""
