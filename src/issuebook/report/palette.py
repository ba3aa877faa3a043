"""All colours of the report: one name each, with its light and its dark form.

Figures are drawn in the light colours. :func:`themed` turns each into ``var(--name)`` for the copy inside the HTML
page, so that it follows the reader's light or dark mode; therefore no two names share a light colour.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

LIGHT: Mapping[str, str] = MappingProxyType(
    {
        "page": "#ffffff",
        "panel": "#f5f6f7",
        "rule": "#d5dae0",
        "ink": "#1a1e23",
        "muted": "#57606a",
        "accent": "#0a5aa8",
        "accent-soft": "#8fb8df",
        "good": "#196b3f",
        "bad": "#b3261e",
        "warn": "#875100",
        "code-1": "#a15c00",
        "code-2": "#0f766e",
        "code-3": "#5b3fa0",
        "code-4": "#ad2f5f",
        "code-5": "#4d6a1c",
        "code-6": "#6f5443",
        "code-7": "#44647c",
        "code-8": "#5c5c5c",
        "heat-1": "#f0f5fa",
        "heat-2": "#d9e7f4",
        "heat-3": "#b4d0ea",
        "heat-4": "#85b2dc",
        "heat-5": "#2f6dad",
        "heat-6": "#173f6e",
        "heat-ink-low": "#11161c",
        "heat-ink-high": "#fdfeff",
    }
)

DARK: Mapping[str, str] = MappingProxyType(
    {
        "page": "#14171b",
        "panel": "#1d2126",
        "rule": "#3a424c",
        "ink": "#e7eaee",
        "muted": "#a5afba",
        "accent": "#7fbaf6",
        "accent-soft": "#3d6a96",
        "good": "#74d19c",
        "bad": "#ff9d92",
        "warn": "#f0b55c",
        "code-1": "#e9a84f",
        "code-2": "#5ac8bb",
        "code-3": "#b9a2f2",
        "code-4": "#f191b0",
        "code-5": "#b0c96a",
        "code-6": "#d0b09a",
        "code-7": "#9fbdd4",
        "code-8": "#b8b8b8",
        "heat-1": "#1a2430",
        "heat-2": "#1d3247",
        "heat-3": "#214566",
        "heat-4": "#28598a",
        "heat-5": "#72abe0",
        "heat-6": "#b9d9f7",
        "heat-ink-low": "#f3f6f9",
        "heat-ink-high": "#0c1722",
    }
)

HEAT_BREAKS = (0.0, 0.01, 0.025, 0.05, 0.10, 0.20)
"""A share above the k-th of these (counted from 0) is coloured ``heat-(k+1)``; a share of 0 has no colour."""

FIRST_DARK_STEP = 5
"""From this heat step on, text is drawn in ``heat-ink-high``."""

_CODES = 8


def code_colour(position: int) -> str:
    """Return the name of the colour of the ``position``-th code of the top level, counted from 0."""
    return f"code-{position % _CODES + 1}"


def heat_step(share: float | None) -> int:
    """Return the heat step of a share, 0 to 6; 0 for none."""
    return 0 if share is None else sum(share > least for least in HEAT_BREAKS)


def heat_ink(step: int) -> str:
    """Return the name of the colour of text on a heat step."""
    return "heat-ink-high" if step >= FIRST_DARK_STEP else "heat-ink-low"


def themed(svg: str) -> str:
    """Return an SVG whose light colours are replaced by the custom properties that :func:`css` declares."""
    names = {colour: name for name, colour in LIGHT.items()}
    return _HEX.sub(lambda match: f"var(--{names[match[0].lower()]})" if match[0].lower() in names else match[0], svg)


def css() -> str:
    """Return the rules that declare every colour as a custom property, light, and dark on screens that ask for it."""
    light, dark = (";".join(f"--{name}:{colour}" for name, colour in colours.items()) for colours in (LIGHT, DARK))
    return (
        f":root{{color-scheme:light dark;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n@media print{{:root{{color-scheme:light}}}}"
    )


_HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
