"""How much memory Polars may take: said before it is imported, for it reads this once."""

from __future__ import annotations

import os

_POLARS = {
    "POLARS_MAX_THREADS": "1",
    "POLARS_ROW_GROUP_PREFETCH_SIZE": "1",
    "_RJEM_MALLOC_CONF": "narenas:1,dirty_decay_ms:0,muzzy_decay_ms:0",  # give back what is free at once
}


def spare_memory() -> None:
    """Let Polars work in one thread, read nothing ahead and keep no free memory, unless the environment says otherwise.

    What reads and screens texts is not Polars, so threads of its own would hold memory for no gain.
    """
    for name, value in _POLARS.items():
        os.environ.setdefault(name, value)
