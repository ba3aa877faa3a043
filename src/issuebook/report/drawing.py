"""What all figures share: how one is described, drawn and labelled, as Vega-Lite."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from issuebook.model.quantity import Quantity
from issuebook.report import wording
from issuebook.report.palette import LIGHT

Spec = dict[str, Any]

SANS = "Arial, Helvetica, 'Liberation Sans', sans-serif"
"""Fonts of one width, so that labels fit wherever the figure is shown."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure before it is drawn.

    Attributes:
        name: file name without its ending.
        title: what it shows.
        caption: how to read it.
        text: what it says, for those who cannot see it.
        spec: Vega-Lite specification with its data inside.
    """

    name: str
    title: str
    caption: str
    text: str
    spec: Spec


def described(svg: str, figure: Figure) -> str:
    """Return an SVG that carries the figure's title and text for screen readers, with ids of its own.

    The roles that the engine gives to its marks are taken away: the figure is one image, and its text tells it.
    """
    head, _, body = svg.partition(">")
    opening = f'{head} role="img" aria-labelledby="{figure.name}-title" aria-describedby="{figure.name}-text">'
    title = f'<title id="{figure.name}-title">{escape(figure.title)}</title>'
    text = f'<desc id="{figure.name}-text">{escape(figure.text)}</desc>'
    body = _MARK_ROLE.sub("", body)
    unique = body.replace('id="clip', f'id="{figure.name}-clip').replace("url(#clip", f"url(#{figure.name}-clip")
    return opening + title + text + unique


_MARK_ROLE = re.compile(r' (?:role="graphics-[a-z]+"|aria-roledescription="[^"]*")')


def drawing(values: Sequence[Mapping[str, Any]], **parts: Any) -> Spec:
    """Return a specification with its data inside and the look of the report."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "background": LIGHT["page"],
        "data": {"values": list(values)},
        "config": _CONFIG,
        **parts,
    }


def labels(field: str, order: Sequence[str]) -> Spec:
    """Return an axis of names in the given order."""
    return {"field": field, "type": "nominal", "sort": list(order), "title": None}


def scale(field: str, domain: Sequence[str], colours: Sequence[str], title: str | None) -> Spec:
    """Return a colour for each of some names."""
    return {"field": field, "type": "nominal", "title": title, "scale": {"domain": [*domain], "range": [*colours]}}


def point(label: str, found: Quantity) -> Spec:
    """Return a quantity as a value with the ends of its interval; without one they are the value itself."""
    value = found.value
    low = found.estimate.low if found.estimate.low is not None else value
    high = found.estimate.high if found.estimate.high is not None else value
    return {"label": label, "value": value, "low": low, "high": high, "shown": wording.quantity(found)}


def told(found: Quantity) -> str:
    """Return a quantity with its interval, for a text."""
    ends = wording.interval(found.estimate, found.unit)
    return wording.quantity(found) + (f" (interval {ends})" if ends else "")


_CONFIG: Spec = {
    "aria": False,
    "font": SANS,
    "padding": 8,
    "view": {"stroke": None},
    "axis": {
        "labelColor": LIGHT["ink"],
        "titleColor": LIGHT["muted"],
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "gridColor": LIGHT["rule"],
        "domainColor": LIGHT["rule"],
        "tickColor": LIGHT["rule"],
        "labelLimit": 320,
    },
    "axisY": {"grid": False, "ticks": False, "domain": False, "labelPadding": 8},
    "legend": {
        "orient": "top",
        "labelColor": LIGHT["ink"],
        "titleColor": LIGHT["muted"],
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
    },
}
