"""The stage that reads files of ratings into the database."""

from __future__ import annotations

import json
from collections.abc import Mapping

from issuebook.annotation.rating_files import gather
from issuebook.app.ports import FileRead, RatingBatch, Workspace
from issuebook.app.services import Services
from issuebook.app.stages import Stage, content_hash
from issuebook.app.study_files import StudyFiles
from issuebook.errors import Fault, InputError
from issuebook.model.rating_layout import RatingLayout
from issuebook.model.study import RatingsSource
from issuebook.sources.tabular import read_tables


def import_stage(services: Services, files: StudyFiles) -> Stage:
    """Return the stage: files of ratings -> a batch of events in the database."""
    source = files.study.ratings[0]
    codes = tuple(files.codebook.facet(source.facet).nodes)
    contents: dict[str, bytes] = {}

    def read() -> dict[str, bytes]:
        if not contents:
            contents.update(_contents(services.workspace, source))
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

    return Stage("import", reads, settings, wrote, work)


def _contents(workspace: Workspace, source: RatingsSource) -> dict[str, bytes]:
    names = workspace.find(source.files)
    if not names:
        hint = "Say where the data are with --data, or correct 'files' in study.toml."
        raise InputError(Fault(f"study.toml: ratings[0].files = {source.files!r}", "no file matches.", hint))
    return {name: workspace.read(name) for name in names}


def _batch(contents: Mapping[str, bytes], source: RatingsSource, codes: tuple[str, ...], key: str) -> RatingBatch:
    layout = RatingLayout(**{**source.model_dump(include=set(RatingLayout.model_fields)), "codes": codes})
    tables = read_tables(contents.items(), source.sheet)
    read = tuple(FileRead(table.source, content_hash(contents[table.source]), table.read) for table in tables)
    return RatingBatch(key=key, facet=source.facet, ratings=gather(tables, layout), files=read)
