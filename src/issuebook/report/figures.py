"""The figures of a report, as Vega-Lite specifications with a caption and a text that says what they show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from issuebook.model.quantity import Quantity
from issuebook.report import wording
from issuebook.report.book import Book
from issuebook.report.comparison_figures import (
    confusion_heat_map,
    difference_forest,
    dissent_counts,
    dissent_numbers,
)
from issuebook.report.drawing import Figure, Spec, drawing, labels, point, scale, told
from issuebook.report.facts import Scope
from issuebook.report.levels import colour_of, compared_level, file_name, titled
from issuebook.report.palette import LIGHT, heat_ink, heat_step
from issuebook.report.quantities.agreement import arguments
from issuebook.report.screening_figures import screening_figures
from issuebook.report.tables import SCOPE_HEADINGS, scope_name, scopes

INTERVALS = {"units": "other reports", "annotators": "other annotators"}
"""What an interval of agreement is over, with its name in the legend."""


def all_figures(book: Book) -> tuple[Figure, ...]:
    """Return every figure that the facts can fill."""
    drawn = [*screening_figures(book)]
    if not book.facts.unrated:
        drawn.append(code_shares(book))
    if book.facts.projects:
        drawn.append(project_heat_map(book))
    if book.facts.agreement:
        drawn.append(agreement_forest(book))
    if book.facts.by_code:
        drawn.append(code_agreement(book))
    if book.facts.confusion is not None:
        drawn.append(confusion_heat_map(book))
    drawn += [difference_forest(book, found) for found in book.facts.comparisons]
    if dissent_numbers(book):
        drawn.append(dissent_counts(book))
    return tuple(drawn)


def code_shares(book: Book) -> Figure:
    """Return the shares of the codes of the compared level with their simultaneous intervals, in codebook order."""
    facts = book.facts
    level = compared_level(facts)
    parts = book.many("distribution", level=level).parts
    values = [{**point(titled(facts, code), part), "top": _top_name(book, code)} for code, part in parts]
    base: Spec = {"y": labels("label", [value["label"] for value in values])}
    shown: Spec = {"field": "value", "type": "quantitative", "title": "share of all reports", "axis": {"format": ".0%"}}
    ends: Spec = {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}}
    spec = drawing(
        values,
        layer=[
            {"mark": {"type": "bar", "height": 11}, "encoding": {**base, "x": shown, "color": _by_top(book)}},
            {"mark": {"type": "rule", "strokeWidth": 1.6, "color": LIGHT["ink"]}, "encoding": {**base, **ends}},
            {
                "mark": {"type": "text", "align": "left", "dx": 6, "color": LIGHT["ink"], "fontSize": 12},
                "encoding": {**base, "x": {"field": "high", "type": "quantitative"}, "text": {"field": "shown"}},
            },
        ],
        width=300,
        height={"step": 21},
    )
    first = max(parts, key=lambda part: part[1].value or 0.0)
    text = (
        f"Of the {len(parts)} codes of level {level}, {titled(facts, first[0])} is the most frequent with "
        f"{told(first[1])}. {_listed(book, parts)}"
    )
    caption = f"Share of each {level} among all reports that have one; lines are simultaneous intervals."
    return Figure(f"{file_name(level)}-shares", f"{level.capitalize()} shares", caption, text, spec)


def project_heat_map(book: Book) -> Figure:
    """Return the heat map of codes by project: shares within each project."""
    facts = book.facts
    level = compared_level(facts)
    codes = [code.id for code in facts.facet.at_depth(facts.facet.depth_of(level))]
    cells = {(c, p): book.one("share", c, project=p) for c in codes for p in facts.projects}
    values = [_heat_cell(titled(facts, code), project, cell) for (code, project), cell in cells.items()]
    rows = [titled(facts, code) for code in codes]
    columns: Spec = {"field": "project", "type": "nominal", "sort": list(facts.projects), "title": None}
    columns["axis"] = {"orient": "top", "labelAngle": -40, "labelPadding": 6}
    base: Spec = {"y": labels("label", rows), "x": columns}
    plain = {"type": "nominal", "scale": None}
    spec = drawing(
        values,
        layer=[
            {
                "mark": {"type": "rect", "stroke": LIGHT["page"], "strokeWidth": 1},
                "encoding": {**base, "color": {"field": "fill", **plain}},
            },
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {**base, "text": {"field": "shown"}, "color": {"field": "ink", **plain}},
            },
        ],
        width={"step": 46},
        height={"step": 21},
    )
    leaders = (max(codes, key=lambda code: cells[code, p].value or 0.0) for p in facts.projects)
    each = [f"{p}: {titled(facts, c)}, {told(cells[c, p])}" for p, c in zip(facts.projects, leaders, strict=True)]
    text = f"The most frequent {level} of each project. {'; '.join(each)}."
    caption = f"Share of each {level} within a project, in per cent. Each column sums to all its reports."
    return Figure(f"{file_name(level)}-by-project", f"{level.capitalize()} by project", caption, text, spec)


def agreement_forest(book: Book) -> Figure:
    """Return Fleiss' kappa by scope, with the intervals over units and over annotators side by side."""
    shown = [scope for scope in scopes(book) if scope.kind in SCOPE_HEADINGS]
    values: list[Spec] = []
    for scope in shown:
        for over, name in INTERVALS.items():
            found = book.one("fleiss_kappa", **arguments(scope), over=over)
            if found.value is not None:
                values.append({**point(_forest_row(scope.kind, scope_name(book, scope)), found), "over": name})
    names = list(INTERVALS.values())
    rows = _forest_rows(book, shown)
    base: Spec = {
        "y": {**labels("label", rows), "scale": {"domain": rows, "paddingInner": 0.35}, "axis": _FOREST_AXIS},
        "yOffset": {"field": "over", "sort": names, "scale": {"domain": names}},
        "color": scale("over", names, [LIGHT["accent"], LIGHT["muted"]], "interval over"),
    }
    kappa: Spec = {"field": "value", "type": "quantitative", "title": "Fleiss’ kappa", "scale": {"zero": False}}
    ends: Spec = {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}}
    spec = drawing(
        values,
        layer=[
            {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**base, **ends}},
            {"mark": {"type": "point", "filled": True, "size": 36, "opacity": 1}, "encoding": {**base, "x": kappa}},
        ],
        width=320,
        height={"step": 22, "for": "position"},
    )
    caption = "Fleiss’ kappa with two intervals: what other reports, and what other annotators, could have given."
    return Figure("agreement", "Agreement between annotators", caption, _forest_text(book, shown), spec)


