"""The figures of comparisons, of confusion between codes, and of the audit."""

from __future__ import annotations

from issuebook.report import wording
from issuebook.report.book import Book
from issuebook.report.compared_groups import ComparedGroups
from issuebook.report.drawing import Figure, Spec, drawing, labels, point, scale
from issuebook.report.levels import file_name, titled
from issuebook.report.palette import LIGHT
from issuebook.stats.audit.dissent_count import UNITS_WITH
from issuebook.stats.comparison.per_code import CodeComparison

VERDICTS = {
    "different": ("accent", "circle"),
    "different, within the margin": ("warn", "triangle-up"),
    "equivalent": ("good", "square"),
    "inconclusive": ("muted", "diamond"),
}
"""What can be said of a code, with the colour and the shape of its point."""

CONFUSED = (0.0, 0.01, 0.03, 0.08)
"""A share of confusion above the k-th of these is coloured ``heat-(k+1)``; the diagonal, agreement, has no colour."""

OBSERVED, EXPECTED = "observed", "independent dissent"


def code_verdict(code: CodeComparison) -> str:
    """Return what can be said of a code: both statements where both are true."""
    both = code.different and code.equivalence.shown
    return "different, within the margin" if both else code.verdict


def difference_forest(book: Book, found: ComparedGroups) -> Figure:
    """Return the difference of each code's share between two groups, with the margin that does not matter."""
    values = []
    for code in found.codes:
        quantity = book.one("share_difference", code.code, comparison=found.id)
        if quantity.value is not None:
            values.append({**point(titled(book.facts, code.code), quantity), "verdict": code_verdict(code)})
    names, margin = list(VERDICTS), found.settings.margin
    axis: Spec = {"labelExpr": "format(datum.value * 100, '+d')", "tickCount": 6}
    heading = f"share in {found.a} minus share in {found.b}, percentage points"
    base: Spec = {"y": labels("label", [str(value["label"]) for value in values])}
    colour = scale("verdict", names, [LIGHT[colour] for colour, _ in VERDICTS.values()], None)
    shapes: Spec = {"domain": names, "range": [shape for _, shape in VERDICTS.values()]}
    spec = drawing(
        values,
        layer=[
            {
                "data": {"values": [{"from": -margin, "to": margin}]},
                "mark": {"type": "rect", "color": LIGHT["heat-2"]},
                "encoding": {"x": {"field": "from", "type": "quantitative"}, "x2": {"field": "to"}},
            },
            {
                "data": {"values": [{"at": 0}]},
                "mark": {"type": "rule", "color": LIGHT["muted"]},
                "encoding": {"x": {"field": "at", "type": "quantitative"}},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {
                    **base,
                    "x": {"field": "low", "type": "quantitative", "title": heading, "axis": axis},
                    "x2": {"field": "high"},
                    "color": colour,
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 64, "opacity": 1},
                "encoding": {
                    **base,
                    "x": {"field": "value", "type": "quantitative"},
                    "color": colour,
                    "shape": {"field": "verdict", "type": "nominal", "title": None, "scale": shapes},
                },
            },
        ],
        width=330,
        height={"step": 21},
    )
    told = "; ".join(found.sentences[code.code].removesuffix(".") for code in found.codes)
    caption = (
        f"Difference of each code’s share, {found.a} minus {found.b}, with its interval. "
        f"The band is the margin of ±{100 * margin:g} percentage points that does not matter."
    )
    return Figure(f"comparison-{file_name(found.id)}", found.title, caption, f"{found.words} {told}.", spec)


