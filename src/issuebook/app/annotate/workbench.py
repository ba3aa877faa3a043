"""The open workbench: a study's settings, units and history, with the state that the history amounts to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from threading import RLock

from issuebook.annotation.events import AnyEvent, PersonAdded, Role, numbered
from issuebook.annotation.state import State
from issuebook.app.annotate.measured import Measured
from issuebook.app.annotate.unit_sources import CORPUS, add_units, require_units
from issuebook.app.corpus_ports import DataFiles
from issuebook.app.ports import (
    Accounts,
    Clock,
    CodebookLog,
    History,
    Passwords,
    Progress,
    RatingStore,
    Turn,
    Units,
    Workspace,
)
from issuebook.app.reports import import_corpus
from issuebook.app.services import Services
from issuebook.app.study_files import STUDY, load_study
from issuebook.errors import Fault, NotFoundError, NotPermittedError, StudyError
from issuebook.model.annotation import Annotation
from issuebook.model.codebook import Codebook, Facet
from issuebook.model.study import Study

ALL_ROLES: tuple[Role, ...] = ("coordinator", "annotator", "adjudicator", "reader")


@dataclass(frozen=True, slots=True)
class AnnotationServices:
    """The ports of one study's workbench.

    Attributes:
        workspace: the study's folder.
        files: data files, read chunk by chunk.
        history, units, accounts: the database.
        imported: ratings that were imported.
        codebook: the home of the codebook's history.
        study: the ports of the study's use cases that the workbench calls, too.
        passwords: hashes passwords.
        clock: the time.
        progress: where progress is told.
        close: lets the database go.
    """

    workspace: Workspace
    files: DataFiles
    history: History
    units: Units
    accounts: Accounts
    imported: RatingStore
    codebook: CodebookLog
    study: Services
    passwords: Passwords
    clock: Clock
    progress: Progress
    close: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Written:
    """Where in the history something stands, and whether it had been sent before."""

    seq: int
    repeated: bool


class Workbench:
    """A study that is open for labelling. Safe to use from several threads, and beside other processes.

    Attributes:
        study, codebook, settings: what the study's files say.
        services: the ports.
        measured: agreement as it was measured last, by round, team and what is hidden from who asked.
    """

    def __init__(self, services: AnnotationServices, study: Study, codebook: Codebook, settings: Annotation) -> None:
        """Take the ports and the study; the history is folded when it is first looked at."""
        self.services = services
        self.study = study
        self.codebook = codebook
        self.settings = settings
        self.measured: dict[tuple[str, str, tuple[str, ...]], Measured] = {}
        self._state = State()
        self._pending: list[AnyEvent] = []
        self._lock = RLock()

    def now(self) -> datetime:
        """Return the time."""
        return datetime.fromisoformat(self.services.clock.now())

    @contextmanager
    def reading(self) -> Iterator[State]:
        """Give the present state, also of what other processes did; it stays as it is while the block runs."""
        with self._lock:
            self._take_up(self.services.history.since(self._state.seq))
            yield self._state

    def write(self, who: str, key: str, decide: Callable[[State], Sequence[AnyEvent]]) -> Written:
        """Append what ``decide`` makes of the present state, in one transaction; nobody else appends meanwhile.

        Args:
            who: the person who acts.
            key: chosen by the client; if it was sent before nothing is decided or appended. Empty for none.
            decide: returns the events; what it raises leaves the history as it was.

        Returns:
            The place of the last event appended, 0 if there was none, or the place of the event sent before.
        """
        with self._turn() as turn:
            before = turn.place_of(who, key) if key else None
            if before is not None:
                return Written(before, repeated=True)
            self._append(turn, decide(self._state))
            seq = self._pending[-1].seq if self._pending else 0
        return Written(seq, repeated=False)

    def write_new(self, decide: Callable[[State, Callable[[AnyEvent], bool]], Sequence[AnyEvent]]) -> None:
        """Append what ``decide`` makes of the present state and of which events' keys were sent before."""
        with self._turn() as turn:
            self._append(turn, decide(self._state, lambda event: turn.place_of(event.who, event.key) is not None))

    @contextmanager
    def _turn(self) -> Iterator[Turn]:
        """Give the turn, with the state up to date; what was appended joins the state after it is stored."""
        with self._lock:
            with self.services.history.turn() as turn:
                self._take_up(turn.since(self._state.seq))
                self._pending = []
                yield turn
            self._take_up(self._pending)

    def _append(self, turn: Turn, events: Sequence[AnyEvent]) -> None:
        self._pending = numbered(events, self._state.seq + 1)
        turn.append(self._pending)

    def close(self) -> None:
        """Let the database go; the workbench is of no use afterwards."""
        self.services.close()

    def facet(self, name: str) -> Facet:
        """Return a facet of the codebook.

        Raises:
            NotFoundError: there is none of that name.
        """
        try:
            return self.codebook.facet(name)
        except KeyError:
            raise NotFoundError(Fault(name, "the codebook has no such facet.")) from None

    def _take_up(self, events: Iterator[AnyEvent] | Sequence[AnyEvent]) -> None:
        for event in events:
            self._state.apply(event)


def open_workbench(services: AnnotationServices, *, empty: bool = False) -> Workbench:
    """Return the workbench of a study; units of the corpus and people of study.toml that are new are added.

    ``empty`` lets one without any unit pass, which an import can fill.

    Raises:
        StudyError: the study's files are not valid, or study.toml has no ``[annotation]``.
        InputError: the files of units cannot be read, or there are none.
        OutputError: the database cannot be written.
    """
    files = load_study(services.workspace)
    settings = files.study.annotation
    if settings is None:
        hint = "Add the table [annotation]; see docs/reference/study-folder.md."
        raise StudyError(Fault(STUDY, "this study has no annotation.", hint))
    if settings.units is None and not services.workspace.find(CORPUS):
        import_corpus(services.study, files)
    add_units(services, files.study, settings)
    if not empty:
        require_units(services, files.study)
    bench = Workbench(services, files.study, files.codebook, settings)
    _add_people(bench)
    return bench


def require(state: State, person: str, *roles: Role) -> None:
    """Let a person pass who has one of some roles.

    Raises:
        NotPermittedError: the person has none of them.
    """
    known = state.people.get(person)
    if known is None or not known.roles & set(roles):
        raise NotPermittedError(Fault(person or "nobody", f"this is for: {', '.join(roles)}."))


def _add_people(bench: Workbench) -> None:
    """Add the annotators of study.toml; one who is alone gets all roles."""
    with bench.reading() as state:
        new = [name for name in bench.settings.annotators if name not in state.people]
    if not new:
        return
    roles = ALL_ROLES if len(bench.settings.annotators) == 1 else ("annotator",)

    def decide(state: State) -> list[AnyEvent]:
        absent = [name for name in new if name not in state.people]
        return [
            PersonAdded(at=bench.now(), who="", person=name, name=name, roles=roles, origin=STUDY) for name in absent
        ]

    bench.write("", "", decide)
