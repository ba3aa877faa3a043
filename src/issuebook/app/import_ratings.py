"""The stage that reads files of ratings into the database."""

from __future__ import annotations

import json
from collections.abc import Mapping

from issuebook.annotation.rating_files import gather
from issuebook.app.migrated_ratings import codes_of
from issuebook.app.ports import FileRead, RatingBatch, Workspace
from issuebook.app.services import Services
from issuebook.app.stages import Stage, content_hash
from issuebook.app.study_files import StudyFiles
from issuebook.errors import Fault, InputError
from issuebook.model.rating_layout import RatingLayout
from issuebook.model.study import RatedFacet, RatingsSource
from issuebook.sources.tabular import read_tables


def import_stage(services: Services, files: StudyFiles, source: RatingsSource) -> Stage:
    """Return the stage: files of ratings of one facet -> a batch of events in the database."""
    position = files.study.ratings.index(source)
    codes = codes_of(services, source, files.codebook.facet(source.facet))
    contents: dict[str, bytes] = {}

    def read() -> dict[str, bytes]:
        if not contents:
            contents.update(_contents(services.workspace, source, position))
        return contents

    def reads() -> Mapping[str, str]:
        return {name: content_hash(content) for name, content in read().items()}

    def settings() -> object:
        return {"ratings": source.model_dump(mode="json"), "codes": codes}

    def key() -> str:
        return content_hash(json.dumps([dict(reads()), settings()]).encode())

    def wrote() -> Mapping[str, str]:
        return {"issuebook.db": key()} if services.ratings.holds(key()) else {}

    def work() -> None:
        services.ratings.replace_imported(_batch(read(), source, codes, key()))

    return Stage(stage_name("import", position, source), reads, settings, wrote, work)


def stage_name(work: str, position: int, source: RatedFacet) -> str:
    """Return the name of a stage on the ratings of a facet: its work alone for the facet that the report is about."""
    return f"{work} {source.facet}" if position else work


def _contents(workspace: Workspace, source: RatingsSource, position: int) -> dict[str, bytes]:
    names = workspace.find(source.files)
    if not names:
        hint = "Say where the data are with --data, or correct 'files' in study.toml."
        raise InputError(Fault(f"study.toml: ratings[{position}].files = {source.files!r}", "no file matches.", hint))
    return {name: workspace.read(name) for name in names}


def _batch(contents: Mapping[str, bytes], source: RatingsSource, codes: tuple[str, ...], key: str) -> RatingBatch:
    layout = RatingLayout(**{**source.model_dump(include=set(RatingLayout.model_fields)), "codes": codes})
    tables = read_tables(contents.items(), source.sheet)
    read = tuple(FileRead(table.source, content_hash(contents[table.source]), table.read) for table in tables)
    return RatingBatch(key=key, facet=source.facet, ratings=gather(tables, layout), files=read)
