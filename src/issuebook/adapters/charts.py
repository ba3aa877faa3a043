"""stub"""

from __future__ import annotations

from collections.abc import Mapping


class VegaCharts:
    def render(self, spec: Mapping[str, object]) -> str:
        import vl_convert

        return str(vl_convert.vegalite_to_svg(dict(spec)))

    def png(self, svg: str) -> bytes:
        import vl_convert

        return bytes(vl_convert.svg_to_png(svg, scale=2))
