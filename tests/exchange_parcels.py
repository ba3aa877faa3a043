"""Parcels of labels for tests of exchange: small studies at random, and one label alone."""

import json
from collections.abc import Sequence

import polars as pl
from hypothesis import strategies as st

from issuebook.exchange.formats import Format, read, write
from issuebook.exchange.parcel import Arrived, Asked, Parcel, blank_row
from issuebook.model.codebook import Code, Codebook, Facet
from issuebook.model.unit import Unit
from issuebook.schemas import LABELS

HARD = (
    "=1+1",
    "+x",
    "-x",
    "@SUM(A1)",
    "'quoted",
    "''=x",
    'a,"b"\n#/c',
    "\t=x",
    "\rx",
    "a\r\nb",
    " x ",
    "漢 \U0001f600 é",
    "\u202eright to left שלום",
    "_x0041_",
    "<b>&amp;]]>",
    "{}",
    "[1]",
    "12",
    "true",
    "http://example.org",
    "\x01\x1f",
    "\u2028",
)
TEXT = st.sampled_from(HARD) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufffe\uffff"), max_size=12
)
NAME = TEXT.filter(lambda text: text.strip() != "")


def facet_of(name: str, names: Sequence[str], *, flat: bool) -> Facet:
    """A facet whose codes are called by some names: in one level, or each below the one before it in pairs."""
    codes = [Code(id=f"{name}.{n}", name=f"{text} {n}") for n, text in enumerate(names)]
    if flat:
        return Facet(id=name, codes=tuple(codes))
    tops = [top.model_copy(update={"codes": tuple(codes[n + 1 : n + 2])}) for n, top in enumerate(codes) if n % 2 == 0]
    return Facet(id=name, levels=("a", "b"), codes=tuple(tops))


@st.composite
def parcels(draw: st.DrawFn) -> Parcel:
    """A study with two facets, two rounds, up to three annotators and units, edits, skips and decisions."""
    facets = (
        facet_of("f", draw(st.lists(NAME, min_size=1, max_size=4)), flat=draw(st.booleans())),
        facet_of("g", draw(st.lists(NAME, min_size=1, max_size=2)), flat=True),
    )
    people = draw(st.lists(NAME, min_size=1, max_size=3, unique=True))
    unit = st.builds(
        Unit,
        id=NAME | st.just("https://github.com/larkloom/core/issues/7"),
        title=TEXT,
        body=TEXT,
        project=TEXT,
        url=TEXT,
    )
    units = draw(st.lists(unit, min_size=1, max_size=3, unique_by=lambda one: one.id))
    rounds = draw(st.lists(NAME, min_size=1, max_size=2, unique=True))
    rows = []
    for place in range(1, draw(st.integers(1, 6)) + 1):
        rows += _mark(draw, place, facets, (people, [one.id for one in units], rounds))
    labels = pl.DataFrame(rows, schema=LABELS)
    used = set(labels["unit"])
    book = Codebook(name=draw(NAME), version="7", facets=facets)
    return Parcel(draw(NAME), "issuebook 0", book, labels, [one for one in units if one.id in used])


def _mark(
    draw: st.DrawFn, place: int, facets: Sequence[Facet], among: tuple[Sequence[str], ...]
) -> list[dict[str, object]]:
    people, units, rounds = among
    kind = draw(st.sampled_from(["rating", "rating", "skip", "decision"]))
    name = draw(st.sampled_from(rounds))
    person = draw(st.sampled_from(people))
    row = {**blank_row(), "place": place, "kind": kind, "round": name, "per_unit": 2}
    row.update(mode="blind", round_state="closed" if rounds.index(name) else "open", unit=draw(st.sampled_from(units)))
    row.update(annotator=person, name=f"{person}!", memo=draw(TEXT), counts=draw(st.booleans()))
    row.update(at=f"2026-01-0{place}T09:00:0{place}+00:00", holds=draw(st.booleans()))
    if kind != "decision":
        row["seconds"] = draw(st.floats(0, 1e6))
    if kind == "rating":
        row.update(unsure=draw(st.booleans()), flag=draw(st.booleans()), codebook=draw(TEXT))
    if kind == "decision":
        row.update(seen=place - 1)
    if kind == "skip":
        return [row]
    chosen = facets if kind == "rating" and draw(st.booleans()) else (draw(st.sampled_from(facets)),)
    return [{**row, "facet": one.id, **_codes(draw, one)} for one in chosen]


def _codes(draw: st.DrawFn, facet: Facet) -> dict[str, str]:
    first, *further = draw(st.lists(st.sampled_from(list(facet.nodes)), min_size=1, max_size=3, unique=True))
    return {"code": first, "secondary": json.dumps(further, ensure_ascii=False) if further else ""}


def one_label(text: str) -> pl.DataFrame:
    """One row whose texts are all the same."""
    row = {name: text if kind == pl.String() else True if kind == pl.Boolean() else 1 for name, kind in LABELS.items()}
    return pl.DataFrame([row], schema=LABELS)


BOOK = Codebook(
    name="book",
    version="3",
    facets=(
        Facet(
            id="theme",
            levels=("type", "theme"),
            codes=(
                Code(id="A", name="question", codes=(Code(id="A.1", name="setup"), Code(id="A.2", name="use"))),
                Code(id="B", name="bug", definition="It fails.", codes=(Code(id="B.1", name="crash"),)),
            ),
        ),
        Facet(id="relevance", codes=(Code(id="keep", name="keep"), Code(id="drop", name="drop"))),
    ),
)
"""A codebook with a tree and a flat facet."""


def parcel_of(labels: pl.DataFrame, book: Codebook = BOOK) -> Parcel:
    """A parcel whose units have no texts."""
    return Parcel("study", "issuebook 0", book, labels, [Unit(unit, unit) for unit in labels["unit"].unique()])


def written(form: Format, parcel: Parcel) -> bytes:
    """The file of a parcel."""
    return write(form, parcel).content()


def read_back(form: Format, content: bytes, book: Codebook = BOOK, file: str = "labels.x") -> Arrived:
    """What a file holds."""
    return read(form, content, Asked(file, book, "imported"))
