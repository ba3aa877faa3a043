"""Where units come from: files of reports, the study's corpus, or the items of imported ratings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from issuebook.app.report_parts import Request, report_parts
from issuebook.errors import Fault, InputError
from issuebook.model.annotation import Annotation
from issuebook.model.field_mapping import FieldMapping
from issuebook.model.study import Study
from issuebook.model.unit import KeywordHit, Unit
from issuebook.screening.keywords import KeywordList, parse_keyword_list, union
from issuebook.screening.matcher import Matcher

if TYPE_CHECKING:
    from issuebook.app.annotate.workbench import AnnotationServices

CORPUS = "data/reports.parquet"
"""The study's corpus, where study.toml names no files of units."""

IMPORTED = "imported ratings"


def add_units(services: AnnotationServices, study: Study, settings: Annotation) -> None:
    """Add the units of every file whose content is new; units that are gone from a file stay, as do their ratings.

    Raises:
        InputError: a file cannot be read, or study.toml names files and there are none.
    """
    names = services.workspace.find(settings.units or CORPUS)
    lists = _keywords(services, study)
    if settings.units and not names:
        hint = "Say where the data are with --data, or correct 'units'."
        raise InputError(Fault(f"study.toml: annotation.units = {settings.units!r}", "no file matches.", hint))
    for name in names:
        sha256 = _sha256(services, name, lists)
        if services.units.source(name) != sha256:
            services.units.add(name, sha256, _units_of_file(services, name, lists))
    if not names:
        _add_rated(services, study)


def require_units(services: AnnotationServices, study: Study) -> None:
    """Let a workbench pass that has a unit.

    Raises:
        InputError: it has none; the text says where units come from.
    """
    if not services.units.projects():
        hint = f"Put reports into {CORPUS} (issuebook import), or name files with 'units' under [annotation]."
        if study.ratings:
            hint = f"{hint} Or run the study first: what its rating files rate is then there by name."
        raise InputError(Fault("study.toml: annotation", "there is nothing to label.", hint))


def _add_rated(services: AnnotationServices, study: Study) -> None:
    """Add the items of imported ratings, of which only name and project are known."""
    for facet in dict.fromkeys(source.facet for source in study.ratings):
        batch = services.imported.present(facet)
        if batch is None or services.units.source(f"{IMPORTED}: {facet}") == batch.key:
            continue
        items = batch.ratings.items.unique("unit", maintain_order=True).select("unit", "project").iter_rows()
        units = (
            Unit(id=unit, title=unit, project=project or "", url=unit if "://" in unit else "")
            for unit, project in items
        )
        services.units.add(f"{IMPORTED}: {facet}", batch.key, units)


def _keywords(services: AnnotationServices, study: Study) -> KeywordList:
    """Return the keywords of all lists of the study, each once."""
    names = services.workspace.find(study.keywords.files) if study.keywords is not None else []
    texts = {name: services.workspace.read(name).decode("utf-8-sig", "replace") for name in names}
    return union([parse_keyword_list(text, name) for name, text in texts.items()], "all").distinct()


def _hits(matcher: Matcher, title: str, body: str) -> tuple[KeywordHit, ...]:
    found = matcher.screen(title, body)
    texts = (("title", title, found.title), ("body", body, found.body))
    return tuple(
        KeywordHit(matcher.keywords[one.keyword].text, field, one.start, one.end)
        for field, text, keywords in texts
        for one in matcher.locate(text, keywords)
    )


def _units_of_file(services: AnnotationServices, name: str, lists: KeywordList) -> Iterator[Unit]:
    matcher = Matcher(lists.keyword)
    request = Request((name,), FieldMapping(identity="text"))
    for part in report_parts(request, services.files, services.progress):
        for row in part.reports.kept.iter_rows(named=True):
            yield _unit(row, matcher)


def _unit(row: dict[str, Any], matcher: Matcher) -> Unit:
    created = row["created_at"]
    return Unit(
        id=row["id"],
        title=row["title"] or "",
        body=row["body"] or "",
        project=row["project"] or "",
        url=row["url"] or "",
        labels=tuple(label for label in row["labels"] or () if label),
        state=row["state"] or "",
        created_at=created.isoformat() if created is not None else "",
        comments=row["comments"],
        hits=_hits(matcher, row["title"] or "", row["body"] or ""),
    )


def _sha256(services: AnnotationServices, name: str, lists: KeywordList) -> str:
    """Return the hash of a file and of the keywords: when either changes, units are read again."""
    digest = hashlib.sha256(lists.model_dump_json().encode())
    for chunk in services.files.chunks(name):
        digest.update(chunk)
    return digest.hexdigest()
