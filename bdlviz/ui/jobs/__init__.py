"""Background work: the queue of jobs, and how pages obtain, watch and stop results."""
