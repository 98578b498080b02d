"""Training and other jobs in separate processes, so that fits and pages do not compete for one interpreter."""
