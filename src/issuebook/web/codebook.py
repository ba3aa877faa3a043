"""The codebook as a tree, with how often each code was given as far as the person may see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from issuebook.app.annotate.code_counts import code_counts
from issuebook.model.codebook import Code, Facet
from issuebook.web.access import Member
from issuebook.web.frame import page
from issuebook.web.site import Site, site_of

router = APIRouter()

_STALE_AFTER = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class CodeBranch:
    """A code and what lies below it; ``count`` is for all of them."""

    code: Code
    count: int
    has_text: bool
    branches: tuple[CodeBranch, ...]


@dataclass(frozen=True, slots=True)
class FacetTree:
    """A facet."""

    facet: Facet
    codes: int
    count: int
    branches: tuple[CodeBranch, ...]


@dataclass(frozen=True, slots=True)
class CodebookPage:
    """The whole codebook."""

    name: str
    version: str
    note: str
    facets: tuple[FacetTree, ...]


@router.get("/codebook")
def codebook(request: Request, caller: Member) -> HTMLResponse:
    """Return the codebook."""
    site = site_of(request)
    counts = _counts(site, caller.person)
    book = site.bench.codebook
    facets = tuple(_tree(facet, counts.get(facet.id, Counter())) for facet in book.facets)
    return page(request, caller, "codebook.html.j2", CodebookPage(book.name, book.version, book.note, facets))


def _counts(site: Site, person: str) -> Mapping[str, Counter[str]]:
    """Return counts that are at most a minute old: to count all ratings of a large study takes a tenth of a second."""
    now = site.bench.now()
    at, counts = site.counted.get(person, (None, None))
    if at is None or counts is None or now - at >= _STALE_AFTER:
        counts = code_counts(site.bench, person)
        site.counted[person] = (now, counts)
    return counts


def _tree(facet: Facet, counts: Counter[str]) -> FacetTree:
    branches = tuple(_branch(code, counts) for code in facet.codes)
    return FacetTree(facet, len(facet.nodes), sum(branch.count for branch in branches), branches)


def _branch(code: Code, counts: Counter[str]) -> CodeBranch:
    below = tuple(_branch(child, counts) for child in code.codes)
    has_text = any((code.definition, code.include, code.exclude, code.examples, code.also, code.note))
    return CodeBranch(code, counts[code.id] + sum(branch.count for branch in below), has_text, below)
