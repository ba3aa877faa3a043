"""Every exception issuebook raises on purpose.

    IssuebookError
    └── UserError             the user can mend it; exit code 2
        ├── StudyError        study.toml, codebook.yaml, claims.toml or a keyword list is not valid
        ├── InputError        a data file is missing, unreadable or lacks a column
        ├── OutputError       a place to write to is missing, read-only or full
        ├── ExpressionError   an expression in a claim or text cannot be parsed or asks for what does not exist
        ├── StatisticsError   a statistic was asked of data that cannot carry it (repeated ratings, counts for labels)
        ├── EditError         an edit of the codebook cannot be made as it stands
        │   └── ConflictError     it was made on an older state, and what it touches has changed since
        ├── TrackerError      a tracker refuses, cannot be reached, or is not what it was
        ├── MachineError      a machine annotator's endpoint refuses, cannot be reached, or does not answer as asked
        ├── StudyBusyError    another run holds the study
        ├── SchemaError       the database was made by another version of issuebook
        ├── ChoiceError       what was chosen in the workbench cannot be written down as it is
        ├── NotFoundError     the workbench has no such unit, round or person
        └── NotPermittedError a person may not do or see this
            └── SignInError       name and password do not fit, or too many attempts

Anything else that leaves a command is a bug in issuebook (exit code 70).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: where it is, what it is, and what to do next.

    Attributes:
        where: a file, with a line or a key path where there is one, e.g. ``study.toml: ratings[0].unit``.
        what: what is wrong, with the offending value.
        remedy: what to do next; empty when ``what`` says it already.
    """

    where: str
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        tail = f" {self.remedy}" if self.remedy else ""
        return f"{self.where}: {self.what}{tail}"


class IssuebookError(Exception):
    """Root of all errors that issuebook raises on purpose."""


class UserError(IssuebookError):
    """Something that the user can mend; carries every fault found, not only the first."""

    def __init__(self, faults: Fault | Sequence[Fault]) -> None:
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class StudyError(UserError):
    """A file that describes the study is not valid."""


class InputError(UserError):
    """A data file is missing, unreadable or lacks what the study says it has."""


class OutputError(UserError):
    """A place to write to is missing, read-only or full."""


class ExpressionError(UserError):
    """An expression cannot be parsed, or asks for something that does not exist."""


class StatisticsError(UserError):
    """A statistic was asked of data that cannot carry it."""


class EditError(UserError):
    """An edit of the codebook cannot be made as it stands."""


class ConflictError(EditError):
    """An edit was made on an older state of the codebook, and what it touches has changed since."""


class TrackerError(UserError):
    """A tracker refuses, cannot be reached, or is not what it was; what was read before is stored."""


class MachineError(UserError):
    """A machine annotator's endpoint refuses, cannot be reached, or does not answer as asked; what came is kept."""


class StudyBusyError(UserError):
    """Another run holds the study."""


class SchemaError(UserError):
    """The database was made by another version of issuebook."""


class ChoiceError(UserError):
    """What was chosen in the workbench cannot be written down as it is."""


class NotFoundError(UserError):
    """The workbench has no such unit, round or person."""


class NotPermittedError(UserError):
    """A person may not do or see this."""


class SignInError(NotPermittedError):
    """Name and password do not fit, or there were too many attempts."""
