"""From the files of a study to its values: settings, codebook, claims. All faults of all files come in one error."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import yaml

from issuebook.app.ports import Workspace
from issuebook.errors import Fault, InputError, StudyError, UserError
from issuebook.model.annotation import Annotation
from issuebook.model.archive_source import Archive, Archives
from issuebook.model.claim import Claim, Claims
from issuebook.model.codebook import Codebook, Facet
from issuebook.model.study import PlannedComparison, RatedFacet, ReportsSource, Study
from issuebook.model.tracker_source import Sources, TrackerSource
from issuebook.model.validation import nearest, validate
from issuebook.report.expressions import check, parse
from issuebook.report.quantities import QUANTITIES

STUDY, CODEBOOK, CLAIMS = "study.toml", "codebook.yaml", "claims.toml"
COLLECTED = "data/collected/*.jsonl.gz"
"""Where reports are that ``issuebook collect`` exports."""
FIRST_LEVELS = ("code", "sub-code")
"""Levels of a facet that begins without a codebook; the edit ``define-facet`` gives them other names."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StudyFiles:
    """A study as its files describe it.

    Attributes:
        study: its settings.
        codebook: the released codebook.
        claims: what a manuscript states.
        unrated: facets that nobody has rated yet, as far as a run has looked.
    """

    study: Study
    codebook: Codebook
    claims: tuple[Claim, ...]
    unrated: frozenset[str] = frozenset()

    @property
    def rated(self) -> tuple[RatedFacet, ...]:
        """The facets of which there are ratings."""
        return tuple(source for source in self.study.rated if source.facet not in self.unrated)

    @property
    def is_rated(self) -> bool:
        """Whether there are ratings of the facet that the report is about."""
        return self.study.rated[0].facet not in self.unrated


def load_study(workspace: Workspace) -> StudyFiles:
    """Return the study that a folder holds. Only study.toml must be there; with rating files codebook.yaml must, too.

    Raises:
        StudyError: with every fault of every file.
        InputError: a file is missing.
    """
    faults: list[Fault] = []
    study = _gather(faults, lambda: validate(Study, read_toml(workspace.study_file(STUDY), STUDY), STUDY))
    codebook = None
    if study is not None or workspace.has_study_file(CODEBOOK):
        codebook = _gather(faults, lambda: released_codebook(workspace, study))
    claims: tuple[Claim, ...] | None = ()
    if workspace.has_study_file(CLAIMS):
        claims = _gather(faults, lambda: read_claims(workspace.study_file(CLAIMS), CLAIMS))
    if study is not None and codebook is not None:
        study = _completed(study, codebook)
        faults += _mismatches(study, codebook)
    if faults or study is None or codebook is None or claims is None:
        raise StudyError(faults)
    return StudyFiles(study, codebook, claims)


def released_codebook(workspace: Workspace, study: Study | None = None) -> Codebook:
    """Return what codebook.yaml says; where a study begins and has none, the facets that it asks for, without codes.

    Raises:
        StudyError: the file is not valid, or study.toml is not where the facets must be read from it.
        InputError: the file is missing although the study has files of ratings, whose codes it must define.
    """
    if workspace.has_study_file(CODEBOOK):
        return read_codebook(workspace.study_file(CODEBOOK), CODEBOOK)
    told = study or validate(Study, read_toml(workspace.study_file(STUDY), STUDY), STUDY)
    if told.ratings:
        hint = "Write the codes that the ratings give: name, and facets with an id and codes."
        raise InputError(Fault(CODEBOOK, "it is missing, and [[ratings]] need its codes.", hint))
    asked = (told.annotation or Annotation()).facets
    facets = tuple(Facet(id=name, levels=FIRST_LEVELS) for name in asked)
    return Codebook(name=told.study.title, version="0", facets=facets)


def _completed(study: Study, codebook: Codebook) -> Study:
    """Return a study with what goes without saying: where collected reports are, and that it is labelled here."""
    said: dict[str, object] = {}
    if study.reports is None and (study.sources or study.archives):
        said["reports"] = ReportsSource(files=COLLECTED, optional=True)
    if study.annotation is None and not study.ratings:
        said["annotation"] = Annotation(facets=(codebook.facets[0].id,), per_unit=1)
    return study.model_copy(update=said)


def read_sources(text: str) -> tuple[TrackerSource, ...]:
    """Return the repositories that a study's settings name, at least one unless it reads an archive instead.

    Raises:
        StudyError: with every fault of this part; nothing else is looked at.
    """
    settings = read_toml(text, STUDY)
    if "sources" not in settings and settings.get("archives"):
        return ()
    return validate(Sources, {"sources": settings.get("sources", [])}, STUDY).sources


def read_archives(text: str) -> tuple[Archive, ...]:
    """Return the hours of GH Archive that a study's settings name; nothing else in them is looked at.

    Raises:
        StudyError: with every fault of this part.
    """
    return validate(Archives, {"archives": read_toml(text, STUDY).get("archives", [])}, STUDY).archives


