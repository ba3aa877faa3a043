"""Which levels of the codebook the ratings reach, and how codes are named and coloured."""

from __future__ import annotations

import re

from issuebook.report.facts import Facts
from issuebook.report.palette import code_colour


def rated_depth(facts: Facts) -> int:
    """Return the depth of the finest code that any row's consensus or any rating has; 0 when there is none."""
    nodes = facts.facet.nodes
    present = {code for _, _, code, rows in facts.tally if rows} | {entry.code for entry in facts.by_code}
    return max((nodes[code].depth for code in present if code in nodes), default=0)


def compared_level(facts: Facts) -> str:
    """Return the level at which projects are compared: the second where ratings reach it, else the first."""
    return facts.facet.levels[min(1, rated_depth(facts))]


def file_name(level: str) -> str:
    """Return a level's name as a part of file names and ids: ``root cause`` as ``root-cause``."""
    return re.sub(r"[^a-z0-9]+", "-", level.lower()).strip("-") or "code"


def colour_of(facts: Facts, code: str) -> str:
    """Return the name of the colour of a code: that of its ancestor at the top level."""
    tops = [top.id for top in facts.facet.codes]
    return code_colour(tops.index(facts.facet.ancestor(code, 0)))


def titled(facts: Facts, code: str) -> str:
    """Return a code with its name, e.g. ``C.1 Environment``; the id alone where the name says no more."""
    name = facts.facet.nodes[code].code.name
    return code if name.casefold() == code.casefold() else f"{code} {name}"
