"""Points in time as other programs write them."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(text: str) -> str:
    """Return a time in ISO 8601 with its zone, empty for what is none; one without a zone counts as UTC.

    A text that has its zone comes back as it is written.
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return ""
    return text.strip() if found.tzinfo is not None else found.replace(tzinfo=UTC).isoformat()
