"""What a person may see of other people's work. Every page, search and figure is made from this, and from nothing else.

Blindness is one rule: who labels in an open blind round sees nothing that others said of its units, in whatever other
role. It ends when the round is closed, and what counts in the round is then fixed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from issuebook.annotation.assignment import takes_part
from issuebook.annotation.events import Adjudicated
from issuebook.annotation.state import Round, State
from issuebook.annotation.work import Mark, Rating


class Seen(NamedTuple):
    """A rating that a person may see."""

    round: Round
    unit: str
    person: str
    rating: Rating


@dataclass(frozen=True, slots=True)
class Visible:
    """The view of one person on a state; ``veils`` are the open blind rounds that the person labels in."""

    state: State
    person: str
    veils: tuple[Round, ...]

    def hides(self, unit: str) -> bool:
        """Return whether what others said of a unit is hidden."""
        return any(unit in veil.place for veil in self.veils)

    def hides_round(self, current: Round) -> bool:
        """Return whether the person labels in this round while it is blind."""
        return any(veil is current for veil in self.veils)

    def marks(self, current: Round, unit: str) -> dict[str, Mark]:
        """Return the newest mark of each annotator on a unit that the person may see."""
        work = current.work.get(unit)
        if work is None:
            return {}
        if self.hides(unit) or not self.reads(current):
            own = work.marks.get(self.person)
            return {self.person: own} if own is not None else {}
        return dict(work.marks)

    def decisions(self, current: Round, unit: str, facet: str) -> tuple[Adjudicated, ...]:
        """Return the decisions on a unit that the person may see, oldest first."""
        if self.hides(unit) or not self.reads(current):
            return ()
        return self.state.decisions.get((current.id, unit, facet), ())

    def coded(self, code: str) -> Iterator[Seen]:
        """Yield the newest ratings that the person may see and that give a code or one below: ``C`` finds ``C.6``."""
        for current in self.state.rounds.values():
            for given, keys in current.coded.items():
                if given == code or given.startswith(f"{code}."):
                    yield from self._seen(current, keys)

    def noted(self, word: str) -> Iterator[Seen]:
        """Yield the newest ratings that the person may see and whose memo holds some letters (in lower case)."""
        for current in self.state.rounds.values():
            yield from self._seen(current, [key for key, memo in current.noted.items() if word in memo])

    def _seen(self, current: Round, keys: Iterable[tuple[str, str]]) -> Iterator[Seen]:
        own_only = self.hides_round(current) or not self.reads(current)
        for unit, person in keys:
            if person == self.person or not (own_only or self.hides(unit)):
                mark = current.work[unit].marks[person]
                if isinstance(mark, Rating):
                    yield Seen(current, unit, person, mark)

    def reads(self, current: Round) -> bool:
        """Return whether the person may read what others said in a round, blindness apart."""
        known = self.state.people.get(self.person)
        if known is None or not known.roles:
            return False
        leading = known.roles & {"coordinator", "adjudicator", "reader"}
        return bool(leading) or takes_part(self.state, current, self.person)


def visible_to(state: State, person: str) -> Visible:
    """Return what a person may see."""
    veils = tuple(one for one in state.rounds.values() if one.is_blind and takes_part(state, one, person))
    return Visible(state, person, veils)
