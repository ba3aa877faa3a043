"""Gitee's API, version 5.

Facts that the code stands on: a number is text in which case counts (``I1DACG``) and says nothing of other numbers;
the list of issues has no pull requests; times carry ``+08:00``; the total stands in the header ``total_count``; limits
have no headers, only 429; some endpoints ignore ``page`` and repeat the first for ever; the history of an issue is
below the owner, not the repository.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Literal
from urllib.parse import urlsplit

from issuebook.sources.trackers.api import Listing, Repository, Signature, count, objects
from issuebook.sources.trackers.exchange import Request
from issuebook.sources.trackers.rest import RestApi
from issuebook.sources.trackers.rows import Comment, Event, Item, Label, Payload, Thread, utc

_ROOT = re.compile(r"(/repos/[^/]+/[^/]+)(?:/|$)")


class GiteeApi(RestApi):
    """Gitee's API as requests and rows."""

    name: Literal["gitee"] = "gitee"
    base_url = "https://gitee.com/api/v5"
    numbered = False
    signed_by: ClassVar[Signature] = "query"

    def listing(self, listing: Listing, root: str, since: str | None, per_page: int) -> Request:
        """Return the request for the first page of a list, in the order of last changes."""
        path, order = f"{root}/issues", [("state", "all"), ("sort", "updated_at")]
        if listing == "comments":
            path, order = f"{root}/issues/comments", [("sort", "updated")]
        query = [*order, ("direction", "asc"), ("per_page", str(per_page)), ("page", "1")]
        return Request(path, (*query, *([("since", since)] if since else [])))

    def labels(self, root: str) -> Request:
        """Return the request for all labels; this list has no pages."""
        return Request(f"{root}/labels")

    def thread(self, thread: Thread, root: str, number: str) -> Request:
        """Return the request for the first page of what hangs on one report."""
        if thread == "comments":
            return Request(f"{root}/issues/{number}/comments", (("per_page", "100"), ("page", "1"), ("order", "asc")))
        _, _, owner, name = root.split("/")
        return Request(f"/repos/{owner}/issues/{number}/operate_logs", (("repo", name), ("sort", "asc")))

    def total(self, root: str, repository: Repository) -> Request:
        """Return the request whose header tells the number of reports."""
        return Request(f"{root}/issues", (("state", "all"), ("per_page", "1"), ("page", "1")))

    def newest(self, root: str) -> Request | None:
        """Return None: a number says nothing of other numbers."""
        return None

    def next(self, request: Request, headers: Mapping[str, str], value: object) -> str | None:
        """Return the target with the next page number, after a full page of a list that has pages."""
        query = dict(request.query)
        if "page" not in query or len(objects(value)) < int(query["per_page"]):
            return None
        return Request(request.path, tuple((query | {"page": str(int(query["page"]) + 1)}).items())).target

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
            archived=value.get("status") in ("关闭", "closed") or bool(value.get("archived")),
            has_issues=value.get("has_issues") is not False,
        )

    def read_total(self, value: object, headers: Mapping[str, str]) -> int | None:
        """Return the header's count."""
        told = headers.get("total_count", "")
        return int(told) if told.isdigit() else None

    def read_item(self, value: Payload) -> Item:
        """Return a report."""
        return Item(
            number=str(value["number"]),
            id=str(value["id"]),
            updated_at=utc(value["updated_at"]),
            pull_request=False,
            comments=count(value.get("comments")),
            payload=value,
        )

    def read_comment(self, value: Payload, number: str | None) -> Comment:
        """Return a comment; what it is about stands in its ``target``."""
        about = number if number is not None else str(value["target"]["issue"]["number"])
        changed = value.get("updated_at") or value["created_at"]
        return Comment(str(value["id"]), about, utc(changed), value)

    def read_event(self, value: Payload, number: str) -> Event:
        """Return an entry of a report's history."""
        return Event(str(value["id"]), number, value)

    def read_label(self, value: Payload) -> Label:
        """Return a label."""
        return Label(str(value["name"]), value)
