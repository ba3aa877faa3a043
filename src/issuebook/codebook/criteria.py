"""Checks of what a codebook says of its codes: definitions, criteria, names of siblings, examples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations

from issuebook.codebook.code_ids import pointers, shape
from issuebook.codebook.finding import Finding
from issuebook.model.codebook import Code, Facet, Node
from issuebook.model.validation import nearest

SMALL = frozenset({"a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to"})
"""Words that carry no meaning in a name."""


def check_criteria(facet: Facet) -> list[Finding]:
    """Return what is missing from or contradicts itself in definitions, criteria and names.

    Retired codes are left alone, and codes whose name is unknown need no definition.
    """
    live = [node for node in facet.walk() if node.code.status != "retired"]
    found = [finding for node in live for finding in _of_code(facet, node)]
    for siblings in (facet.codes, *(node.code.codes for node in live)):
        found += _of_siblings([code for code in siblings if code.status != "retired"])
    return found


def check_examples(facet: Facet, codes_of: Mapping[str, frozenset[str]], depth: int) -> list[Finding]:
    """Return the examples that the study does not have, or that carry another code.

    Args:
        facet: the facet.
        codes_of: the consensus codes of each unit (several where a unit stands in several rows).
        depth: the depth at which the consensus is taken; an example of a deeper code carries its ancestor.
    """
    found = []
    for node in facet.walk():
        wanted = facet.ancestor(node.code.id, depth)
        for example in node.code.examples:
            carried = codes_of.get(example.unit)
            if carried is None:
                remedy = "Correct the unit, or take the example out."
                found.append(Finding("example", node.code.id, f"{example.unit} is no unit of the study.", remedy))
            elif not carried.intersection(facet.under(wanted)):
                what = f"{example.unit} carries {', '.join(sorted(carried)) or 'no consensus'}, not {wanted}."
                found.append(Finding("example", node.code.id, what, "Choose an example that carries the code."))
    return found


def plain(text: str) -> str:
    """Return a text without case, punctuation and doubled space: two texts that are equal so say the same."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def content_words(name: str) -> frozenset[str]:
    """Return the words of a name that carry meaning, in lower case and without a plural's s."""
    words = re.findall(r"\w+", name.casefold())
    return frozenset(_singular(word) for word in words if word not in SMALL)


def _singular(word: str) -> str:
    for ending, instead in ((r"ies$", "y"), (r"(?<=s|x|z)es$", ""), (r"(?<=ch|sh)es$", ""), (r"(?<=[^s])s$", "")):
        if len(word) > 3 and re.search(ending, word):
            return re.sub(ending, instead, word)
    return word


def _of_code(facet: Facet, node: Node) -> Iterator[Finding]:
    code = node.code
    if not code.definition and code.status != "unnamed":
        yield Finding("definition", code.id, f"{code.name!r} is not defined.", "Say what it means.")
    if not code.include and code.status != "unnamed":
        yield Finding("criteria", code.id, "nothing says what belongs here.", "Give a criterion to include by.")
    blank = sum(1 for text in (*code.include, *code.exclude) if not plain(text))
    if blank:
        yield Finding("criteria", code.id, f"{blank} criteria are empty.", "Fill them, or take them out.")
    both = {plain(text) for text in code.include} & {plain(text) for text in code.exclude} - {""}
    for text in sorted(both):
        yield Finding("criteria", code.id, f"{text!r} both includes and excludes.", "Decide for one.")
    yield from _pointers(facet, code)


def _pointers(facet: Facet, code: Code) -> Iterator[Finding]:
    shapes = {shape(each) for each in facet.nodes}
    for text, pointed in [(said, to) for said in code.exclude for to in pointers(said, shapes)]:
        says = f"{text!r} points to {pointed}"
        if pointed not in facet.nodes:
            yield Finding("pointer", code.id, f"{says}, which does not exist.", nearest(pointed, list(facet.nodes)))
        elif facet.nodes[pointed].code.status == "retired":
            yield Finding("pointer", code.id, f"{says}, which is retired.", "Point elsewhere.")
        elif pointed == code.id:
            yield Finding("pointer", code.id, f"{says}, the code itself.", "Point elsewhere.")


def _of_siblings(siblings: list[Code]) -> Iterator[Finding]:
    for one, other in combinations(siblings, 2):
        where = f"{one.id}, {other.id}"
        if content_words(one.name) == content_words(other.name):
            what = f"siblings are called {one.name!r} and {other.name!r}."
            yield Finding("siblings", where, what, "Give one of them a name that sets it apart.")
        for text in sorted({plain(text) for text in one.include} & {plain(text) for text in other.include} - {""}):
            yield Finding("criteria", where, f"{text!r} includes into both.", "Say what sends a unit to which.")
