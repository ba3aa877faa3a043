"""The settings of a study: what study.toml says."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from pydantic import Field, model_validator

from issuebook.model.annotation import Annotation
from issuebook.model.rating_layout import RatingLayout
from issuebook.model.validation import Value


class About(Value):
    """What is studied, for headings and citations."""

    title: str = Field(min_length=1)
    source: str = ""
    about: str = ""


class RatingsSource(RatingLayout):
    """Files of ratings, and the facet that they rate.

    Attributes:
        files: a pattern of files below the data folder, e.g. ``labels/*.csv``.
        facet: id of the facet in the codebook.
        level: level of the facet at which agreement and consensus are taken; deeper codes count as their ancestor.
            None takes the deepest level that any rating reaches.
    """

    files: str = Field(min_length=1)
    facet: str = "theme"
    level: str | None = None


class KeywordLists(Value):
    """Where the keyword lists are: a pattern of files below the data folder or the study folder."""

    files: str = Field(min_length=1)


class Intervals(Value):
    """How intervals are made."""

    level: float = Field(default=0.95, gt=0.5, lt=1.0)


class Rated(NamedTuple):
    """The facet that agreement and consensus are taken in, and the level of its tree; None for the deepest rated."""

    facet: str
    level: str | None


class Study(Value):
    """A study's settings.

    Attributes:
        study: title and source.
        groups: projects by group, e.g. ``framework = ["pytorch"]``.
        ratings: files of ratings.
        annotation: how units are labelled here; None where nothing is.
        keywords: keyword lists.
        intervals: confidence level.
        seed: seed of everything that is drawn.
    """

    study: About
    groups: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    ratings: tuple[RatingsSource, ...] = ()
    annotation: Annotation | None = None
    keywords: KeywordLists | None = None
    intervals: Intervals = Intervals()
    seed: int = 20250613

    @model_validator(mode="after")
    def _is_sound(self) -> Study:
        counts = Counter(project for members in self.groups.values() for project in members)
        repeated = [project for project, count in counts.items() if count > 1]
        if repeated:
            raise ValueError(f"projects in more than one group: {', '.join(repeated)}")
        if not self.ratings and self.annotation is None:
            raise ValueError("a study needs [[ratings]] or [annotation]")
        facets = {source.facet for source in self.ratings}
        if len(facets) > 1:
            raise ValueError(f"ratings of several facets are not read yet: {', '.join(sorted(facets))}")
        return self

    @property
    def rated(self) -> Rated:
        """What was rated: the facet of the rating files, else the last one that is asked in the workbench."""
        if self.ratings:
            return Rated(self.ratings[0].facet, self.ratings[0].level)
        return Rated(self.annotation.facets[-1] if self.annotation is not None else "theme", None)
