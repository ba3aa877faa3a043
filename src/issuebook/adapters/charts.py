"""Drawing of Vega-Lite specifications. The only module that knows the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

VEGA_LITE = "6.4"
PIXELS_PER_UNIT = 2


def render(spec: Mapping[str, Any]) -> str:
    """Return a Vega-Lite specification drawn as SVG. Data outside the specification are refused, never fetched."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(dict(spec), vl_version=VEGA_LITE, allowed_base_urls=[])
    return svg


def png(svg: str) -> bytes:
    """Return an SVG as PNG, two pixels a unit of length."""
    import vl_convert

    image: bytes = vl_convert.svg_to_png(svg, scale=PIXELS_PER_UNIT)
    return image
