"""The first row of a table: the names of its columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from issuebook.errors import Fault, InputError


def column_names(cells: Sequence[str | None], where: str) -> list[str]:
    """Return one name a column, without surrounding space; a column without a name is ``column 3`` by its position.

    Raises:
        InputError: a name occurs twice, as it would then be open which column is meant.
    """
    names = [(cell or "").strip() or f"column {position}" for position, cell in enumerate(cells, start=1)]
    repeated = [f"{name!r} ({count}x)" for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(Fault(where, f"column names occur more than once: {', '.join(repeated)}.", "Rename them."))
    return names
