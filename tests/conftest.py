import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public data beside the checkout; skipped where it is absent, never in CI."""
    if not SHARED.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"{SHARED} is absent, and CI skips nothing")
        pytest.skip(f"needs the public data in {SHARED}")
    return SHARED
