"""What a check of a codebook finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check found.

    Attributes:
        check: name of the check, e.g. ``definition``.
        where: a code, or a file with its line.
        what: what is wrong or worth a look, in words.
        remedy: what to do about it; may be empty.
        fails: whether the check fails; a finding that does not is for information.
    """

    check: str
    where: str
    what: str
    remedy: str = ""
    fails: bool = True

    def __str__(self) -> str:
        tail = f" {self.remedy}" if self.remedy else ""
        return f"{self.check}: {self.where}: {self.what}{tail}"
