"""The time of this machine."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """Reads the machine's clocks."""

    def now(self) -> str:
        """Return the time in ISO 8601, UTC, to the second."""
        return datetime.now(UTC).replace(microsecond=0).isoformat()

    def seconds(self) -> float:
        """Return seconds of a clock that only runs forward."""
        return time.perf_counter()

    def time(self) -> float:
        """Return seconds since 1970."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)
