"""What a failed request is answered with: a page for people, JSON for the page's script."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.exceptions import HTTPException

from issuebook.errors import ChoiceError, EditError, Fault, NotFoundError, NotPermittedError, SignInError, UserError
from issuebook.web.access import SAFE_METHODS, Caller
from issuebook.web.frame import page
from issuebook.web.guard import HEADERS

_STATUS: dict[type[UserError], int] = {
    SignInError: 401,
    NotPermittedError: 403,
    NotFoundError: 404,
    ChoiceError: 422,
    EditError: 422,
}
_HEADINGS = {401: "Please sign in", 403: "Not permitted", 404: "Not found", 422: "This cannot be written down"}

_BUG = "could not answer this, and that is a fault of the program, not yours. What was saved before is safe."
_AFTER_BUG = (
    "Go back and try once more. If it happens again, tell the coordinator: the terminal in which issuebook annotate "
    "runs says what went wrong."
)


@dataclass(frozen=True, slots=True)
class FaultPage:
    """What is wrong, and what to do next."""

    heading: str
    faults: tuple[str, ...]


def user_error(request: Request, error: Exception) -> Response:
    """Return the answer to a request that a use case refused; who must sign in is led there."""
    if not isinstance(error, UserError):
        raise error
    # anything else is no fault of the request, such as a full disk: the same request may do later
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 503)
    if status == 401 and request.method in SAFE_METHODS and not _is_script(request):
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/sign-in?next={quote(target)}", 303)
    return _answer(request, status, error.faults)


def http_error(request: Request, error: Exception) -> Response:
    """Return the answer to a request for what is not there or cannot be asked so."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    return _answer(
        request, status, (Fault(request.url.path, f"{_HEADINGS.get(status, 'cannot be asked so').lower()}."),)
    )


def validation_error(request: Request, error: Exception) -> Response:
    """Return the answer to a request whose fields are missing or not what they should be; values are not repeated."""
    found = error.errors() if isinstance(error, RequestValidationError) else ()
    faults = tuple(Fault(".".join(str(part) for part in item["loc"][1:]), f"{item['msg']}.") for item in found)
    return _answer(request, 422, faults)


def server_error(request: Request, _: Exception) -> Response:
    """Return the answer to a request that met a bug: what to do, and nothing of the bug, which is told to the terminal.

    It is made outside of the guard, so that it brings the headers along that the guard gives to all others.
    """
    answer = _answer(request, 500, (Fault("issuebook", _BUG, _AFTER_BUG),))
    answer.headers.update({**HEADERS, "cache-control": "no-store"})
    return answer


def _is_script(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _answer(request: Request, status: int, faults: tuple[Fault, ...]) -> Response:
    if _is_script(request):
        return JSONResponse({"faults": [_told(fault) for fault in faults]}, status)
    nobody = Caller("", "", frozenset(), "")
    heading = _HEADINGS.get(status, "This did not work")
    return page(request, nobody, "fault.html.j2", FaultPage(heading, tuple(_told(fault) for fault in faults)), status)


def _told(fault: Fault) -> str:
    return str(fault)
