"""Which stretch of a text a selection means: programs count line ends and characters beyond U+FFFF differently."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from issuebook.exchange.qde import Selection

Slice = Callable[[int, int], str]


class Positions:
    """Finds the stretches that the selections of one text mean.

    Positions count from 0, the end is exclusive. Whether CR LF counts as one and whether a character beyond U+FFFF
    counts as two is decided by the names of the selections, which often hold the text; where none does, each code
    point counts as one.
    """

    def __init__(self, text: str, selections: Sequence[Selection]) -> None:
        """Take a text and all of its selections."""
        ways = _ways(text)
        named = [one for one in selections if one.name and _is_sound(one)]
        fits = [[_fit(cut(one.start or 0, one.end or 0), one.name) for one in named] for cut in ways]
        best = max(fits, key=sum)
        self._cut = ways[fits.index(best)]
        self.missed = best.count(0)

    def stretch(self, selection: Selection) -> str | None:
        """Return the text of a selection, or None when its positions mean nothing."""
        if not _is_sound(selection):
            return None
        return self._cut(selection.start or 0, selection.end or 0)


def _ways(text: str) -> list[Slice]:
    """Return the ways of counting: code points, with LF alone, UTF-16 units, these with LF alone."""
    unix = text.replace("\r\n", "\n")
    wide, wide_unix = text.encode("utf-16-le", "surrogatepass"), unix.encode("utf-16-le", "surrogatepass")
    return [
        lambda start, end: text[start:end],
        lambda start, end: unix[start:end],
        lambda start, end: wide[2 * start : 2 * end].decode("utf-16-le", "replace"),
        lambda start, end: wide_unix[2 * start : 2 * end].decode("utf-16-le", "replace"),
    ]


def _is_sound(selection: Selection) -> bool:
    return selection.start is not None and selection.end is not None and 0 <= selection.start <= selection.end


def _fit(stretch: str, name: str) -> int:
    """Return 2 where a name is the text, 1 where it is so but for spaces, or begins it; programs shorten names."""
    if stretch.replace("\r\n", "\n") == name.replace("\r\n", "\n"):
        return 2
    said, text = " ".join(name.rstrip("….").split()), " ".join(stretch.split())
    return 1 if said and text.startswith(said) else 0
