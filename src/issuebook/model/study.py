"""The settings of a study: what study.toml says."""

from __future__ import annotations

from collections import Counter
from typing import Literal, Self

from pydantic import Field, model_validator

from issuebook.model.annotation import Annotation
from issuebook.model.archive_source import Archive
from issuebook.model.field_mapping import FieldMapping
from issuebook.model.rating_layout import RatingLayout
from issuebook.model.tracker_source import TrackerSource
from issuebook.model.validation import Value


class About(Value):
    """What is studied, for headings and citations."""

    title: str = Field(min_length=1)
    source: str = ""
    about: str = ""


class RatedFacet(Value):
    """A facet of which there are ratings, and how they are taken.

    Attributes:
        facet: id of the facet in the codebook.
        level: level of the facet at which agreement and consensus are taken; deeper codes count as their ancestor.
            None takes the deepest level that any rating reaches.
        codebook: version of the codebook that the ratings were made under, as ``issuebook codebook log`` names it; they
            are carried to the released one. None takes them as made under the released one.
    """

    facet: str = "theme"
    level: str | None = None
    codebook: str | None = None


class RatingsSource(RatingLayout, RatedFacet):
    """Files of ratings, and the facet that they rate.

    Attributes:
        files: a pattern of files below the data folder, e.g. ``labels/*.csv``.
    """

    files: str = Field(min_length=1)


class ReportsSource(FieldMapping):
    """Files of issue reports as a tracker gives them, and the names of their fields.

    Attributes:
        files: a pattern of files below the data folder, e.g. ``reports/*.jsonl``.
        optional: whether the study also runs where no file matches, for reports that may not be passed on.
    """

    files: str = Field(min_length=1)
    optional: bool = False


class KeywordLists(Value):
    """Where the keyword lists are, and which of them screens which project.

    Attributes:
        files: a pattern of files below the data folder or the study folder: TOML, or text with a keyword a line.
        screening: a pattern of other files that screen the reports, e.g. the same keywords with rules; None takes
            ``files``.
        projects: the projects that a list screens, by the list's name, e.g. ``framework = ["pytorch"]``. A list that
            is not named here and is called like a project screens that project; any other screens all.
    """

    files: str = Field(min_length=1)
    screening: str | None = None
    projects: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class SpotCheck(Value):
    """Reports that people looked at to see how good the screening is.

    Attributes:
        files: a pattern of tables with the columns ``id`` or ``url``, ``side`` (kept or dropped), ``population`` and
            ``relevant`` (yes, no, or blank), as ``issuebook spot-check draw`` writes them.
        known: a pattern of tables of reports that are known to be relevant without the lists.
    """

    files: str = Field(min_length=1)
    known: str | None = None


class Intervals(Value):
    """How intervals are made."""

    level: float = Field(default=0.95, gt=0.5, lt=1.0)


class UnitSelection(Value):
    """Units of a comparison; exactly one of group, project, projects and files is given.

    Attributes:
        group: the units of a group of projects.
        project: the units of a project.
        projects: the units of several projects.
        files: the units of files that are no part of the study's ratings: a pattern below the data folder.
        column: with files: the column of each unit's code.
        called: what the units are called; empty takes the names of what is selected.
    """

    group: str | None = None
    project: str | None = None
    projects: tuple[str, ...] = ()
    files: str | None = None
    column: str = "code"
    called: str = ""

    @model_validator(mode="after")
    def _one_is_given(self) -> Self:
        given = (self.group is not None, self.project is not None, bool(self.projects), self.files is not None)
        if sum(given) != 1:
            raise ValueError("give exactly one of 'group', 'project', 'projects' and 'files'")
        return self

    @property
    def name(self) -> str:
        """What the units are called."""
        return self.called or self.group or self.project or self.files or " and ".join(self.projects)


