"""The stage that compares the groups of units that the study names."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence

import polars as pl
from pydantic import TypeAdapter

from issuebook.app.code_trees import codes_under
from issuebook.app.compare_ratings import CodeScope, compare_ratings
from issuebook.app.consensus import CONSENSUS
from issuebook.app.rating_matrices import tree
from issuebook.app.rating_sets import Columns, read_rating_set
from issuebook.app.services import Services
from issuebook.app.stages import Stage, content_hash, saved_hashes
from issuebook.app.study_files import STUDY, StudyFiles
from issuebook.errors import Fault, StudyError, UserError
from issuebook.model.codebook import Facet
from issuebook.model.study import PlannedComparison, Study, UnitSelection
from issuebook.model.validation import nearest
from issuebook.report.compared_groups import ComparedGroups, compared_groups
from issuebook.stats.comparison.compare import Comparison, ComparisonSettings, compare
from issuebook.stats.comparison.counts import CodeCounts, from_labels

Read = Callable[[str], Mapping[str, bytes]]

COMPARISONS = "comparisons.json"
COMPARED = TypeAdapter(tuple[ComparedGroups, ...])


def comparison_stage(services: Services, files: StudyFiles) -> Stage:
    """Return the stage: the consensus of each row -> the comparisons that the study names."""
    facet = files.codebook.facet(files.study.rated[0].facet)

    def reads() -> Mapping[str, str]:
        hashes = {
            name: content_hash(content) for each in _patterns(files.study) for name, content in read(each).items()
        }
        return hashes | saved_hashes(services.workspace, CONSENSUS)

    def read(pattern: str) -> Mapping[str, bytes]:
        return {name: services.workspace.read(name) for name in services.workspace.find(pattern)}

    def settings() -> object:
        planned = [each.model_dump(mode="json") for each in files.study.comparison]
        return {
            "tree": tree(facet),
            "comparison": planned,
            "level": files.study.intervals.level,
            "seed": files.study.seed,
        }

    def wrote() -> Mapping[str, str]:
        return saved_hashes(services.workspace, COMPARISONS)

    def work() -> None:
        saved = services.workspace.load(CONSENSUS)
        if saved is None:
            return
        found = compare_all(pl.read_parquet(io.BytesIO(saved)), facet, files.study, read)
        services.workspace.save(COMPARISONS, COMPARED.dump_json(found, indent=1))

    return Stage("comparison", reads, settings, wrote, work)


def compare_all(units: pl.DataFrame, facet: Facet, study: Study, read: Read) -> tuple[ComparedGroups, ...]:
    """Return every comparison that a study names.

    Args:
        units: the consensus of each row: columns project, group, code.
        facet: the facet rated.
        study: the comparisons, with the level and the seed of the study.
        read: returns the content of the files that match a pattern, by name.

    Raises:
        StudyError: a selection names what the data do not have, or holds no unit; all such faults at once.
    """
    faults: list[Fault] = []
    found = []
    for position, planned in enumerate(study.comparison):
        where = f"{STUDY}: comparison[{position}] ({planned.id})"
        unknown = [fault for side in ("a", "b") for fault in _unknown(getattr(planned, side), units, f"{where}.{side}")]
        faults += unknown
        if unknown:
            continue
        try:
            compared = _compared_files(planned, facet, study, read) if planned.a.files else None
            found.append(compared or _compared(planned, units, facet, study))
        except UserError as error:
            faults += [Fault(where, f"{fault.where}: {fault.what}", fault.remedy) for fault in error.faults]
    if faults:
        raise StudyError(faults)
    return tuple(found)


def _compared(planned: PlannedComparison, units: pl.DataFrame, facet: Facet, study: Study) -> ComparedGroups:
    codes, lifted = _codes(planned, units["code"].drop_nulls().unique().to_list(), facet)
    coded = units.with_columns(pl.col("code").replace_strict(lifted, default=None, return_dtype=pl.String))
    coded = coded.filter(pl.col("code").is_in(list(codes)))
    a, b = (_counts(each, coded, codes, planned.clusters == "project") for each in (planned.a, planned.b))
    notes = tuple(note for side in (planned.a, planned.b) if (note := _without_code(side, units)))
    return _told(planned, compare(a, b, _settings(planned, study)), notes)


def _compared_files(planned: PlannedComparison, facet: Facet, study: Study, read: Read) -> ComparedGroups:
    sides = []
    for side in (planned.a, planned.b):
        columns = Columns(annotators=(side.column,))
        sides.append((side.name, read_rating_set(read(side.files or ""), columns, facet)))
    scope = CodeScope(facet, planned.within)
    clustered = planned.clusters == "project"
    found = compare_ratings(sides[0], sides[1], scope, _settings(planned, study), clustered=clustered)
    notes = tuple(
        f"{left.undecided + left.outside:,} units of {name} have no code that is compared and are left out."
        for (name, _), left in zip(sides, found.left_out, strict=True)
        if left.undecided + left.outside
    )
    return _told(planned, found.comparison, notes)


def _settings(planned: PlannedComparison, study: Study) -> ComparisonSettings:
    return ComparisonSettings(
        level=planned.level or study.intervals.level,
        margin=planned.margin,
        distance_margin=planned.distance_margin,
        seed=study.seed,
    )


def _told(planned: PlannedComparison, found: Comparison, notes: tuple[str, ...]) -> ComparedGroups:
    title = planned.title or f"{planned.a.name} and {planned.b.name}"
    return compared_groups(planned.id, title, planned.within or "", found, notes)


def _patterns(study: Study) -> list[str]:
    sides = (side for planned in study.comparison for side in (planned.a, planned.b))
    return [side.files for side in sides if side.files is not None]


def _without_code(selection: UnitSelection, units: pl.DataFrame) -> str:
    rows = units.filter(_selected(selection) & pl.col("code").is_null()).height
    return f"{rows:,} units of {selection.name} have no consensus and are left out." if rows else ""


def _codes(planned: PlannedComparison, used: Sequence[str], facet: Facet) -> tuple[tuple[str, ...], dict[str, str]]:
    """The codes compared, and which of them each code of the facet counts as."""
    deepest = max((facet.nodes[code].depth for code in used), default=0)
    depth = facet.depth_of(planned.at) if planned.at is not None else deepest
    lifted = {code: facet.ancestor(code, depth) for code in facet.nodes}
    given = {lifted[code] for code in used}
    codes = tuple(code for code, node in facet.nodes.items() if node.depth == depth or code in given)
    return (codes if planned.within is None else codes_under(planned.within, codes, facet)), lifted


def _counts(selection: UnitSelection, coded: pl.DataFrame, codes: tuple[str, ...], clustered: bool) -> CodeCounts:
    chosen = coded.filter(_selected(selection))
    clusters = chosen["project"].to_list() if clustered else None
    return from_labels(selection.name, codes, chosen["code"].to_list(), clusters)


def _selected(selection: UnitSelection) -> pl.Expr:
    if selection.group is not None:
        return pl.col("group") == selection.group
    return pl.col("project").is_in([selection.project] if selection.project is not None else list(selection.projects))


def _unknown(selection: UnitSelection, units: pl.DataFrame, where: str) -> list[Fault]:
    if selection.files is not None:
        return []
    kind = "group" if selection.group is not None else "project"
    named = [selection.group or selection.project] if not selection.projects else list(selection.projects)
    known = sorted(units[kind].drop_nulls().unique())
    return [
        Fault(where, f"no {kind} {name!r} among the ratings.", nearest(str(name), known))
        for name in named
        if name not in known
    ]
