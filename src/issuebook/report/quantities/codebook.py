"""Quantities of the codebook and the keyword lists."""

from __future__ import annotations

from issuebook.model.quantity import Quantity, QuantitySet
from issuebook.report.facts import Facts
from issuebook.report.quantities.corpus import count_of
from issuebook.report.quantities.selection import unknown
from issuebook.report.quantities.shares import codes_of_level


def codes(facts: Facts, level: str | None = None, under: str | None = None, origin: str | None = None) -> Quantity:
    """Return the number of codes of a level of the codebook, under a code and of an origin where given."""
    members = codes_of_level(facts, level, under)
    chosen = [code for code in members if origin is None or code.origin == origin]
    unnamed = sum(code.status == "unnamed" for code in chosen)
    source = f"codes of codebook {facts.codebook.name} version {facts.codebook.version}"
    return count_of(len(chosen), source + (f", {unnamed} of them without a published name" if unnamed else ""))


def keywords(facts: Facts, list: str | None = None) -> QuantitySet:  # noqa: A002 - the word a claim uses
    """Return the number of distinct keywords of each list, or of one."""
    if list is not None and list not in facts.keyword_lists:
        raise unknown("keyword list", list, [*facts.keyword_lists])
    chosen = {name: words for name, words in facts.keyword_lists.items() if list in (None, name)}
    parts = tuple((name, count_of(len(words), f"distinct entries of {name}")) for name, words in chosen.items())
    return QuantitySet("", parts, "count", f"{len(chosen)} keyword lists, exact duplicates counted once")
