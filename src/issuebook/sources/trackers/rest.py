"""What trackers with a REST API have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from issuebook.sources.trackers.api import Repository, Signature, objects
from issuebook.sources.trackers.exchange import Answer, NoAnswer, Request
from issuebook.sources.trackers.rows import Payload
from issuebook.sources.trackers.task import Task
from issuebook.sources.trackers.verdict import Verdict, classify_rest
from issuebook.sources.trackers.walk import Place


class RestApi:
    """The part of ``TrackerApi`` that is the same for lists of objects behind GET requests."""

    per_page: ClassVar[int] = 100
    narrowest: ClassVar[int] = 10
    lists_comments: ClassVar[bool] = True
    hourly: ClassVar[int | None] = None
    resource: ClassVar[str] = "core"
    needs_token: ClassVar[bool] = False
    disabled: ClassVar[str] = "the repository has no issue tracker: issues are disabled"
    signed_by: ClassVar[Signature] = "authorization"
    headers: ClassVar[Mapping[str, str]] = MappingProxyType({"accept": "application/json"})

    def root(self, project: str) -> str:
        """Return the path that everything of a repository is below."""
        return f"/repos/{project}"

    def roots(self, repository: Repository) -> Sequence[str]:
        """Return all paths that lead to a repository."""
        return [f"/repositories/{repository.id}", self.root(repository.name)]

    def repository(self, root: str) -> Request:
        """Return the request for the repository itself."""
        return Request(root)

    def item(self, root: str, number: str) -> Request:
        """Return the request for one report or pull request."""
        return Request(f"{root}/issues/{number}")

    def document(self, request: Request) -> bytes | None:
        """Return None: a request is its address."""
        return None

    def total_pulls(self, repository: Repository) -> Request | None:
        """Return None: reports have their numbers for themselves."""
        return None

    def place(self, root: str, after: str | None) -> Request | None:
        """Return None: an entry has no place but its time, which others may share."""
        return None

    def read_place(self, value: object) -> Place | None:
        """Return None."""
        return None

    def cursors(self, value: object) -> Sequence[str] | None:
        """Return None: lists are walked by the time of the last change."""
        return None

    def verdict(self, answer: Answer | NoAnswer, asked: Task, now: float) -> Verdict:
        """Return what an answer means."""
        return classify_rest(answer, asked.expected, now)

    def objects(self, asked: Task, value: object) -> Sequence[Payload]:
        """Return the objects of an answer that hold rows: those of a list, or the one that was asked for."""
        return objects([value] if asked.kind == "item" else value)
