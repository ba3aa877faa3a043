"""The report as one HTML file that needs no network and no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from issuebook.report.book import Book
from issuebook.report.claims import Verdict
from issuebook.report.drawing import Figure
from issuebook.report.figures import all_figures
from issuebook.report.html.agreement import agreement
from issuebook.report.html.audit import audit
from issuebook.report.html.beginning import beginning
from issuebook.report.html.claims import claims
from issuebook.report.html.comparisons import comparisons
from issuebook.report.html.context import Page
from issuebook.report.html.crossings import crossings
from issuebook.report.html.matrix import matrix
from issuebook.report.html.overview import overview
from issuebook.report.html.pieces import FigureView
from issuebook.report.html.provenance import Provenance
from issuebook.report.html.rows import rows
from issuebook.report.html.screening import screening
from issuebook.report.html.taxonomy import taxonomy
from issuebook.report.levels import compared_level, file_name
from issuebook.report.palette import css, themed
from issuebook.report.quantities import QUANTITIES
from issuebook.report.run import RunInfo


def render_report(book: Book, verdicts: Sequence[Verdict], figures: Mapping[str, str], run: RunInfo) -> str:
    """Return the report as one HTML file.

    Args:
        book: the quantities of the study.
        verdicts: the verdicts on its claims.
        figures: drawn figures as SVG by the names of :func:`all_figures`, with their descriptions inside; one that is
            missing is left out.
        run: the run that made the report.
    """
    environment = Environment(
        loader=PackageLoader("issuebook.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = _page(book, verdicts, figures, run)
    return environment.get_template("report.html.j2").render(page=page)


def _page(book: Book, verdicts: Sequence[Verdict], figures: Mapping[str, str], run: RunInfo) -> Page:
    cited = Provenance()
    views = {figure.name: _view(figure, figures[figure.name]) for figure in all_figures(book) if figure.name in figures}
    unrated = bool(book.facts.unrated)
    return Page(
        title=book.facts.title,
        overview=None if unrated else overview(book, verdicts, cited),
        beginning=beginning(book, verdicts, cited),
        screening=screening(book, views, cited),
        taxonomy=taxonomy(book, views.get(f"{file_name(compared_level(book.facts))}-shares"), cited),
        matrix=matrix(book, cited),
        comparisons=comparisons(book, views, cited),
        agreement=agreement(book, views, cited),
        audit=audit(book, views, cited),
        crossings=crossings(book, cited),
        claims=claims(book, verdicts, cited),
        rows=None if unrated else rows(book, cited),
        quantities=cited.groups(QUANTITIES),  # last: it lists what the sections above have cited
        run=run,
        style=Markup(f"{css()}\n{_file('style.css')}"),  # noqa: S704 - our own file
        script=Markup(_file("report.js")),  # noqa: S704 - our own file
    )


def _view(figure: Figure, svg: str) -> FigureView:
    drawn = Markup(themed(svg))  # noqa: S704 - drawn from our specification, whose texts the engine escapes
    return FigureView(figure.name, figure.title, figure.caption, drawn)


def _file(name: str) -> str:
    return resources.files("issuebook.report.html").joinpath(name).read_text(encoding="utf-8")
