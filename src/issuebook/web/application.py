"""The app: the site with all its routes, behind the guard."""

from __future__ import annotations

import hashlib
from importlib import resources
from typing import Final

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from issuebook.app.annotate.workbench import Workbench
from issuebook.errors import UserError
from issuebook.report import palette
from issuebook.web import (
    adjudication,
    codebook,
    codebook_code,
    codebook_edit,
    codebook_history,
    codebook_worklist,
    dashboard,
    exports,
    finding,
    labelling,
    people,
    proposals,
    rounds,
    signing_in,
)
from issuebook.web.access import anybody
from issuebook.web.faults import http_error, server_error, user_error, validation_error
from issuebook.web.guard import Guard
from issuebook.web.site import SiteSettings, make_site

_TYPES: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_ROUTERS: Final = (
    signing_in.router,
    labelling.router,
    adjudication.router,
    dashboard.router,
    rounds.router,
    exports.router,
    people.router,
    codebook.router,
    codebook_code.router,
    codebook_edit.router,
    codebook_history.router,
    codebook_worklist.router,
    proposals.router,
    finding.router,
)


def create_app(bench: Workbench, settings: SiteSettings) -> FastAPI:
    """Return the app that serves a workbench."""
    app = FastAPI(title="issuebook", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.site = make_site(bench, settings)
    app.add_middleware(Guard, names=settings.names)
    app.add_exception_handler(UserError, user_error)
    app.add_exception_handler(RequestValidationError, validation_error)
    app.add_exception_handler(HTTPException, http_error)
    app.add_exception_handler(Exception, server_error)
    for router in (*_ROUTERS, _static_router(_static_files())):
        app.router.routes.extend(router.routes)  # one flat table, which a test walks
    return app


def _static_files() -> dict[str, bytes]:
    """Return every file of the static folder by name, and the colours, which the report declares, too."""
    folder = resources.files("issuebook.web").joinpath("static")
    files = {file.name: file.read_bytes() for file in folder.iterdir() if file.name.rpartition(".")[2] in _TYPES}
    return {**files, "palette.css": palette.css().encode()}


def _static_router(files: dict[str, bytes]) -> APIRouter:
    router = APIRouter()
    tags = {name: f'"{hashlib.sha256(content).hexdigest()[:32]}"' for name, content in files.items()}

    @router.get("/static/{name}", dependencies=[Depends(anybody)])
    def static(request: Request, name: str) -> Response:
        """Return a file; the browser asks each time whether it changed."""
        if name not in files:
            raise HTTPException(404)
        headers = {"etag": tags[name], "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == tags[name]:
            return Response(status_code=304, headers=headers)
        return Response(files[name], media_type=_TYPES[name.rpartition(".")[2]], headers=headers)

    return router
