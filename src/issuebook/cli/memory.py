"""How much memory Polars and the C library may take: said before Polars is imported, for it reads this once."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress

_POLARS = {
    "POLARS_MAX_THREADS": "1",
    "POLARS_ROW_GROUP_PREFETCH_SIZE": "1",
    "_RJEM_MALLOC_CONF": "narenas:1,dirty_decay_ms:0,muzzy_decay_ms:0",  # give back what is free at once
}


_ARENAS = -8  # M_ARENA_MAX of malloc.h


def spare_memory() -> None:
    """Let Polars work in one thread, read nothing ahead and keep no free memory, unless the environment says otherwise.

    What reads and screens texts is not Polars, so threads of its own would hold memory for no gain. Nor do Python's
    threads gain from a part of the C library's memory each, since one runs at a time.
    """
    for name, value in _POLARS.items():
        os.environ.setdefault(name, value)
    if "MALLOC_ARENA_MAX" not in os.environ:
        with suppress(OSError, AttributeError, TypeError):  # only the GNU C library has it
            ctypes.CDLL(None).mallopt(_ARENAS, 1)