def code_agreement(book: Book) -> Figure:
    """Return Fleiss' kappa of each code against all others, in codebook order."""
    facts = book.facts
    found = book.many("fleiss_kappa", by="code").parts
    parts = [(code, part) for code, part in found if part.value is not None]
    values = [{**point(titled(facts, code), part), "top": _top_name(book, code)} for code, part in parts]
    base: Spec = {"y": labels("label", [value["label"] for value in values]), "color": _by_top(book)}
    kappa: Spec = {"field": "value", "type": "quantitative", "title": "Fleiss’ kappa of the code"}
    ends: Spec = {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}}
    spec = drawing(
        values,
        layer=[
            {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**base, **ends}},
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {**base, "x": kappa},
            },
        ],
        width=300,
        height={"step": 21},
    )
    caption = "Each code against all others: whether the annotators agree where it applies."
    text = f"Fleiss’ kappa of each code against all others. {_listed(book, found)}"
    return Figure("agreement-by-code", "Agreement by code", caption, text, spec)


def _by_top(book: Book) -> Spec:
    tops = book.facts.facet.codes
    colours = [LIGHT[colour_of(book.facts, top.id)] for top in tops]
    return scale("top", [_top_name(book, top.id) for top in tops], colours, None)


def _top_name(book: Book, code: str) -> str:
    return titled(book.facts, book.facts.facet.ancestor(code, 0))


def _heat_cell(label: str, project: str, cell: Quantity) -> Spec:
    step = heat_step(cell.value)
    fill = LIGHT[f"heat-{step}"] if step else LIGHT["page"]
    shown = wording.number(cell.value, "share", 1).removesuffix(" %")
    return {"label": label, "project": project, "shown": shown, "fill": fill, "ink": LIGHT[heat_ink(step)]}


def _listed(book: Book, parts: Iterable[tuple[str, Quantity]]) -> str:
    return "; ".join(f"{titled(book.facts, code)} {wording.quantity(part)}" for code, part in parts) + "."


def _forest_row(kind: str, name: str) -> str:
    return f"{kind}{_SEPARATOR}{name}"


def _forest_rows(book: Book, shown: Sequence[Scope]) -> list[str]:
    """Return the rows of the forest: before the first scope of a kind, a row that holds only its heading."""
    rows: list[str] = []
    for scope in shown:
        heading = _forest_row(f"{_HEADING} {scope.kind}", SCOPE_HEADINGS[scope.kind])
        if SCOPE_HEADINGS[scope.kind] and heading not in rows:
            rows.append(heading)
        rows.append(_forest_row(scope.kind, scope_name(book, scope)))
    return rows


_SEPARATOR = "\u001f"
_HEADING = "heading"
_IS_HEADING = f"slice(datum.value, 0, {len(_HEADING)}) === '{_HEADING}'"
_FOREST_AXIS: Spec = {
    "labelExpr": "slice(datum.value, indexof(datum.value, '\u001f') + 1)",
    "labelColor": {"condition": {"test": _IS_HEADING, "value": LIGHT["muted"]}, "value": LIGHT["ink"]},
    "labelFontStyle": {"condition": {"test": _IS_HEADING, "value": "italic"}, "value": "normal"},
    "grid": False,
}


def _forest_text(book: Book, shown: Sequence[Scope]) -> str:
    parts = []
    for scope in shown:
        units = book.one("fleiss_kappa", **arguments(scope))
        annotators = book.one("fleiss_kappa", **arguments(scope), over="annotators")
        ends = wording.interval(annotators.estimate, "coefficient")
        parts.append(f"{scope_name(book, scope)} {told(units)}" + (f", over annotators {ends}" if ends else ""))
    return f"Fleiss’ kappa. {'; '.join(parts)}."
