"""Downloads of what was rated, for the coordinator."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from tempfile import SpooledTemporaryFile
from typing import IO

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from issuebook.app.annotate.export_labels import Wanted, export_labels
from issuebook.exchange.formats import Format
from issuebook.exchange.parcel import Written, chunks_of
from issuebook.web.access import Coordinator
from issuebook.web.site import site_of

router = APIRouter()

IN_MEMORY = 1 << 20
"""Bytes of a download that are kept in memory; what is longer goes to a temporary file, which is gone afterwards."""


@router.get("/rounds/export")
def export(request: Request, caller: Coordinator, format: Format = "csv", round: str = "") -> StreamingResponse:  # noqa: A002
    """Return a file of labels: of one round, or of all; a format of several files comes as an archive of them.

    It is written before the first byte is sent, so that what cannot be written is told as a fault. A coordinator who
    labels in an open blind round is refused.
    """
    with ExitStack() as files:

        def scratch() -> IO[bytes]:
            return files.enter_context(SpooledTemporaryFile(IN_MEMORY))

        written = export_labels(site_of(request).bench, caller.person, Wanted(format, round or None, scratch=scratch))
        (ending, file), *others = written.files.items()
        if others:
            ending, file = ".zip", _packed(written, scratch())
        length = file.seek(0, 2)
        headers = {"content-disposition": f'attachment; filename="labels{ending}"', "content-length": str(length)}
        sent = _sent(file, files.pop_all())
    return StreamingResponse(sent, media_type="application/octet-stream", headers=headers)


def _packed(written: Written, packed: IO[bytes]) -> IO[bytes]:
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for ending in written.files:
            with archive.open(f"labels{ending}", "w", force_zip64=True) as file:
                for part in written.chunks(ending):
                    file.write(part)
    return packed


def _sent(file: IO[bytes], files: ExitStack) -> Iterator[bytes]:
    with files:
        yield from chunks_of(file)
