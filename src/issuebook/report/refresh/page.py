"""The page "what changed since V": one HTML file that needs no network and no other file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from issuebook.model.estimate import Estimate
from issuebook.report.palette import css
from issuebook.report.refresh.changes import CodeChange, NamedReport, Refresh
from issuebook.report.refresh.trend import trend
from issuebook.report.refresh.wording import settled
from issuebook.stats.comparison.wording import p_value, percent
from issuebook.stats.explanations import Explanation

SHOWN = 200
"""Reports of a list that are shown; the JSON has all."""


@dataclass(frozen=True, slots=True)
class Page:
    """What the template may show.

    Attributes:
        found: the refresh.
        trends: the drawing of each code.
        unsettled: change points for which something else is open.
        window: the window in which V lies; empty where it lies after all.
        version: of issuebook.
        made: when the page was made.
        style: the rules of the page.
        shown: reports of a list that are shown.
    """

    found: Refresh
    trends: dict[str, Markup]
    unsettled: int
    window: str
    version: str
    made: str
    style: Markup
    shown: int = SHOWN


def render_refresh(found: Refresh, version: str, made: str) -> str:
    """Return the page.

    Args:
        found: what changed.
        version: of issuebook.
        made: when the page is made, ISO 8601.
    """
    environment = Environment(
        loader=PackageLoader("issuebook.report.refresh"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": percent,
        "points": points,
        "interval": interval,
        "reports": lambda number: f"{number:,} report" + ("" if number == 1 else "s"),
        "p": lambda p: p_value(p).removeprefix("p = ").removeprefix("p "),
        "address": _address,
        "standing": _standing,
    }
    since = _window_of(found)
    windows = found.shares.windows
    style = Markup(f"{css()}\n{_file('html', 'style.css')}\n{_file('refresh', 'style.css')}")  # noqa: S704 - our own
    page = Page(
        found=found,
        trends={one.code: _trend(found, one, since) for one in found.shares.codes},
        unsettled=sum(not settled(one.explanations) for one in found.shares.changes),
        window=windows[since] if since < len(windows) else "",
        version=version,
        made=made,
        style=style,
    )
    return environment.get_template("refresh.html.j2").render(page=page, found=found)


def points(difference: Estimate) -> str:
    """Return a difference of shares in percentage points with its sign; a dash where there is none."""
    return "–" if difference.value is None else f"{100 * difference.value:+.1f}".replace("-", "−")


def interval(difference: Estimate) -> str:
    """Return the ends of a difference in percentage points; a dash where there are none."""
    if difference.low is None or difference.high is None:
        return "–"
    return f"{100 * difference.low:+.1f} to {100 * difference.high:+.1f}".replace("-", "−")


def _window_of(found: Refresh) -> int:
    """Return the first window that holds a report since V, as far as whole windows can show it."""
    names, day = found.shares.windows, found.since.at[:10]
    firsts = [_first_day(name) for name in names]
    return max(next((at for at, first in enumerate(firsts) if first > day), len(names)) - 1, 0)


def _first_day(name: str) -> str:
    """Return the first day of a window by its name, ISO 8601."""
    year, _, part = name.partition("-")
    if part.startswith("W"):
        return date.fromisocalendar(int(year), int(part[1:]), 1).isoformat()
    month = 1 if not part else 3 * int(part[1:]) - 2 if part.startswith("Q") else int(part)
    return f"{year}-{month:02}-01"


def _trend(found: Refresh, code: CodeChange, since: int) -> Markup:
    shares = found.shares
    changes = [one.change.window for one in shares.changes if one.code == code.code]
    label = f"Share of {code.code} in each {shares.width} from {shares.windows[0]} to {shares.windows[-1]}"
    return trend(code.series, shares.coded, since, changes, label)


def _address(report: NamedReport) -> str:
    """Return a report's address where it is one of the web."""
    return report.url if report.url.startswith(("https://", "http://")) else ""


def _standing(found: Explanation) -> str:
    """Return what an explanation says of a change, in words."""
    if found.strata == 1:
        return f"only one {found.name}"
    if found.standing == "remains":
        return f"no: within one {found.name} it is {points(found.within.difference)} points, too"
    if found.standing == "gone":
        return f"yes: within one {found.name} it is {points(found.within.difference)} points, no more than chance"
    within = found.within
    if within.difference.value is None:
        return f"cannot be told: no reports of both sides are of one {found.name}"
    if within.p is None:
        return (
            f"cannot be told: the reports of both sides that are of one {found.name} all have the code or all lack it"
        )
    comparable = percent(within.comparable / within.units)
    return (
        f"cannot be told: within one {found.name} it is {points(within.difference)} points "
        f"({interval(within.difference)}), known from {comparable} of the reports"
    )


def _file(package: str, name: str) -> str:
    return resources.files(f"issuebook.report.{package}").joinpath(name).read_text(encoding="utf-8")
