"""The tree of codes with definitions, counts, shares and intervals."""

from __future__ import annotations

from issuebook.model.codebook import Code, Example
from issuebook.model.quantity import Quantity
from issuebook.report.book import Book
from issuebook.report.html.context import ExampleView, Taxonomy, TreeNode
from issuebook.report.html.pieces import FigureView
from issuebook.report.html.provenance import Provenance
from issuebook.report.levels import colour_of, rated_depth


def taxonomy(book: Book, figure: FigureView | None, cited: Provenance) -> Taxonomy | None:
    """Return the context of the taxonomy, without counts where nobody has rated yet; None where it has no codes."""
    facet = book.facts.facet
    if not facet.codes:
        return None
    counted = not book.facts.unrated
    shares = _shares(book) if counted else {}
    return Taxonomy(
        counted=counted,
        tree=tuple(_node(code, 0, book, shares, cited) for code in facet.codes),
        top_level=facet.levels[0],
        unrated=facet.levels[rated_depth(book.facts) + 1 :] if counted else (),
        figure=figure,
    )


def _shares(book: Book) -> dict[str, Quantity]:
    """Return the share of each rated code: of all at the top level, of its ancestor there below."""
    facet = book.facts.facet
    shares = dict(book.many("distribution", level=facet.levels[0]).parts)
    for level in facet.levels[1 : rated_depth(book.facts) + 1]:
        for top in facet.codes:
            shares |= dict(book.many("distribution", level=level, of=top.id).parts)
    return shares


def _node(code: Code, depth: int, book: Book, shares: dict[str, Quantity], cited: Provenance) -> TreeNode:
    share = shares.get(code.id)
    return TreeNode(
        id=code.id,
        name=code.name,
        level=book.facts.facet.levels[depth],
        colour=colour_of(book.facts, code.id),
        definition=code.definition,
        include=code.include,
        exclude=code.exclude,
        examples=tuple(_example(example) for example in code.examples),
        also=code.also,
        note=code.note,
        count=cited.cite(book.one("count", code.id)) if share else None,
        share=cited.cite(share) if share else None,
        interval=cited.interval(share) if share else None,
        width=f"{100 * (share.value or 0.0):.3f}%" if share else "0%",
        children=tuple(_node(child, depth + 1, book, shares, cited) for child in code.codes),
    )


def _example(example: Example) -> ExampleView:
    is_address = example.unit.startswith(("https://", "http://"))
    return ExampleView(example.unit, example.unit if is_address else "", example.note)
