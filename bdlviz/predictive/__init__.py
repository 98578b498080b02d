"""From fitted parameters to predictions, without torch: shipped pictures are drawn without it."""
