"""Search over titles, bodies, memos, codes, projects and keywords: of memos and codes only what the person may see."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from issuebook.annotation.events import Answer
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


def search(bench: Workbench, person: str, query: str, limit: int = 25) -> SearchResult:
    """Return units that hit every word of a query.

    Words stand in the unit's own text (title, body, project, keywords), or all in one memo that the person may see;
    ``"several words"`` is a phrase; the last word may be the beginning of one.
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
    texts = bench.services.units.some(shown)
    results = tuple(
        _found(texts.get(unit, Unit(unit, unit)), asked, rounds_of[unit], unit in remembered) for unit in shown[:limit]
    )
    return SearchResult(results, more=len(shown) > limit, fault=asked.fault)


def _said(view: Visible, asked: Query) -> list[str] | None:
    """Return the units with the codes and memos that a query names, in the rounds' order; None when it names none."""
    codes, memos = asked.of("code"), asked.of("memo")
    if not codes and not memos:
        return None
    found: dict[str, tuple[int, int]] = {}
    order = {round_id: place for place, round_id in enumerate(view.state.rounds)}
    for current, unit, _, rating in view.coded(codes[0].text) if codes else view.noted(_longest(memos)):
        if unit not in found and _says(rating, codes, memos):
            found[unit] = (order[current.id], current.place[unit])
    return sorted(found, key=found.__getitem__)


def _says(rating: Rating, codes: Sequence[Term], memos: tuple[Term, ...]) -> bool:
    if memos and not (rating.memo and holds(rating.memo, memos)):
        return False
    return all(any(_gives(answer, term.text) for answer in rating.answers) for term in codes)


def _gives(answer: Answer, code: str) -> bool:
    """Return whether an answer gives a code or one whose id begins with it and a full stop: ``C`` finds ``C.6``."""
    return any(given == code or given.startswith(f"{code}.") for given in (answer.code, *answer.secondary))


def _with_memo(view: Visible, terms: tuple[Term, ...]) -> list[str]:
    found = (unit for _, unit, _, rating in view.noted(_longest(terms)) if holds(rating.memo, terms))
    return list(dict.fromkeys(found))


def _longest(terms: tuple[Term, ...]) -> str:
    """Return the longest word: what does not hold its letters need not be looked at more closely."""
    return max((word for term in terms for word in term.words), key=len)


def _own_round(state: State, person: str, unit: str) -> str:
    """Return the newest round in which a person met a unit, or an empty text."""
    works = {current.id: current.work[unit] for current in state.rounds.values() if unit in current.work}
    met = [name for name, work in works.items() if person in work.marks or person in work.leases]
    return met[-1] if met else ""


def _found(unit: Unit, asked: Query, round_id: str, by_memo: bool) -> Found:
    texts = {"title": unit.title, "body": unit.body, "project": unit.project, "keyword": "\n".join(unit.keywords)}
    places = {name: _places(text, asked.of("", name)) for name, text in texts.items()}
    where = [name for name in texts if places[name]]
    where += [name for name in ("memo", "code") if asked.of(name) or (name == "memo" and by_memo)]
    excerpt = _excerpt(unit.body, min(places["body"], default=0))
    return Found(unit.id, unit.title, unit.project, tuple(where), excerpt, round_id)


def _places(text: str, terms: tuple[Term, ...]) -> list[int]:
    lowered = text.lower()
    return [place for term in terms if (place := term.place_in(lowered)) is not None]


def _excerpt(body: str, first: int) -> str:
    """Return the text around a place of a body on one line."""
    start = max(0, first - AROUND)
    text = _SPACE.sub(" ", body[start : first + AROUND]).strip()
    return ("…" if start else "") + text + ("…" if first + AROUND < len(body) else "")