def read_codebook(text: str, file: str) -> Codebook:
    """Return the codebook that a YAML text describes; every scalar is text, so ``1.10`` and ``no`` stay as written.

    Raises:
        StudyError: the text is not YAML, has a key twice, or is not a codebook.
    """
    try:
        data = yaml.load(text, Loader=_TextLoader)  # noqa: S506 - the loader makes only texts, lists and mappings
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{file}, line {mark.line + 1}" if mark else file
        raise StudyError(Fault(where, f"not valid YAML: {getattr(error, 'problem', None) or error}.")) from None
    if not isinstance(data, dict):
        raise StudyError(Fault(file, "this is not a mapping.", "Begin with the keys 'name' and 'facets'."))
    return validate(Codebook, data, file)


def read_claims(text: str, file: str) -> tuple[Claim, ...]:
    """Return the claims that a TOML text states; expressions are parsed and their arguments checked.

    Raises:
        StudyError: with every fault of the file.
    """
    claims = validate(Claims, read_toml(text, file), file).claim
    faults: list[Fault] = []
    for position, claim in enumerate(claims):
        for key, expression in [("expr", claim.expr), *((f"beside[{i}]", text) for i, text in enumerate(claim.beside))]:
            if expression:
                where = f"{file}: claim[{position}].{key} ({claim.id})"
                _gather(faults, lambda e=expression, w=where: check(parse(e, w), QUANTITIES, w))  # type: ignore[misc]
    if faults:
        raise StudyError(faults)
    return claims


def read_toml(text: str, file: str) -> dict[str, Any]:
    """Return a TOML text as a mapping.

    Raises:
        StudyError: the text is not TOML; the parser's line is named.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(Fault(file, f"not valid TOML: {error}.")) from None


def _gather(faults: list[Fault], read: Callable[[], T]) -> T | None:
    try:
        return read()
    except UserError as error:
        faults.extend(error.faults)
    return None


def _mismatches(study: Study, codebook: Codebook) -> list[Fault]:
    facets = [facet.id for facet in codebook.facets]
    faults = _unknown_facets(study, facets)
    for position, source in enumerate(study.ratings):
        where = f"{STUDY}: ratings[{position}]"
        if source.facet not in facets:
            faults.append(
                Fault(f"{where}.facet", f"the codebook has no facet {source.facet!r}.", nearest(source.facet, facets))
            )
        elif not codebook.facet(source.facet).codes:
            what = f"the codebook's facet {source.facet!r} has no codes, and ratings give some."
            faults.append(Fault(f"{where}.facet", what, f"Write them into {CODEBOOK}."))
        elif source.level is not None and source.level not in codebook.facet(source.facet).levels:
            levels = list(codebook.facet(source.facet).levels)
            faults.append(
                Fault(f"{where}.level", f"the facet has no level {source.level!r}.", nearest(source.level, levels))
            )
    if not faults:
        facet = codebook.facet(study.rated[0].facet)
        for position, planned in enumerate(study.comparison):
            faults += _comparison_mismatches(planned, facet, f"{STUDY}: comparison[{position}]")
    return faults


def _comparison_mismatches(planned: PlannedComparison, facet: Facet, where: str) -> list[Fault]:
    faults = []
    if planned.within is not None and planned.within not in facet.nodes:
        near = nearest(planned.within, list(facet.nodes))
        faults.append(Fault(f"{where}.within", f"the facet has no code {planned.within!r}.", near))
    if planned.at is not None and planned.at not in facet.levels:
        near = nearest(planned.at, list(facet.levels))
        faults.append(Fault(f"{where}.at", f"the facet has no level {planned.at!r}.", near))
    return faults


def _unknown_facets(study: Study, facets: list[str]) -> list[Fault]:
    if study.annotation is None:
        return []
    asked = [("annotation.facets", facet) for facet in study.annotation.facets]
    asked += [
        (f"annotation.rounds[{position}].facets", facet)
        for position, plan in enumerate(study.annotation.rounds)
        for facet in plan.facets
    ]
    return [
        Fault(f"{STUDY}: {key}", f"the codebook has no facet {facet!r}.", nearest(facet, facets))
        for key, facet in asked
        if facet not in facets
    ]


class _TextLoader(yaml.CSafeLoader):
    """YAML with every scalar as text and no key twice."""


def _mapping(loader: _TextLoader, node: yaml.MappingNode) -> Mapping[str, object]:
    loader.flatten_mapping(node)
    result: dict[str, object] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str) or key in result:
            problem = f"key {key!r} stands twice" if key in result else f"key {key!r} is not text"
            raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
        result[key] = loader.construct_object(value_node, deep=True)
    return result


def _scalar(loader: _TextLoader, node: yaml.ScalarNode) -> str:
    return str(loader.construct_scalar(node))


_TextLoader.add_constructor("tag:yaml.org,2002:map", _mapping)
for _kind in ("str", "int", "float", "bool", "null", "timestamp"):
    _TextLoader.add_constructor(f"tag:yaml.org,2002:{_kind}", _scalar)
