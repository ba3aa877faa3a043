"""Random codebooks, histories of edits, and ratings, for tests of laws."""

from __future__ import annotations

from typing import Any

import polars as pl
from hypothesis import strategies as st

from issuebook.codebook.edits import (
    Add,
    AnyEntry,
    Define,
    Edit,
    Merge,
    Move,
    Part,
    Release,
    Rename,
    Reorder,
    Retire,
    Rule,
    Split,
    Undo,
)
from issuebook.codebook.history import History
from issuebook.errors import EditError
from issuebook.model.codebook import Code, Codebook, Example, Facet

FACET = "theme"
ANNOTATORS = ("ann", "bob", "cy")
UNITS = tuple(f"u{number}" for number in range(12))

START = Codebook(
    name="start",
    version="1",
    facets=(
        Facet(
            id=FACET,
            levels=("type", "theme", "sub-theme"),
            codes=(
                Code(
                    id="A",
                    name="Question",
                    codes=(Code(id="A.1", name="Setup", codes=(Code(id="A.1.i", name="Versions"),)),),
                ),
                Code(
                    id="B",
                    name="Bug",
                    codes=(
                        Code(id="B.1", name="Crash", examples=(Example(unit="u1"),)),
                        Code(id="B.2", name="Wrong result", codes=(Code(id="B.2.i", name="Numbers"),)),
                    ),
                ),
            ),
        ),
    ),
)


def meta(number: int, on: int, **more: Any) -> dict[str, Any]:
    """The part of an entry that says who, when and on what."""
    return {"id": f"e{number}", "who": "ann", "when": "2026-01-03T10:00:00+00:00", "on": on, **more}


def facet_of(history: History) -> Facet:
    return history.head.facet(FACET)


NAMES = st.sampled_from(["Crash", "Setup", "Speed", "Memory", "Loss", "Docs", "Tests"])
RULES = (
    st.none()
    | st.builds(Rule, values=st.lists(st.sampled_from(UNITS), min_size=1, max_size=6).map(tuple))
    | st.builds(Rule, column=st.just("annotator"), values=st.just(("ann",)))
    | st.builds(Rule, matches=st.sampled_from(["1", "u[0-5]"]))
)


def codes(history: History) -> st.SearchStrategy[str]:
    """A code that the newest state has."""
    return st.sampled_from(list(facet_of(history).nodes))


@st.composite
def splits(draw: st.DrawFn, history: History) -> Split:
    """A split of any code; where its children go is drawn with it."""
    number = len(history.entries)
    victim, keep = draw(codes(history)), draw(st.booleans())
    children = () if keep else tuple(child.id for child in facet_of(history).nodes[victim].code.codes)
    parts = (
        Part(code=Code(id=f"S{number}a", name=f"Part {number}"), rule=draw(RULES), takes=children),
        Part(code=Code(id=f"S{number}b", name=f"Rest {number}"), rule=draw(RULES)),
    )
    return Split(**meta(number, number, facet=FACET), code=victim, parts=parts, keep=keep)


@st.composite
def texts(draw: st.DrawFn, history: History) -> Edit:
    """An edit of names, texts, places or order: nothing that a rating could notice."""
    number = len(history.entries)
    base = meta(number, number, facet=FACET)
    code, place = draw(codes(history)), draw(st.none() | codes(history))
    siblings = facet_of(history).codes if place is None else facet_of(history).nodes[place].code.codes
    made: list[Edit] = draw(
        st.permutations(
            [
                Rename(**base, code=code, name=draw(NAMES)),
                Define(**base, code=code, definition=f"text {number}", also=("Other",)),
                Move(**base, code=code, parent=place, before=draw(st.none() | codes(history))),
                Reorder(**base, parent=place, order=tuple(draw(st.permutations([each.id for each in siblings])))),
            ]
        )
    )
    return made[0]


@st.composite
def entries(draw: st.DrawFn, history: History) -> AnyEntry:
    """One entry that may fit a history; it may also be refused."""
    number = len(history.entries)
    base, code = meta(number, number, facet=FACET), codes(history)
    new = Code(id=f"N{number}", name=draw(NAMES))
    made: AnyEntry = draw(
        st.one_of(
            st.builds(Add, **{key: st.just(value) for key, value in base.items()}, new=st.just(new), parent=code),
            st.builds(Merge, **{key: st.just(value) for key, value in base.items()}, code=code, into=code),
            texts(history),
            splits(history),
            st.builds(Retire, **{key: st.just(value) for key, value in base.items()}, code=code),
            st.sampled_from([entry.id for entry in history.entries] or ["none"]).map(
                lambda target: Undo(**meta(number, number), edit=target)
            ),
            st.just(Release(**meta(number, number), name=f"v{number}")),
        )
    )
    return made


@st.composite
def histories(draw: st.DrawFn, most: int = 12) -> History:
    """A history of random entries; those that are refused are left out."""
    history = History(base=START)
    for _ in range(draw(st.integers(0, most))):
        try:
            history = history.append(draw(entries(history)))
        except EditError:
            continue
    return history


def ratings_of(facet: Facet) -> st.SearchStrategy[pl.DataFrame]:
    """Ratings with any codes of a facet; an annotator may give an item several codes."""
    row = st.tuples(st.integers(0, len(UNITS) - 1), st.sampled_from(ANNOTATORS), st.sampled_from(list(facet.nodes)))
    return st.lists(row, max_size=40, unique=True).map(frame)


def frame(rows: list[tuple[int, str, str]]) -> pl.DataFrame:
    schema = {"item": pl.UInt32, "annotator": pl.String, "code": pl.String}
    found = pl.DataFrame(rows, schema=schema, orient="row")
    return found.with_columns(pl.format("u{}", "item").alias("unit"))
