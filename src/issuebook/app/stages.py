"""Stages cached by content: one runs when what it reads, its settings or issuebook's code changed, else it is skipped.

What each stage read, wrote and was set to is kept in a ledger beside its results. The entry is written after the
results, and each result is replaced whole: a killed run leaves the old results with the old entry, or new results that
the next run makes again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, TypeAdapter, ValidationError

from issuebook.app.ports import Clock, Progress, Workspace
from issuebook.errors import Fault, UserError
from issuebook.model.validation import nearest

LEDGER = "stages.json"


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a run.

    Attributes:
        name: what ``--only`` calls it.
        reads: returns the content hash of everything it reads, by name.
        settings: returns what it was set to, as plain data.
        wrote: returns the present content hash of everything it writes, by name; a missing result is left out.
        work: does it.
    """

    name: str
    reads: Callable[[], Mapping[str, str]]
    settings: Callable[[], object]
    wrote: Callable[[], Mapping[str, str]]
    work: Callable[[], None]


class Entry(BaseModel):
    """What the ledger keeps of a stage."""

    reads: dict[str, str]
    settings: object
    code: str
    wrote: dict[str, str]
    finished: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Choice:
    """Which stages run: all that changed, ``only`` one and what it stands on, or also unchanged ones (``force``)."""

    force: bool = False
    only: str | None = None


@dataclass(frozen=True, slots=True)
class StageRun:
    """What became of a stage: ``done`` or ``unchanged``, and how long it took in seconds."""

    name: str
    state: str
    seconds: float


def run_stages(
    stages: Sequence[Stage], choice: Choice, code: str, workspace: Workspace, clock: Clock, progress: Progress
) -> tuple[StageRun, ...]:
    """Run the stages that need it, in order, and return what became of each.

    Raises:
        UserError: ``choice.only`` names no stage.
    """
    names = [stage.name for stage in stages]
    if choice.only is not None and choice.only not in names:
        raise UserError(Fault("--only", f"no stage {choice.only!r}.", nearest(choice.only, names)))
    ledger = _load(workspace)
    done = []
    for stage in stages[: names.index(choice.only) + 1 if choice.only else None]:
        forced = choice.force and choice.only in (None, stage.name)
        begun = clock.seconds()
        reads, settings = dict(stage.reads()), json.loads(json.dumps(stage.settings()))
        if not forced and _is_current(ledger.get(stage.name), reads, settings, code, stage.wrote()):
            state = "unchanged"
        else:
            progress.started(stage.name)
            stage.work()
            seconds = round(clock.seconds() - begun, 3)
            wrote = dict(stage.wrote())
            ledger[stage.name] = Entry(
                reads=reads, settings=settings, code=code, wrote=wrote, finished=clock.now(), seconds=seconds
            )
            workspace.save(LEDGER, _LEDGER.dump_json(ledger, indent=2))
            state = "done"
        taken = clock.seconds() - begun
        progress.finished(stage.name, state, taken)
        done.append(StageRun(stage.name, state, taken))
    return tuple(done)


def content_hash(content: bytes) -> str:
    """Return the SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def saved_hashes(workspace: Workspace, *names: str) -> dict[str, str]:
    """Return the content hashes of saved results, without those that are missing."""
    found = {name: workspace.saved_hash(name) for name in names}
    return {name: digest for name, digest in found.items() if digest is not None}


_LEDGER = TypeAdapter(dict[str, Entry])


def _load(workspace: Workspace) -> dict[str, Entry]:
    text = workspace.load(LEDGER)
    if text is None:
        return {}
    try:
        return _LEDGER.validate_json(text)
    except ValidationError:
        return {}  # written by another version, or damaged: every stage runs again


def _is_current(
    entry: Entry | None, reads: Mapping[str, str], settings: object, code: str, wrote: Mapping[str, str]
) -> bool:
    if entry is None or not wrote:
        return False
    return (entry.reads, entry.settings, entry.code, entry.wrote) == (reads, settings, code, wrote)
