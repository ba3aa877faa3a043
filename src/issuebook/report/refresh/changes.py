"""What a refresh found: values, ready for JSON and for the page."""

from __future__ import annotations

from dataclasses import dataclass

from issuebook.model.estimate import Estimate
from issuebook.screening.aging import DeadKeyword, NewTerm, TermSet
from issuebook.stats.change_points import ChangePoint
from issuebook.stats.explanations import Explanation


@dataclass(frozen=True, slots=True)
class Since:
    """The moment that is compared with.

    Attributes:
        at: ISO 8601; reports opened then or later are "since".
        version: the codebook's version that was released then; empty for none.
        chosen: how the moment was chosen, in words.
    """

    at: str
    version: str
    chosen: str


@dataclass(frozen=True, slots=True)
class Side:
    """Reports before or since: how many there are, how many carry a code, from when to when."""

    reports: int
    coded: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class CodeChange:
    """A code's share before and since.

    Attributes:
        code: its id.
        name: what people call it.
        before: coded reports before with it.
        since: coded reports since with it.
        difference: share since less share before, Newcombe's interval.
        p: of no difference, corrected for all codes (Benjamini and Hochberg); None where it cannot be tested.
        drifting: whether ``p`` is at most the level.
        terms: terms that its own reports hold more often since then, where the code has enough reports.
        series: coded reports with it in each window.
    """

    code: str
    name: str
    before: int
    since: int
    difference: Estimate
    p: float | None
    drifting: bool
    terms: tuple[NewTerm, ...]
    series: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShareChange:
    """A change point of a code's share, and what else changed there.

    Attributes:
        code: the code.
        name: what people call it.
        window: the first window after the change, by its name.
        change: the change.
        difference: share after less share before.
        explanations: what else may have changed.
        reading: what these say together, in words.
    """

    code: str
    name: str
    window: str
    change: ChangePoint
    difference: Estimate
    explanations: tuple[Explanation, ...]
    reading: str


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of codes over time.

    Attributes:
        level: the level of the codes, e.g. ``theme``.
        width: how long a window is.
        windows: names of the windows.
        coded: coded reports of each window.
        alpha: the chance of reporting any change where nothing changed.
        codes: every code.
        changes: the change points.
        undated: coded reports without a time; they are in no window.
    """

    level: str
    width: str
    windows: tuple[str, ...]
    coded: tuple[int, ...]
    alpha: float
    codes: tuple[CodeChange, ...]
    changes: tuple[ShareChange, ...]
    undated: int


@dataclass(frozen=True, slots=True)
class FormChange:
    """Lines that came into, or went out of, the issue forms of a project."""

    project: str
    came: tuple[str, ...]
    went: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lists:
    """How keyword lists age.

    Attributes:
        forms: issue forms that changed; their words are left out of the new terms.
        terms: new terms.
        chosen: a small set of them, measured on the half of the reports that it was not chosen on.
        dead: keywords that no longer hit.
        never: keywords that hit no report at all, as list and keyword.
        listed: whether the study has lists.
    """

    forms: tuple[FormChange, ...]
    terms: tuple[NewTerm, ...]
    chosen: TermSet
    dead: tuple[DeadKeyword, ...]
    never: tuple[tuple[str, str], ...]
    listed: bool


@dataclass(frozen=True, slots=True)
class NamedReport:
    """A report: id, address (may be empty) and title."""

    id: str
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class Suggested:
    """A code that a report without one is near: a suggestion, never a rating."""

    report: NamedReport
    code: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """Out-of-taxonomy reports that belong together: a code that somebody may accept.

    Attributes:
        name: terms that set them apart.
        reports: the members, the most central first.
        novelty: mean novelty, 0 to 2.
        cohesion: mean cosine with their centroid.
        rank: novelty × cohesion × √size.
    """

    name: str
    reports: tuple[NamedReport, ...]
    novelty: float
    cohesion: float
    rank: float


@dataclass(frozen=True, slots=True)
class Newcomers:
    """Reports since then without a code.

    Attributes:
        asked: how many they are.
        accepted: coded reports that codes were learnt from.
        codes: how many codes were learnt.
        left_out: coded reports of codes with too few reports to learn from.
        rate: the stated rate of false alarms.
        checked: share flagged of the coded reports since then, scored by codes learnt before. They do have a code: this
            is the rate of false alarms that was reached.
        checked_reports: how many those are.
        near: those near a code.
        flagged: those that no code covers.
        candidates: groups of these, the strongest first.
        open: how many are neither near a code nor flagged.
        undefined: why nothing can be said; empty when something can.
    """

    asked: int
    accepted: int
    codes: int
    left_out: int
    rate: float
    checked: Estimate
    checked_reports: int
    near: tuple[Suggested, ...]
    flagged: tuple[NamedReport, ...]
    candidates: tuple[Candidate, ...]
    open: int
    undefined: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A report to be coded again: the stratum that it was drawn from, and how many reports it stands for."""

    report: NamedReport
    stratum: str
    weight: float


@dataclass(frozen=True, slots=True)
class Reannotation:
    """The sample that would tell a change of labelling from a change of what is reported.

    Attributes:
        code: the code whose change needs most reports among those that are not settled; empty for none.
        difference: the change that the sample shall show.
        needed: reports on each side that show it in four of five cases.
        drawn: reports to be coded again, in random order.
        seed: of the draw.
        reason: why nothing is drawn, or fewer than needed; empty otherwise.
    """

    code: str
    difference: float
    needed: int
    drawn: tuple[Drawn, ...]
    seed: int
    reason: str


@dataclass(frozen=True, slots=True)
class Refresh:
    """What changed since V.

    Attributes:
        title: of the study.
        since: V.
        before: reports before.
        after: reports since.
        accepted: coded reports; all keep their code.
        shares: of codes over time.
        lists: keyword lists.
        newcomers: reports without a code.
        reannotation: what would settle what is open.
        level: confidence level.
    """

    title: str
    since: Since
    before: Side
    after: Side
    accepted: int
    shares: Shares
    lists: Lists
    newcomers: Newcomers
    reannotation: Reannotation
    level: float