class PlannedComparison(Value):
    """Two selections of units whose codes are compared, with what is decided before the data are looked at.

    Attributes:
        id: short name that quantities and claims ask for, unique in the study.
        title: heading for people; empty takes the names of the two selections.
        a: the first selection, e.g. ``{group = "framework"}``.
        b: the second selection, e.g. ``{project = "pytorch"}`` or ``{projects = ["pytorch", "tensorflow"]}``.
        within: only units and codes under this code.
        at: level of the facet at which codes are compared; None takes the level of the consensus.
        level: confidence level; None takes that of ``[intervals]``.
        margin: the largest difference of one code's share that does not matter.
        distance_margin: the largest total variation that does not matter.
        clusters: ``project``: reports of one project are alike; ``none``: each report stands for itself.
    """

    id: str = Field(min_length=1)
    title: str = ""
    a: UnitSelection
    b: UnitSelection
    within: str | None = None
    at: str | None = None
    level: float | None = Field(default=None, gt=0.5, lt=1.0)
    margin: float = Field(default=0.02, gt=0.0, lt=1.0)
    distance_margin: float = Field(default=0.05, gt=0.0, lt=1.0)
    clusters: Literal["project", "none"] = "project"

    @model_validator(mode="after")
    def _two_names(self) -> Self:
        if self.a == self.b:
            raise ValueError("a and b select the same units")
        if (self.a.files is None) != (self.b.files is None):
            raise ValueError("either both a and b are 'files' or neither is")
        return self


class PlannedAudit(Value):
    """Whether and how a run asks if labels look like independent judgements.

    Attributes:
        run: whether the audit is part of a run.
        draws: data sets drawn from the model of the labels: 40 suffice for a verdict, 200 for its intervals.
        seed: of the draws; None takes the study's.
    """

    run: bool = True
    draws: int = Field(default=40, ge=2)
    seed: int | None = Field(default=None, ge=0)


class Study(Value):
    """A study's settings.

    Attributes:
        study: title and source.
        groups: projects by group, e.g. ``framework = ["pytorch"]``.
        sources: repositories that ``issuebook collect`` reads.
        archives: hours of GH Archive that it reads for some projects.
        ratings: files of ratings, one entry a facet. The report is about the first; others are crossed with it.
        annotation: how units are labelled here; left out, and without ratings, by one person in the codebook's
            first facet.
        reports: files of issue reports; left out, what ``issuebook collect`` left is read where there is any.
        keywords: keyword lists.
        spot_check: reports that were looked at to see how good the screening is.
        intervals: confidence level.
        comparison: groups of units that are compared.
        audit: the audit of the labels.
        seed: seed of everything that is drawn.
    """

    study: About
    groups: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    sources: tuple[TrackerSource, ...] = ()
    archives: tuple[Archive, ...] = ()
    ratings: tuple[RatingsSource, ...] = ()
    reports: ReportsSource | None = None
    annotation: Annotation | None = None
    keywords: KeywordLists | None = None
    spot_check: SpotCheck | None = None
    intervals: Intervals = Intervals()
    comparison: tuple[PlannedComparison, ...] = ()
    audit: PlannedAudit = PlannedAudit()
    seed: int = 20250613

    @model_validator(mode="after")
    def _is_sound(self) -> Study:
        counts = Counter(project for members in self.groups.values() for project in members)
        repeated = [project for project, count in counts.items() if count > 1]
        if repeated:
            raise ValueError(f"projects in more than one group: {', '.join(repeated)}")
        if not (self.ratings or self.reports or self.sources or self.archives or self.annotation):
            raise ValueError("a study begins with [reports], [[sources]], [[archives]], [[ratings]] or [annotation]")
        ids = Counter(planned.id for planned in self.comparison)
        twice = [name for name, count in ids.items() if count > 1]
        if twice:
            raise ValueError(f"comparisons with the same id: {', '.join(twice)}")
        rated = Counter(source.facet for source in self.ratings)
        several = [facet for facet, count in rated.items() if count > 1]
        if several:
            raise ValueError(f"facets with several [[ratings]]: {', '.join(several)}; one pattern may name all files")
        if self.spot_check is not None and self.reports is None:
            raise ValueError("a spot check needs reports: say with [reports] where they are")
        return self

    @property
    def rated(self) -> tuple[RatedFacet, ...]:
        """What was rated: the facets of the rating files, else those that the workbench asks, the last one first.

        The report is about the first. In the workbench relevance is asked before what a study is about.
        """
        if self.ratings or self.annotation is None:
            return self.ratings
        *before, last = self.annotation.facets
        return tuple(RatedFacet(facet=facet) for facet in (last, *before))
