"""Reports through keyword lists: where each keyword stands, in which region, and the environment reports describe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from issuebook.schemas import ENVIRONMENTS, HITS, check
from issuebook.screening.funnel import HitReport, place_hits
from issuebook.screening.keywords import Keyword, KeywordList
from issuebook.screening.matcher import Matcher
from issuebook.text.environment import environment
from issuebook.text.regions import Span, regions
from issuebook.text.templates import TemplateLines

NO_TEMPLATES = TemplateLines({})
READ_COLUMNS = ("id", "project", "created_at", "title", "body")
"""The columns of ``schemas.REPORTS`` that screening reads."""
CREATED = pl.col("created_at").dt.to_string("iso:strict").fill_null("")
"""When a report was written, as template lines know it."""


class Listed(NamedTuple):
    """A keyword and the name of the list that it stands in."""

    list: str
    keyword: Keyword


class Screened(NamedTuple):
    """What was found in some reports: ``schemas.HITS`` and ``schemas.ENVIRONMENTS``, and how many they were."""

    hits: pl.DataFrame
    environments: pl.DataFrame
    reports: int


class Screener:
    """Keyword lists, and which of them screens which project. Can be sent to another process.

    Args:
        lists: with names that differ.
        projects: for each list that screens certain projects only, their names; a list that is not named here
            screens every project. A name is ``owner/name`` or the part after the slash, in any case.
        counting: the regions whose hits count; None counts all.
    """

    def __init__(
        self,
        lists: Sequence[KeywordList],
        projects: Mapping[str, Sequence[str]] | None = None,
        counting: frozenset[str] | None = None,
    ) -> None:
        self.lists = tuple(one.distinct() for one in lists)
        self.projects = {name: frozenset(map(str.lower, members)) for name, members in (projects or {}).items()}
        self.counting = counting
        self._matchers: dict[tuple[str, ...], tuple[tuple[Listed, ...], Matcher]] = {}

    def __reduce__(self) -> tuple[type[Screener], tuple[object, ...]]:
        return (Screener, (self.lists, self.projects, self.counting))

    def lists_for(self, project: str) -> tuple[KeywordList, ...]:
        """Return the lists that screen a project."""
        names = {project.lower(), project.lower().rpartition("/")[2]}
        return tuple(one for one in self.lists if one.name not in self.projects or names & self.projects[one.name])

    def screen(
        self, reports: pl.DataFrame, templates: TemplateLines = NO_TEMPLATES, *, environments: bool = False
    ) -> Screened:
        """Return the hits and environments of reports, in the order of the reports.

        Args:
            reports: the columns ``READ_COLUMNS`` of ``schemas.REPORTS``.
            templates: lines of issue forms.
            environments: also read the environment of every report; otherwise that table is empty.
        """
        named = reports.with_columns(pl.col("project").fill_null("")).with_row_index("place")
        parts = [
            self._screen_project(project, part, templates, environments)
            for (project,), part in named.partition_by("project", as_dict=True).items()
        ]
        return Screened(
            _in_order([part.hits for part in parts], HITS),
            _in_order([part.environments for part in parts], ENVIRONMENTS),
            reports.height,
        )

    def _screen_project(
        self, project: str, reports: pl.DataFrame, templates: TemplateLines, environments: bool
    ) -> Screened:
        listed, matcher = self._matcher(self.lists_for(project))
        created = reports.select(CREATED).to_series().to_list()
        framework = project.rpartition("/")[2].lower()
        found: list[HitReport] = []
        described: list[dict[str, object]] = []
        rows = zip(reports["title"].to_list(), reports["body"].to_list(), created, strict=True)
        for row, (title, body, time) in enumerate(rows):
            hits = matcher.screen(title, body)
            spans = regions(body, templates.at(project, time)) if body and (environments or hits.body) else []
            if hits.title or hits.body:
                found.append(HitReport(row, title, body, hits, spans))
            if environments:
                described.append(_described(body or "", spans, framework))
        return Screened(
            self._hits(place_hits(matcher, found), reports, listed),
            _environments(described, reports if environments else reports.clear()),
            reports.height,
        )

    def _matcher(self, lists: Sequence[KeywordList]) -> tuple[tuple[Listed, ...], Matcher]:
        names = tuple(one.name for one in lists)
        if names not in self._matchers:
            listed = tuple(Listed(one.name, keyword) for one in lists for keyword in one.keyword)
            self._matchers[names] = listed, Matcher([one.keyword for one in listed])
        return self._matchers[names]

    def _hits(self, placed: pl.DataFrame, reports: pl.DataFrame, listed: Sequence[Listed]) -> pl.DataFrame:
        if self.counting is not None:
            placed = placed.filter(pl.col("region").is_in(self.counting))
        names = pl.Series([one.list for one in listed], dtype=pl.String)
        texts = pl.Series([one.keyword.text for one in listed], dtype=pl.String)
        hits = placed.with_columns(
            reports["place"].gather(placed["row"]),
            reports["id"].gather(placed["row"]).alias("id"),
            reports["project"].gather(placed["row"]).alias("project"),
            names.gather(placed["keyword"]).alias("list"),
            texts.gather(placed["keyword"]).alias("keyword"),
        )
        return hits.select("place", *HITS.names())


def _in_order(parts: Sequence[pl.DataFrame], schema: pl.Schema) -> pl.DataFrame:
    """Return the rows of all parts by ``place``, which is left out; those of one place stay as they stand."""
    if not parts:
        return pl.DataFrame(schema=schema)
    return check(pl.concat(parts).sort("place", maintain_order=True).drop("place"), schema)


def _described(body: str, spans: Sequence[Span], framework: str) -> dict[str, object]:
    told = environment(body, spans, framework).as_dict()
    told["gpus"] = list(told["gpus"])
    told["packages"] = [{"name": name, "version": version} for name, version in told["packages"].items()]
    return told


def _environments(described: Sequence[Mapping[str, object]], reports: pl.DataFrame) -> pl.DataFrame:
    columns = {name: [row[name] for row in described] for name in ENVIRONMENTS if name not in ("id", "project")}
    own = [pl.Series(name, columns[name], ENVIRONMENTS[name]) for name in columns]
    return reports.select("place", "id", "project").with_columns(own).select("place", *ENVIRONMENTS.names())
