"""A Dask cluster for tests: prints its scheduler's address, and ends when its standard input is closed."""

import sys
from typing import Any

from distributed import LocalCluster


def main() -> None:
    num_workers = int(sys.argv[1])
    settings = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    made: Any = LocalCluster(n_workers=num_workers, **settings)  # typed as if it had to be awaited
    with made as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
