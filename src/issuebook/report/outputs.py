"""Everything that lies in ``out/``: relative path and content."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from issuebook.report.book import Book
from issuebook.report.claims import Verdict
from issuebook.report.drawing import described
from issuebook.report.figures import all_figures
from issuebook.report.html.render import render_report
from issuebook.report.results import results, results_json, results_schema
from issuebook.report.run import RunInfo
from issuebook.report.tables import all_tables
from issuebook.report.tabular import to_csv, to_latex

Render = Callable[[Mapping[str, Any]], str]
Png = Callable[[str], bytes]


def build(book: Book, verdicts: Sequence[Verdict], run: RunInfo, render: Render, png: Png) -> dict[str, bytes]:
    """Return the content of every output file by its path relative to ``out/``.

    Args:
        book: the quantities of the study.
        verdicts: the verdicts on its claims.
        run: the run that makes the outputs.
        render: draws a Vega-Lite specification as SVG.
        png: turns an SVG into PNG.
    """
    drawn = {figure.name: described(render(figure.spec), figure) for figure in all_figures(book)}
    texts = {"index.html": render_report(book, verdicts, drawn, run)}
    for table in all_tables(book, verdicts):
        texts[f"tables/{table.name}.csv"] = to_csv(table)
        texts[f"tables/{table.name}.tex"] = to_latex(table)
    texts |= {f"figures/{name}.svg": svg for name, svg in drawn.items()}
    texts["results.json"] = results_json(results(book, verdicts, run))
    texts["results.schema.json"] = json.dumps(results_schema(), indent=1) + "\n"
    files = {path: text.encode("utf-8") for path, text in texts.items()}
    return files | {f"figures/{name}.png": png(svg) for name, svg in drawn.items()}
