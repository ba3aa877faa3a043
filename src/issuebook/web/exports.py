"""Downloads of what was rated, for the coordinator."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from fastapi import APIRouter, Request, Response

from issuebook.app.annotate.export_labels import Wanted, export_labels
from issuebook.exchange.formats import Format
from issuebook.web.access import Coordinator
from issuebook.web.site import site_of

router = APIRouter()


@router.get("/rounds/export")
def export(request: Request, caller: Coordinator, format: Format = "csv", round: str = "") -> Response:  # noqa: A002
    """Return a file of labels: of one round, or of all; a format of several files comes as an archive of them.

    A coordinator who labels in an open blind round is refused.
    """
    written = export_labels(site_of(request).bench, caller.person, Wanted(format, round or None))
    (ending, content), *others = written.files.items()
    if others:
        ending, content = ".zip", _packed(written.files)
    headers = {"content-disposition": f'attachment; filename="labels{ending}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


def _packed(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for ending, content in files.items():
            archive.writestr(f"labels{ending}", content)
    return buffer.getvalue()
