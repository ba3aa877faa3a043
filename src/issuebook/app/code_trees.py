"""Where codes stand in a tree: as the codebook says, or without one as their ids do (``C.2`` under ``C``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from issuebook.errors import Fault, InputError
from issuebook.model.codebook import Facet
from issuebook.model.validation import nearest


def types_of(codes: Sequence[str], facet: Facet | None = None) -> dict[str, str] | None:
    """Return the type of each code: its ancestor on the top level, or what stands before the first dot of its id.

    None when nothing tells: no codebook and an id without a dot, or codes that all lie on the top level.
    """
    if facet is not None:
        types = {code: facet.ancestor(code, 0) for code in codes if code in facet.nodes}
        return types if any(code != above for code, above in types.items()) else None
    types = {code: code.partition(".")[0] for code in codes}
    return types if codes and all("." in code for code in codes) else None


def codes_under(within: str, codes: Sequence[str], facet: Facet | None = None) -> tuple[str, ...]:
    """Return those of ``codes`` that lie under the code ``within``, or are it.

    Raises:
        InputError: there are none; the nearest code is named.
    """
    below = facet.under(within) if facet is not None and within in facet.nodes else None
    found = tuple(code for code in codes if (code in below if below is not None else _lies_under(code, within)))
    if not found:
        known = [*facet.nodes] if facet is not None else sorted({*codes, *(code.partition(".")[0] for code in codes)})
        raise InputError(Fault("within", f"no code lies under {within!r}.", nearest(within, known)))
    return found


def in_order(codes: Iterable[str]) -> tuple[str, ...]:
    """Return codes sorted as people count: ``C.2`` before ``C.10``."""
    return tuple(sorted(codes, key=_parts))


def _lies_under(code: str, within: str) -> bool:
    return code == within or code.startswith(f"{within}.")


def _parts(code: str) -> list[tuple[int, int, str]]:
    pieces = re.findall(r"\d+|\D+", code)
    return [(0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in pieces]
