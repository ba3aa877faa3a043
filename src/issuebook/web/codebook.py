"""The codebook as a tree, in any version, with how many reports have each code as far as the person may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from issuebook.app.taxonomy.desk import CodebookDesk, Version
from issuebook.app.taxonomy.standing import Standing, standing
from issuebook.app.taxonomy.story import Told, tell
from issuebook.app.taxonomy.worklist import Waiting, waiting
from issuebook.model.codebook import Code, Facet
from issuebook.web.access import Caller, Member
from issuebook.web.frame import page
from issuebook.web.site import site_of

router = APIRouter()

Name = Annotated[str, Query(max_length=1_000)]


@dataclass(frozen=True, slots=True)
class CodebookFrame:
    """What surrounds every page of the codebook.

    Attributes:
        version, number: which version is shown.
        newest: whether it is the newest state.
        labelled: the version that people label with.
        versions: every version that has a name, newest first, with its number.
        changes: edits since the newest release.
        may_edit, may_label: what the person may do.
        to_review: own ratings that wait for review.
        done: the entry that was just made, if one was.
    """

    version: str
    number: int
    newest: bool
    labelled: str
    versions: tuple[tuple[str, int], ...]
    changes: int
    may_edit: bool
    may_label: bool
    to_review: int
    done: Told | None


@dataclass(frozen=True, slots=True)
class CodeBranch:
    """A code and what lies below it; ``units`` and ``given`` are for all of it, ``width`` draws units, 0 to 100."""

    code: Code
    link: str
    units: int
    given: int
    width: float
    branches: tuple[CodeBranch, ...]


@dataclass(frozen=True, slots=True)
class FacetTree:
    """A facet; ``retired`` are its retired codes, wherever they stand."""

    facet: Facet
    codes: int
    agreed: int
    given: int
    to_review: int
    own_only: bool
    branches: tuple[CodeBranch, ...]
    retired: tuple[CodeBranch, ...]


@dataclass(frozen=True, slots=True)
class CodebookPage:
    """The whole codebook in one version, and who has ratings to review."""

    frame: CodebookFrame
    name: str
    note: str
    facets: tuple[FacetTree, ...]
    waiting: tuple[Waiting, ...]


@router.get("/codebook")
def codebook(
    request: Request,
    caller: Member,
    version: Name = "",
    done: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> HTMLResponse:
    """Return the codebook."""
    desk = site_of(request).codebook
    asked = desk.version(version)
    facets = tuple(
        _tree(facet, standing(desk, caller.person, facet.id, asked.number), version) for facet in asked.codebook.facets
    )
    shown = CodebookPage(
        frame=codebook_frame(desk, caller, asked, done),
        name=asked.codebook.name,
        note=asked.codebook.note,
        facets=facets,
        waiting=waiting(desk, caller.person),
    )
    return page(request, caller, "codebook.html.j2", shown)


def codebook_frame(desk: CodebookDesk, caller: Caller, asked: Version, done: int = 0) -> CodebookFrame:
    """Return what surrounds a page of the codebook."""
    history = desk.history
    newest = len(history.entries)
    return CodebookFrame(
        version=asked.name if asked.name != "head" else f"#{newest}" if newest else asked.codebook.version,
        number=asked.number,
        newest=asked.number == newest,
        labelled=desk.bench.codebook.version,
        versions=tuple((name, at) for name, at in reversed(history.versions.items()) if name != "base"),
        changes=newest - history.released,
        may_edit="coordinator" in caller.roles,
        may_label="annotator" in caller.roles,
        to_review=sum(one.ratings for one in waiting(desk, caller.person) if one.person == caller.person),
        done=tell(desk, done) if 0 < done <= newest else None,
    )


def code_link(facet: str, code: str, version: str = "") -> str:
    """Return the address of a code's page."""
    asked = {"facet": facet, "code": code} | ({"version": version} if version else {})
    return f"/codebook/code?{urlencode(asked)}"


def _tree(facet: Facet, found: Standing, version: str) -> FacetTree:
    most = max((found.units.get(code.id, 0) for code in facet.codes), default=0)
    live = [node for node in facet.walk() if node.code.status != "retired"]
    retired = [node.code for node in facet.walk() if node.code.status == "retired"]

    def branch(code: Code) -> CodeBranch:
        units = found.units.get(code.id, 0)
        return CodeBranch(
            code=code,
            link=code_link(facet.id, code.id, version),
            units=units,
            given=found.given.get(code.id, 0),
            width=round(100 * units / most, 1) if most else 0.0,
            branches=tuple(branch(child) for child in code.codes if child.status != "retired"),
        )

    return FacetTree(
        facet=facet,
        codes=len(live),
        agreed=found.agreed,
        given=found.ratings.ratings.height,
        to_review=found.to_review.height,
        own_only=found.own_only,
        branches=tuple(branch(code) for code in facet.codes if code.status != "retired"),
        retired=tuple(branch(code) for code in retired),
    )
