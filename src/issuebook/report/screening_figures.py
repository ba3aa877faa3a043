"""The figure of screening: the funnel from reports read to reports labelled."""

from __future__ import annotations

from issuebook.report import wording
from issuebook.report.book import Book
from issuebook.report.drawing import Figure, Spec, drawing, labels, scale
from issuebook.report.palette import LIGHT
from issuebook.report.screening_tables import ALL, BY_PEOPLE, stage, stages


def screening_figures(book: Book) -> tuple[Figure, ...]:
    """Return the funnel; nothing where the study has no reports."""
    return () if book.facts.screening is None else (funnel(book),)


def funnel(book: Book) -> Figure:
    """Return how many reports each stage kept, beside what it would be if pasted text did not count."""
    values: list[Spec] = []
    said = []
    for name in stages(book):
        kept, written = stage(book, name, written=False), stage(book, name, written=True)
        if kept.value is None:
            continue
        shown, less = wording.quantity(kept), wording.quantity(written)
        differs = written.value != kept.value
        said.append(f"{name} {shown}" + (f", in what people wrote {less}" if differs else ""))
        both = f"{shown} ({less})" if differs else shown
        values.append({"label": name, "all": kept.value, "written": written.value, "shown": both})
    base: Spec = {"y": labels("label", [str(value["label"]) for value in values])}
    axis: Spec = {"tickMinStep": 1, "format": ",d", "tickCount": 6}
    length: Spec = {"type": "quantitative", "title": "reports", "axis": axis}
    bars = (("all", ALL, "heat-3"), ("written", BY_PEOPLE, "accent"))
    colour = scale("series", [name for _, name, _ in bars], [LIGHT[colour] for _, _, colour in bars], None)
    spec = drawing(
        values,
        layer=[
            *(
                {
                    "mark": {"type": "bar", "height": 18},
                    "encoding": {**base, "x": {"field": field, **length}, "color": {**colour, "datum": name}},
                }
                for field, name, _ in bars
            ),
            {
                "mark": {"type": "text", "align": "left", "dx": 6, "fontSize": 12, "color": LIGHT["ink"]},
                "encoding": {**base, "x": {"field": "all", **length}, "text": {"field": "shown"}},
            },
        ],
        width=330,
        height={"step": 30},
    )
    caption = (
        "How many reports each stage kept; in brackets those that keywords hit in what people wrote, not only in the "
        "tracker's form, in listings of software and machines, or in logs."
    )
    return Figure("funnel", "From reports read to reports labelled", caption, f"Reports: {'; '.join(said)}.", spec)
