"""Search over titles, bodies, memos, codes, projects and keywords: of memos and codes only what the person may see."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from issuebook.annotation.search import TEXT_FIELDS, Query, Term, holds, read_query
from issuebook.annotation.state import State
from issuebook.annotation.visibility import Visible, visible_to
from issuebook.annotation.work import Rating
from issuebook.app.annotate.workbench import Workbench, require
from issuebook.model.unit import Unit

AROUND = 80
"""Characters of an excerpt before and after the first hit."""

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Found:
    """A unit that was found.

    Attributes:
        unit, title, project: what it is.
        where: the fields that hit: title, body, memo, code, project, keyword.
        excerpt: text around the first hit, plain text, hostile until escaped.
        round: id of the round in which the person may open it to label, or empty.
    """

    unit: str
    title: str
    project: str
    where: tuple[str, ...]
    excerpt: str
    round: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Units found, best first; ``more`` when there are others beyond the limit; ``fault`` tells a bad query."""

    found: tuple[Found, ...]
    more: bool
    fault: str


def search(bench: Workbench, person: str, query: str, limit: int = 50) -> SearchResult:
    """Return units that hit every word of a query.

    Words stand in the unit's own text (title, body, project, keywords), or all in one memo that the person may see;
    ``"several words"`` is a phrase; a word may be the beginning of one.
    ``project:vllm``, ``keyword:oom``, ``code:C.6``, ``memo:flaky``, ``title:`` and ``body:`` one field only.

    Raises:
        NotPermittedError: the person has no role.
    """
    asked = read_query(query)
    terms = asked.of("", *TEXT_FIELDS)
    with bench.reading() as state:
        require(state, person, "coordinator", "annotator", "adjudicator", "reader")
        view = visible_to(state, person)
        among = _said(view, asked)
        remembered = _with_memo(view, terms) if terms and not asked.of(*TEXT_FIELDS) else []
    found = bench.services.units.search(terms, limit + 1, among) if terms else list(among or ())
    known = {*found} if among is None else {*found, *remembered} - {*among} | {*found}
    shown = [*found, *(unit for unit in remembered if unit not in known)][: limit + 1]
    with bench.reading() as state:
        rounds_of = {unit: _own_round(state, person, unit) for unit in shown}
    results = tuple(_found(bench, unit, asked, rounds_of[unit], unit in remembered) for unit in shown[:limit])
    return SearchResult(results, more=len(shown) > limit, fault=asked.fault)


def _said(view: Visible, asked: Query) -> list[str] | None:
    """Return the units with the codes and memos that a query names, in the rounds' order; None when it names none."""
    codes, memos = asked.of("code"), asked.of("memo")
    if not codes and not memos:
        return None
    found = {}
    for current, unit, _, mark in view.all_marks():
        if isinstance(mark, Rating) and _gives(mark, codes) and (not memos or holds(mark.memo, memos)):
            found[unit] = (list(view.state.rounds).index(current.id), current.place[unit])
    return sorted(found, key=lambda unit: found[unit])


def _gives(rating: Rating, codes: Sequence[Term]) -> bool:
    given = {code for answer in rating.answers for code in (answer.code, *answer.secondary)}
    return all(any(code == term.text or code.startswith(f"{term.text}.") for code in given) for term in codes)


def _with_memo(view: Visible, terms: tuple[Term, ...]) -> list[str]:
    ratings = ((unit, mark) for _, unit, _, mark in view.all_marks() if isinstance(mark, Rating) and mark.memo)
    return list(dict.fromkeys(unit for unit, rating in ratings if holds(rating.memo, terms)))


def _own_round(state: State, person: str, unit: str) -> str:
    """Return the newest round in which a person met a unit, or an empty text."""
    works = {current.id: current.work[unit] for current in state.rounds.values() if unit in current.work}
    met = [name for name, work in works.items() if person in work.marks or person in work.leases]
    return met[-1] if met else ""


def _found(bench: Workbench, unit_id: str, asked: Query, round_id: str, by_memo: bool) -> Found:
    unit = bench.services.units.get(unit_id) or Unit(unit_id, unit_id)
    texts = {"title": unit.title, "body": unit.body, "project": unit.project, "keyword": "\n".join(unit.keywords)}
    where = [name for name, text in texts.items() if any(holds(text, (term,)) for term in asked.of("", name))]
    where += [name for name in ("memo", "code") if asked.of(name) or (name == "memo" and by_memo)]
    return Found(unit.id, unit.title, unit.project, tuple(where), _excerpt(unit.body, asked.of("", "body")), round_id)


def _excerpt(body: str, terms: tuple[Term, ...]) -> str:
    """Return the text around the first hit of a body, else its beginning, on one line."""
    places = [at for term in terms for at in [body.lower().find(term.words[0])] if at >= 0] if body else []
    first = min(places, default=0)
    start = max(0, first - AROUND)
    text = _SPACE.sub(" ", body[start : first + AROUND]).strip()
    return ("…" if start else "") + text + ("…" if first + AROUND < len(body) else "")
