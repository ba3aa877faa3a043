"""The figure of screening: the funnel from reports read to reports labelled."""

from __future__ import annotations

from issuebook.report import wording
from issuebook.report.book import Book
from issuebook.report.drawing import Figure, Spec, drawing, labels, scale
from issuebook.report.palette import LIGHT
from issuebook.report.screening_tables import ALL, STAGES, WITHOUT, stage

SERIES = {ALL: "accent", WITHOUT: "accent-soft"}


def screening_figures(book: Book) -> tuple[Figure, ...]:
    """Return the funnel; nothing where the study has no reports."""
    return () if book.facts.screening is None else (funnel(book),)


def funnel(book: Book) -> Figure:
    """Return how many reports each stage kept, beside what it would be if pasted text did not count."""
    values: list[Spec] = []
    told = []
    for name in STAGES:
        kept, written = stage(book, name, written=False), stage(book, name, written=True)
        if kept.value is None:
            continue
        told.append(f"{name} {wording.quantity(kept)}")
        both = [(ALL, kept)] if written.value == kept.value else [(ALL, kept), (WITHOUT, written)]
        if len(both) > 1:
            told[-1] += f", without templates, environments and logs {wording.quantity(written)}"
        values += [
            {"label": name, "value": found.value, "shown": wording.quantity(found), "series": series}
            for series, found in both
        ]
    names = list(SERIES)
    base: Spec = {
        "y": {**labels("label", list(dict.fromkeys(str(value["label"]) for value in values)))},
        "yOffset": {"field": "series", "sort": names, "scale": {"domain": names}},
        "x": {"field": "value", "type": "quantitative", "title": "reports", "axis": {"tickMinStep": 1, "format": ",d"}},
    }
    spec = drawing(
        values,
        layer=[
            {
                "mark": {"type": "bar", "height": 13},
                "encoding": {**base, "color": scale("series", names, [LIGHT[name] for name in SERIES.values()], None)},
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 12, "color": LIGHT["ink"]},
                "encoding": {**base, "text": {"field": "shown"}},
            },
        ],
        width=360,
        height={"step": 18, "for": "position"},
    )
    caption = (
        "How many reports each stage kept. The paler bar leaves out reports that keywords hit only in the form of the "
        "tracker, in lists of software and machines, or in logs."
    )
    return Figure("funnel", "From reports read to reports labelled", caption, f"Reports: {'; '.join(told)}.", spec)
