"""Proposals as they are stored: one JSON text a scope, ``data/proposals/SCOPE.json`` in a study, replaced whole.

What a machine found is here and never changed by a person; what people decided is a log beside it (``decisions``), and
``state.replay`` gives what holds. Keys of the JSON are the attributes below; lists are in the order to show.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from pydantic import Field

from issuebook.model.validation import Value

NO_WORDS = "shares no words with others"
BORDER = "between groups"


class Scope(Value):
    """Which reports are clustered: all, or those that every condition fits.

    Attributes:
        name: what the scope is called, and its file: ``all``, ``code-C``, ``project-vllm``.
        facet: of the codes; empty when no code is asked for.
        codes: reports whose consensus is one of these or below.
        projects: reports of one of these.
        unlabelled: reports that have no rating yet.
    """

    name: str = Field(min_length=1)
    facet: str = ""
    codes: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    unlabelled: bool = False


class Exemplar(Value):
    """A report that shows a proposal: one of its centre (``medoid``), its middle or its border."""

    report: str
    role: Literal["medoid", "middle", "border"]


class Draft(Value):
    """What a model calls a proposal, for a person to take, change or leave.

    Attributes:
        model: name of the model.
        name: in a few words.
        inclusion: what makes a report belong to it.
        exclusion: what does not belong to it; may be empty.
        proposal: id of the proposal that it was asked about; empty in drafts that were kept before that was noted.
        reports: how many reports that had then.
    """

    model: str
    name: str
    inclusion: str
    exclusion: str = ""
    proposal: str = ""
    reports: int = 0


class DraftSet(Value):
    """What models drafted for the proposals of a scope, by the key of the members (``drafts.members_key``)."""

    format: Literal[1] = 1
    drafts: Mapping[str, Draft] = {}


class Proposal(Value):
    """A group of reports that may become a code.

    Attributes:
        id: known by it for as long as it is; of a later run that finds it again too.
        theme: id of the theme that it is shown under.
        name: the terms that set it apart from its siblings.
        terms: more of these terms, the clearest first.
        title: of the report at its centre.
        exemplars: up to five reports.
        stability: mean greatest Jaccard index over samples of 80 %; below 0.5 it would hardly be found again.
        size: how many reports it has.
        draft: what a model calls it; None where none was asked, or not about the reports that it has now.
        former_draft: what a model called it last, when it had other reports; None where ``draft`` stands.
    """

    id: str
    theme: str
    name: str
    terms: tuple[str, ...] = ()
    title: str = ""
    exemplars: tuple[Exemplar, ...] = ()
    stability: float = 0.0
    size: int = 0
    draft: Draft | None = None
    former_draft: Draft | None = None

    @property
    def shown(self) -> str:
        """The name to show: a model's draft where there is one; say then whose it is (``draft.model``)."""
        return self.draft.name if self.draft is not None else self.name


class Theme(Value):
    """Proposals that are near each other: the upper of two levels.

    Attributes:
        id: known by it.
        name: the terms that set it apart from other themes.
        terms: more of these.
        proposals: ids, the largest first.
    """

    id: str
    name: str
    terms: tuple[str, ...] = ()
    proposals: tuple[str, ...]


class Placed(Value):
    """A report and where it is.

    Attributes:
        id, url, title, project: of the report.
        proposal: id; empty where ``unclear`` says that it has none, and where ``near`` names a code.
        near: an accepted code that a new report is near enough to.
        fit: its cosine with the centroid less that with the next best one; below zero where another is nearer.
        unclear: why a person should look: it shares no words with others, or is between groups; empty otherwise.
        same_as: the first report with the same text.
    """

    id: str
    url: str = ""
    title: str = ""
    project: str = ""
    proposal: str = ""
    near: str = ""
    fit: float = 0.0
    unclear: str = ""
    same_as: str = ""


class Tried(Value):
    """A number of groups that was tried, and its mean silhouette."""

    groups: int
    silhouette: float


class Made(Value):
    """What proposals were made of, and how.

    Attributes:
        inputs: content hashes by name.
        settings: as plain data.
        versions: of what computed them.
    """

    inputs: Mapping[str, str] = {}
    settings: Mapping[str, str | int | float | bool | None] = {}
    versions: Mapping[str, str] = {}


class ProposalSet(Value):
    """All proposals of a scope.

    Attributes:
        format: of this text.
        scope: which reports.
        made: of what and how.
        tried: numbers of groups that were tried, where the number was not given.
        themes: the largest first.
        proposals: by theme, the largest of each first.
        reports: every report of the scope, by id.
    """

    format: Literal[1] = 1
    scope: Scope
    made: Made = Made()
    tried: tuple[Tried, ...] = ()
    themes: tuple[Theme, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    reports: tuple[Placed, ...] = ()

    @cached_property
    def run(self) -> str:
        """A short text that is the same only for the same grouping of the same reports."""
        digest = hashlib.sha256(self.scope.name.encode())
        for report in self.reports:
            digest.update(f"\n{report.id}\t{report.proposal}\t{report.near}".encode())
        return digest.hexdigest()[:12]

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of all reports."""
        return frozenset(report.id for report in self.reports)

    @cached_property
    def unclear(self) -> tuple[Placed, ...]:
        """The reports that a person should look at."""
        return tuple(report for report in self.reports if report.unclear)
