"""From fitted parameters to predictions. No torch here: a shipped picture needs none."""