def confusion_heat_map(book: Book) -> Figure:
    """Return how often a second annotator gave each code where one gave the row's."""
    found = book.facts.confusion
    used = [code for code, row in zip(found.codes, found.pairs, strict=True) if any(row)] if found else []
    cells = {(code, other): book.one("confusion", code, other) for code in used for other in used}
    values = []
    for (code, other), cell in cells.items():
        step = 0 if code == other else sum((cell.value or 0.0) > least for least in CONFUSED)
        shown = wording.number(cell.value, "share", 1).removesuffix(" %") if cell.value else ""
        fill = LIGHT[f"heat-{step}"] if step else LIGHT["page"]
        row = {"label": titled(book.facts, code), "other": other, "shown": shown, "fill": fill}
        values.append(row)
    across: Spec = {"field": "other", "type": "nominal", "sort": used, "title": None}
    across["axis"] = {"orient": "top", "labelAngle": 0, "labelPadding": 6}
    base: Spec = {"y": labels("label", [titled(book.facts, code) for code in used]), "x": across}
    plain: Spec = {"type": "nominal", "scale": None}
    spec = drawing(
        values,
        layer=[
            {
                "mark": {"type": "rect", "stroke": LIGHT["page"], "strokeWidth": 1},
                "encoding": {**base, "color": {"field": "fill", **plain}},
            },
            {
                "mark": {"type": "text", "fontSize": 10.5},
                "encoding": {**base, "text": {"field": "shown"}, "color": {"value": LIGHT["ink"]}},
            },
        ],
        width={"step": 36},
        height={"step": 21},
    )
    apart = sorted((pair for pair in cells if pair[0] != pair[1]), key=lambda pair: -(cells[pair].value or 0.0))
    told = [f"{code} beside {other} {wording.quantity(cells[code, other])}" for code, other in apart[:5]]
    same = "; ".join(f"{code} {wording.quantity(cells[code, code])}" for code in used)
    text = f"How often a second annotator gave the same code: {same}. Most confused: {'; '.join(told)}."
    caption = (
        "Where one annotator gave the row’s code, what another gave, in per cent; the stronger the colour, the "
        "more confused. Each row sums to 100."
    )
    return Figure("confusion", "Which codes are taken for which", caption, text, spec)


def dissent_numbers(book: Book) -> list[str]:
    """Return the numbers of dissents that a unit can have, as the quantity ``dissents`` takes them; none without C2."""
    if book.facts.audit is None:
        return []
    return [figure.where for figure in book.facts.audit.check("C2").figures if figure.what == UNITS_WITH]


def dissent_counts(book: Book) -> Figure:
    """Return how many units have each number of dissents, beside what independent annotators would leave."""
    numbers = dissent_numbers(book)
    values, told = [], []
    for number in numbers:
        seen, model = book.one("dissents", number), book.one("dissents", number, expected="yes")
        told.append(f"{number}: {wording.number(seen.value, 'count')} against {round(model.value or 0):,}")
        for name, quantity in ((OBSERVED, seen), (EXPECTED, model)):
            shown = f"{round(quantity.value or 0):,}"
            values.append({"number": number, "who": name, "value": quantity.value, "shown": shown})
    who = [OBSERVED, EXPECTED]
    across: Spec = {"field": "number", "type": "ordinal", "sort": numbers, "axis": {"labelAngle": 0}}
    across["title"] = "annotators who dissent from the consensus of a report"
    base: Spec = {"x": across, "xOffset": {"field": "who", "sort": who, "scale": {"domain": who}}}
    up: Spec = {"field": "value", "type": "quantitative", "title": "reports, square-root scale"}
    up |= {"scale": {"type": "sqrt"}, "axis": {"tickCount": 5}}
    spec = drawing(
        values,
        layer=[
            {
                "mark": {"type": "bar"},
                "encoding": {
                    **base,
                    "y": up,
                    "color": scale("who", who, [LIGHT["accent"], LIGHT["accent-soft"]], None),
                },
            },
            {
                "mark": {"type": "text", "dy": -7, "fontSize": 10.5, "color": LIGHT["ink"]},
                "encoding": {**base, "y": up, "text": {"field": "shown"}},
            },
        ],
        width={"step": 88, "for": "position"},
        height=220,
    )
    text = f"Reports by number of dissents, seen against what independent annotators would leave. {'; '.join(told)}."
    caption = (
        "Reports by how many annotators dissent from the consensus. The second bar of each pair is what annotators "
        "would leave who dissent independently, each at an own rate in each project and code."
    )
    return Figure("dissents", "How many annotators dissent on a report", caption, text, spec)
