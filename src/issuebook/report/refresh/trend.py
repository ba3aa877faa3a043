"""A share over time as a small drawing: a bar a window, V as a line, change points as marks."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

WIDTH, HEIGHT = 240, 36
_TOP = 6  # room above the bars for marks


def trend(hits: Sequence[int], of: Sequence[int], since: int, changes: Sequence[int], label: str) -> Markup:
    """Return an SVG of shares in windows; windows without reports have no bar.

    Args:
        hits: reports with the code in each window.
        of: coded reports of each window.
        since: the window in which V lies; the number of windows where it lies after all.
        changes: first windows after a change.
        label: what is shown, for people who do not see it.
    """
    shares = [hit / all_of if all_of else 0.0 for hit, all_of in zip(hits, of, strict=True)]
    most = max(shares, default=0.0) or 1.0
    step = WIDTH / max(len(shares), 1)
    bars = [
        f'<rect class="{"late" if at >= since else "early"}" x="{at * step + 0.5:.1f}" '
        f'y="{_TOP + (HEIGHT - _TOP) * (1 - share / most):.1f}" width="{max(step - 1, 0.6):.1f}" '
        f'height="{(HEIGHT - _TOP) * share / most:.1f}"/>'
        for at, share in enumerate(shares)
        if share
    ]
    marks = [f'<path class="mark" d="M{at * step:.1f} {_TOP}l-4 -6h8z"/>' for at in changes]
    line = f'<line class="v" x1="{since * step:.1f}" x2="{since * step:.1f}" y1="{_TOP}" y2="{HEIGHT}"/>'
    base = f'<line class="base" x1="0" x2="{WIDTH}" y1="{HEIGHT - 0.5}" y2="{HEIGHT - 0.5}"/>'
    return Markup(  # noqa: S704 - numbers only, and the label is escaped by format
        f'<svg class="trend" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        'aria-label="{}">' + "".join([base, *bars, line, *marks]) + "</svg>"
    ).format(label)
