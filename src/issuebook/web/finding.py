"""Search over what the person may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from issuebook.app.annotate.finding import search
from issuebook.web.access import Member
from issuebook.web.frame import page
from issuebook.web.site import site_of

router = APIRouter()


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A unit that was found; ``link`` opens it to label, where the person may."""

    unit: str
    title: str
    project: str
    where: tuple[str, ...]
    excerpt: str
    link: str


@dataclass(frozen=True, slots=True)
class SearchPage:
    """What was asked, and what was found."""

    query: str
    rows: tuple[FoundRow, ...]
    more: bool
    fault: str


@router.get("/search")
def find(request: Request, caller: Member, q: Annotated[str, Query(max_length=500)] = "") -> HTMLResponse:
    """Return the units that a query finds."""
    if not q.strip():
        return page(request, caller, "search.html.j2", SearchPage("", (), more=False, fault=""))
    found = search(site_of(request).bench, caller.person, q)
    rows = tuple(
        FoundRow(
            unit=row.unit,
            title=row.title or "(no title)",
            project=row.project,
            where=row.where,
            excerpt=row.excerpt,
            link=f"/label?{urlencode({'round': row.round, 'unit': row.unit})}" if row.round else "",
        )
        for row in found.found
    )
    return page(request, caller, "search.html.j2", SearchPage(q, rows, found.more, found.fault))
