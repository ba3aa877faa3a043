"""GitHub's REST API, version 2022-11-28, also of GitHub Enterprise.

Facts that the code stands on: the list of issues holds pull requests; ``state`` is ``open`` unless asked otherwise;
``since`` goes by the last change, includes its second, and answers nothing at all to 1970; page numbers are refused
beyond an offset, the ``after`` cursor comes only by ``Link``, and there is no ``rel="last"``; numbers are shared with
pull requests and discussions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Literal
from urllib.parse import urlsplit

from issuebook.sources.trackers.api import Listing, Repository, count
from issuebook.sources.trackers.exchange import Request, next_target
from issuebook.sources.trackers.rest import RestApi
from issuebook.sources.trackers.rows import Comment, Event, Item, Label, Payload, Thread, utc

_ROOT = re.compile(r"(/repositories/[0-9]+|/repos/[^/]+/[^/]+)(?:/|$)")
_THREADS: Mapping[Thread, str] = {"comments": "comments", "events": "events"}


class GitHubApi(RestApi):
    """GitHub's REST API as requests and rows."""

    name: Literal["github"] = "github"
    base_url = "https://api.github.com"
    numbered = True
    hourly = 60
    headers: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"}
    )

    def listing(self, listing: Listing, root: str, since: str | None, per_page: int) -> Request:
        """Return the request for the first page of a list, in the order of last changes."""
        path, states = (f"{root}/issues", [("state", "all")])
        if listing == "comments":
            path, states = f"{root}/issues/comments", []
        order = [("sort", "updated"), ("direction", "asc"), ("per_page", str(per_page))]
        return Request(path, (*states, *order, *([("since", since)] if since else [])))

    def labels(self, root: str) -> Request:
        """Return the request for the first page of all labels."""
        return Request(f"{root}/labels", (("per_page", "100"),))

    def thread(self, thread: Thread, root: str, number: str) -> Request:
        """Return the request for the first page of what hangs on one report."""
        return Request(f"{root}/issues/{number}/{_THREADS[thread]}", (("per_page", "100"),))

    def total(self, root: str, repository: Repository) -> Request:
        """Return the search whose count is the number of reports."""
        return Request("/search/issues", (("q", f"repo:{repository.name} is:issue"), ("per_page", "1")))

    def total_pulls(self, repository: Repository) -> Request | None:
        """Return the search whose count is the number of pull requests."""
        return Request("/search/issues", (("q", f"repo:{repository.name} is:pr"), ("per_page", "1")))

    def newest(self, root: str) -> Request | None:
        """Return the request for the newest report or pull request."""
        order = (("state", "all"), ("sort", "created"), ("direction", "desc"), ("per_page", "1"))
        return Request(f"{root}/issues", order)

    def next(self, request: Request, headers: Mapping[str, str], value: object) -> str | None:
        """Return the target of the page that ``Link`` calls next."""
        return next_target(headers.get("link", ""))

    def moved_root(self, location: str) -> str | None:
        """Return the root inside the address that a redirect names, or None when there is none."""
        found = _ROOT.search(urlsplit(location).path)
        return found[1] if found else None

    def read_repository(self, value: Payload) -> Repository:
        """Return what a repository's object says."""
        return Repository(
            id=str(value["id"]),
            name=str(value["full_name"]),
            private=bool(value.get("private")),
            archived=bool(value.get("archived")),
            has_issues=value.get("has_issues") is not False,
        )

    def read_total(self, value: object, headers: Mapping[str, str]) -> int | None:
        """Return the search's count, or None when it was cut short."""
        if not isinstance(value, dict) or value.get("incomplete_results") or "total_count" not in value:
            return None
        return count(value["total_count"])

    def read_item(self, value: Payload) -> Item:
        """Return a report or pull request."""
        return Item(
            number=str(int(value["number"])),
            id=str(value["id"]),
            updated_at=utc(value["updated_at"]),
            pull_request=value.get("pull_request") is not None,
            comments=count(value.get("comments")),
            payload=value,
        )

    def read_comment(self, value: Payload, number: str | None) -> Comment:
        """Return a comment; what it is about stands in its ``issue_url``."""
        about = number if number is not None else str(value["issue_url"]).rpartition("/")[2]
        changed = value.get("updated_at") or value["created_at"]
        return Comment(str(value["id"]), about, utc(changed), value)

    def read_event(self, value: Payload, number: str) -> Event:
        """Return an event of a report."""
        return Event(str(value["id"]), number, value)

    def read_label(self, value: Payload) -> Label:
        """Return a label."""
        return Label(str(value["name"]), value)
