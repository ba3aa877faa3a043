"""Everything that can be wrong with a codebook: in its texts, against the ratings, and in texts that use its names."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from issuebook.annotation.ratings import Ratings
from issuebook.app.codebook import changed_by_hand, facet_in, history_of
from issuebook.app.consensus import consensus
from issuebook.app.migrated_ratings import made_under, migrated
from issuebook.app.rating_matrices import matrix_at_depth, rated_depth
from issuebook.app.services import Services
from issuebook.app.study_files import CLAIMS, CODEBOOK, load_study
from issuebook.codebook.balance import check_balance
from issuebook.codebook.code_ids import ids_in, shape
from issuebook.codebook.criteria import check_criteria, check_examples
from issuebook.codebook.edits import Merge, Split
from issuebook.codebook.finding import Finding
from issuebook.codebook.history import History
from issuebook.codebook.migrate import counts
from issuebook.codebook.names import Names, check_names, check_other_names
from issuebook.model.codebook import Facet
from issuebook.model.study import Study
from issuebook.stats.confusable import Confusable, confusable, pairs_on_units
from issuebook.stats.saturation import Saturation, saturation

BATCHES = 10
"""Reports are taken in so many batches, in the order in which they were read."""


@dataclass(frozen=True, slots=True)
class CodebookCheck:
    """What a check found.

    Attributes:
        findings: what is wrong, and what is worth a look.
        reports: saturation over batches of reports; None without ratings.
        interviews: saturation over interviews; None without an interview table.
    """

    findings: tuple[Finding, ...]
    reports: Saturation | None
    interviews: Saturation | None

    @property
    def fails(self) -> bool:
        """Whether any check fails."""
        return any(finding.fails for finding in self.findings)


def check_codebook(
    services: Services, facet: str | None, texts: Mapping[str, str], interviews: Mapping[str, str]
) -> CodebookCheck:
    """Check the newest state of a facet.

    Args:
        services: the study.
        facet: id of the facet; None takes the rated one.
        texts: texts that use the names of the codebook, by file name; claims.toml is always among them.
        interviews: interview tables (CSV), by file name: a row an interview or a segment, its first column names the
            participant, and the ids of codes stand in any column.

    Raises:
        UserError: a file of the study is not as it must be, or there is no such facet.
    """
    study = load_study(services.workspace).study
    history = history_of(services)
    tree = facet_in(history.head, facet or study.rated[0].facet)
    batch = services.ratings.present(tree.id)
    ratings = None
    if batch is not None:
        source = next((each for each in study.rated if each.facet == tree.id), None)
        steps = history.steps(made_under(history, source), len(history.entries))
        ratings = migrated(batch.ratings, steps, tree)
    if services.workspace.has_study_file(CLAIMS):
        texts = {CLAIMS: services.workspace.study_file(CLAIMS), **texts}
    findings = [
        *_by_hand(services, history),
        *facet_findings(history, tree, study, ratings, {**texts, **interviews}),
    ]
    reports = _over_reports(ratings, tree) if ratings is not None else None
    over = saturation(_interviewed(interviews, tree), 1) if interviews else None
    return CodebookCheck(tuple(findings), reports, over)


def facet_findings(
    history: History, facet: Facet, study: Study, ratings: Ratings | None, texts: Mapping[str, str]
) -> list[Finding]:
    """Return what is wrong with a facet: in its own texts, against ratings of it, and in texts that use its names.

    Args:
        history: where the facet comes from; it knows former names.
        facet: the facet in its newest state.
        study: the study.
        ratings: ratings under that state; None when there are none.
        texts: texts by file name.
    """
    findings = [*check_criteria(facet), *check_other_names(facet)]
    if ratings is None:
        remedy = "Run: issuebook run STUDY"
        findings.append(Finding("ratings", facet.id, "no ratings: examples and counts are not checked.", remedy, False))
    else:
        findings += _against_ratings(ratings, facet, study)
    names = _names(history, facet, study)
    for file, text in texts.items():
        findings += check_names(text, file, names)
    return findings


def _by_hand(services: Services, history: History) -> list[Finding]:
    if not changed_by_hand(services, history):
        return []
    remedy = f"Take it in: issuebook codebook import STUDY {CODEBOOK}"
    return [Finding("file", CODEBOOK, "it was changed by hand since it was released.", remedy)]


def _against_ratings(ratings: Ratings, facet: Facet, study: Study) -> list[Finding]:
    level = next((source.level for source in study.rated if source.facet == facet.id), None)
    depth = rated_depth(ratings, facet, level)
    rows = consensus(ratings, facet, facet.levels[depth], study.groups)
    codes_of: dict[str, frozenset[str]] = {}
    for unit, code in rows.select("unit", "code").iter_rows():
        codes_of[unit] = codes_of.get(unit, frozenset()) | ({code} if code else frozenset())
    agreed = rows.drop_nulls("code").select("item", pl.lit("").alias("annotator"), "code")
    units = dict(counts(agreed, facet).select("code", "units").iter_rows())
    pairs = _confusable(ratings, facet, depth)
    return [
        *check_examples(facet, codes_of, depth),
        *check_balance(facet, units, depth),
        *(
            Finding(
                "confusable",
                f"{pair.first}, {pair.second}",
                f"both on {pair.units:,} units, where their margins give {pair.expected:,.1f}.",
                "Sharpen what sends a unit to which.",
                fails=False,
            )
            for pair in pairs
        ),
    ]


def _confusable(ratings: Ratings, facet: Facet, depth: int) -> list[Confusable]:
    """Return pairs of siblings: disputes mostly stay below one code, so that all pairs there would stand out of all."""
    found: list[Confusable] = []
    for level in range(depth + 1):
        matrix = matrix_at_depth(ratings, facet, level)
        together = pairs_on_units(matrix)
        parents = [node.code.codes for node in facet.walk() if node.depth == level - 1] if level else [facet.codes]
        for siblings in parents:
            found += confusable(matrix, among=[code.id for code in siblings], together=together)
    return found


def _over_reports(ratings: Ratings, facet: Facet) -> Saturation:
    """Return saturation over the reports in the order in which they were read, by the codes that annotators gave."""
    given = ratings.ratings.filter(pl.col("code").is_in(list(facet.nodes)))
    units = given.group_by("item").agg("code").sort("item")["code"].to_list()
    return saturation([set(codes) for codes in units], max(1, -(-len(units) // BATCHES)))


def _interviewed(tables: Mapping[str, str], facet: Facet) -> list[set[str]]:
    shapes = {shape(code) for code in facet.nodes}
    met: dict[tuple[str, str], set[str]] = {}
    for file, text in tables.items():
        for participant, *cells in list(csv.reader(io.StringIO(text)))[1:]:
            named = {match[0] for cell in cells for match in ids_in(cell, shapes)}
            met.setdefault((file, participant), set()).update(named)
    return list(met.values())


def _names(history: History, facet: Facet, study: Study) -> Names:
    former: dict[str, str] = {}
    gone: dict[str, str] = {}
    for number in sorted(set(history.versions.values())):
        old = next((each for each in history.at(number).facets if each.id == facet.id), None)
        for code, node in old.nodes.items() if old else ():
            former[node.code.name] = code
            if code not in facet.nodes:
                gone[code] = "is no longer in the tree"
    for edit in history.in_force(len(history.entries)):
        if isinstance(edit, Merge) and edit.facet == facet.id:
            gone[edit.code] = f"was merged into {edit.into}"
        elif isinstance(edit, Split) and edit.facet == facet.id and not edit.keep:
            gone[edit.code] = f"was split into {', '.join(part.code.id for part in edit.parts)}"
    projects = tuple(project for members in study.groups.values() for project in members)
    return Names(facet, projects, former, gone)
