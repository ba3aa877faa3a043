"""Ratings, decisions and people out of a study: nothing is lost on the way without being told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import IO

import polars as pl

from issuebook import __version__, schemas
from issuebook.annotation.imported_labels import after, imported_labels
from issuebook.annotation.labels import labels_frame, machines_frame
from issuebook.annotation.state import Round
from issuebook.annotation.visibility import visible_to
from issuebook.app.annotate.people import local_person
from issuebook.app.annotate.unit_pages import find_round
from issuebook.app.annotate.workbench import AnnotationServices, Workbench, require
from issuebook.app.ports import Units
from issuebook.errors import Fault, InputError, NotFoundError, NotPermittedError
from issuebook.exchange.formats import Format, write
from issuebook.exchange.parcel import Loss, Parcel, Written, renamed
from issuebook.model.codebook import Codebook
from issuebook.model.study import Study
from issuebook.model.unit import Unit

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is exported, and how.

    Attributes:
        form: the format.
        round: id of one round; None for all, and for ratings that were imported.
        pseudonym: gives the names that people go by; None keeps theirs.
        selections: whether a ``.qdpx`` has whole-text selections, too.
        scratch: gives an empty file to write to and read again.
    """

    form: Format
    round: str | None = None
    pseudonym: Callable[[str], str] | None = None
    selections: bool = False
    scratch: Callable[[], IO[bytes]] = BytesIO


class StoredUnits:
    """Some units of a study, read from the database part by part whenever they are iterated."""

    def __init__(self, units: Units, ids: Sequence[str]) -> None:
        """Take the home of units and the ids, in order."""
        self._units = units
        self._ids = ids

    def __iter__(self) -> Iterator[Unit]:
        """Yield each unit; one that the database does not have goes by its id."""
        for begin in range(0, len(self._ids), _CHUNK):
            part = self._ids[begin : begin + _CHUNK]
            found = self._units.some(part)
            yield from (found.get(unit) or Unit(unit, unit) for unit in part)


def coordinator(bench: Workbench, who: str | None) -> str:
    """Return the person for whom a command acts: the one named, else the only coordinator.

    Raises:
        NotFoundError: there is no such person.
        NotPermittedError: there are several coordinators, and none is named.
    """
    with bench.reading() as state:
        known = [one.id for one in state.people.values() if "coordinator" in one.roles]
        if who is not None and who not in state.people:
            raise NotFoundError(Fault(f"--who {who}", "there is no such person."))
    if who is not None or len(known) == 1:
        return who if who is not None else known[0]
    if not known:
        return local_person(bench)
    raise NotPermittedError(Fault("--who", "there are several coordinators.", f"Name one: {', '.join(known)}."))


def export_labels(bench: Workbench, person: str, wanted: Wanted) -> Written:
    """Return what was rated, skipped and decided, in a format, with what the format cannot hold.

    Raises:
        NotPermittedError: the person only labels, or labels units that are asked for in an open blind round.
    """
    labels = export_ratings(bench, person, wanted.round)
    if wanted.round is None:
        labels = after(_imported(bench.services, bench.study), labels)
    with bench.reading() as state:
        chosen = list(state.rounds.values()) if wanted.round is None else [find_round(state, wanted.round)]
        said = _Said(labels, machines_frame(state, chosen), sum(_unsaid(current) for current in chosen))
    return _written(bench.services, bench.study, bench.codebook, said, wanted)


def export_imported(services: AnnotationServices, study: Study, codebook: Codebook, wanted: Wanted) -> Written:
    """Return the imported ratings of a study that nobody labels in the workbench, in a format.

    Raises:
        InputError: there are none.
    """
    labels = _imported(services, study)
    if labels.is_empty():
        hint = "Bring the ratings in first: issuebook run STUDY."
        raise InputError(Fault("study.toml", "this study has no ratings in its database.", hint))
    return _written(services, study, codebook, _Said(labels, labels.clear(), 0), wanted)


def export_ratings(bench: Workbench, person: str, round_id: str | None = None) -> pl.DataFrame:
    """Return what holds, as ``schemas.LABELS``: a row a rating and facet, a row a skip, a row a decision.

    Raises:
        NotPermittedError: the person only labels, or labels units that are asked for in an open blind round.
    """
    with bench.reading() as state:
        require(state, person, "coordinator", "adjudicator", "reader")
        chosen = [find_round(state, round_id)] if round_id is not None else list(state.rounds.values())
        view = visible_to(state, person)
        hidden = [current.id for current in chosen if any(view.hides(unit) for unit in current.work)]
        if hidden:
            hint = "Close the blind round first."
            raise NotPermittedError(Fault(", ".join(hidden), "you label these units in an open blind round.", hint))
        return labels_frame(state, chosen)


@dataclass(frozen=True, slots=True)
class _Said:
    """What people said, what machines said apart from it, and how many units nobody has said anything of."""

    labels: pl.DataFrame
    machines: pl.DataFrame
    unsaid: int


def _written(services: AnnotationServices, study: Study, codebook: Codebook, said: _Said, wanted: Wanted) -> Written:
    shown = renamed(said.labels, wanted.pseudonym) if wanted.pseudonym is not None else said.labels
    named = pl.concat([shown["unit"], said.machines["unit"]]).unique(maintain_order=True)
    units = StoredUnits(services.units, named.to_list())
    parcel = Parcel(
        study.study.title, f"issuebook {__version__}", codebook, shown, units, wanted.scratch, said.machines
    )
    written = write(wanted.form, parcel, selections=wanted.selections)
    found = [Loss("units of rounds that nobody has rated, skipped or decided", said.unsaid)]
    if wanted.pseudonym is not None:
        memos = int((shown["memo"] != "").sum())
        found.append(Loss("memos and reasons, kept as they are written: read them before you pass them on", memos))
    return Written(written.files, (*written.losses, *(loss for loss in found if loss.count)))


def _imported(services: AnnotationServices, study: Study) -> pl.DataFrame:
    """Return the ratings that the study imported from its files, each facet as a round."""
    found = pl.DataFrame(schema=schemas.LABELS)
    for facet in dict.fromkeys(source.facet for source in study.ratings):
        batch = services.imported.present(facet)
        if batch is not None:
            found = after(found, imported_labels(batch.ratings, facet))
    return found


def _unsaid(current: Round) -> int:
    said = sum(bool(work.marks) for work in current.work.values())
    return len(current.opened.units) - said
