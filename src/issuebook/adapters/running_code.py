"""Which code runs: results of other code are made again."""

from __future__ import annotations

import hashlib
from pathlib import Path

import issuebook

_PARTS = ("*.py", "*.j2", "*.css", "*.js")


def code_fingerprint() -> str:
    """Return a hash of issuebook's own source files, so that a change of code makes cached results stale."""
    root = Path(issuebook.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(path for pattern in _PARTS for path in root.rglob(pattern)):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return f"{issuebook.__version__}+{digest.hexdigest()[:16]}"
