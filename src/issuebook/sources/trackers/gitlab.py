"""GitLab's REST API, version 4, also of GitLab on a host of its own.

Facts that the code stands on: a project is named by its whole path in one segment, ``group%2Fsub%2Fname``, or by its
id, to which a renamed one redirects; ``iid`` is a report's number in its project, from 1 and apart from those of merge
requests; ``updated_after`` includes its time; ``X-Total`` lacks above 10,000, and ``Link`` names the host that the
server believes it has; there is no list of all comments; a note with ``system`` is the tracker's own and tells an
event; a report that was moved stays behind closed, with ``moved_to_id``; what is confidential, deleted or never given
is 404.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal
from urllib.parse import parse_qsl, quote, urlsplit

from issuebook.sources.trackers.api import Listing, Repository, Signature, count, objects
from issuebook.sources.trackers.exchange import Request, next_target
from issuebook.sources.trackers.rest import RestApi
from issuebook.sources.trackers.rows import Comment, Event, Item, Label, Payload, Thread, utc
from issuebook.sources.trackers.task import Task

_ROOT = re.compile(r"(/projects/[^/]+)(?:/|$)")
_HISTORY = ("notes", "resource_label_events", "resource_state_events", "resource_milestone_events")
"""The lists that hold what happened to a report, read one after the other."""
_WIDEST = ("per_page", "100")


class GitLabApi(RestApi):
    """GitLab's REST API as requests and rows."""

    name: Literal["gitlab"] = "gitlab"
    base_url = "https://gitlab.com/api/v4"
    numbered = True
    lists_comments = False
    signed_by: ClassVar[Signature] = "private-token"

    def root(self, project: str) -> str:
        """Return the path that everything of a project is below."""
        return f"/projects/{quote(project, safe='')}"

    def roots(self, repository: Repository) -> Sequence[str]:
        """Return both paths that lead to a project."""
        return [f"/projects/{repository.id}", self.root(repository.name)]

    def listing(self, listing: Listing, root: str, since: str | None, per_page: int) -> Request:
        """Return the request for the first page of all reports, in the order of last changes."""
        order = (("order_by", "updated_at"), ("sort", "asc"), ("per_page", str(per_page)), ("page", "1"))
        after = (("updated_after", since),) if since else ()
        return Request(f"{root}/issues", (("scope", "all"), ("state", "all"), *order, *after))

    def labels(self, root: str) -> Request:
        """Return the request for the first page of all labels, with those of the groups above."""
        return Request(f"{root}/labels", (_WIDEST,))

    def thread(self, thread: Thread, root: str, number: str) -> Request:
        """Return the request for the first page of a report's notes, which hold comments and events alike."""
        shown = "only_comments" if thread == "comments" else "only_activity"
        order = (("order_by", "created_at"), ("sort", "asc"), _WIDEST, ("page", "1"))
        return Request(f"{root}/issues/{number}/notes", (("activity_filter", shown), *order))

    def total(self, root: str, repository: Repository) -> Request:
        """Return the request for the number of reports."""
        return Request(f"{root}/issues_statistics", (("scope", "all"),))

    def newest(self, root: str) -> Request | None:
        """Return the request for the newest report."""
        order = (("order_by", "created_at"), ("sort", "desc"), ("per_page", "1"))
        return Request(f"{root}/issues", (("scope", "all"), ("state", "all"), *order))

    def objects(self, asked: Task, value: object) -> Sequence[Payload]:
        """Return the objects of an answer; of notes either the comments or the tracker's own, as the thread wants."""
        found = super().objects(asked, value)
        if asked.kind != "thread" or not urlsplit(asked.target).path.endswith("/notes"):
            return found
        return [one for one in found if bool(one.get("system")) == (asked.thread == "events")]

    def next(self, request: Request, headers: Mapping[str, str], value: object) -> str | None:
        """Return the target of the next page, and after the last one of notes about events that of the next list.

        Only the query of a ``Link`` is used: its host and path need not be those that we came by.
        """
        link, number = next_target(headers.get("link", "")), headers.get("x-next-page")
        query = dict(request.query)
        if link is not None:
            query = {name: text for name, text in parse_qsl(urlsplit(link).query) if name != "id"}
        elif number is not None and number.isdigit():
            query |= {"page": number}
        elif number is None and "link" not in headers and len(objects(value)) >= int(query.get("per_page", "100")):
            query |= {"page": str(int(query.get("page", "1")) + 1)}  # a proxy that takes headers away
        else:
            return _next_list(request)
        return Request(request.path, tuple(query.items())).target

    def moved_root(self, location: str) -> str | None:
        """Return the root inside the address that a redirect names, or None when there is none."""
        found = _ROOT.search(urlsplit(location).path)
        return found[1] if found else None

    def read_repository(self, value: Payload) -> Repository:
        """Return what a project's object says; without a token it says less."""
        closed = value.get("issues_enabled") is False or value.get("issues_access_level") == "disabled"
        return Repository(
            id=str(value["id"]),
            name=str(value["path_with_namespace"]),
            private=value.get("visibility", "public") != "public",
            archived=bool(value.get("archived")),
            has_issues=not closed,
        )

    def read_total(self, value: object, headers: Mapping[str, str]) -> int | None:
        """Return the count of reports in every state, or None when there is none."""
        for name in ("statistics", "counts"):
            value = value.get(name) if isinstance(value, dict) else None
        return count(value["all"]) if isinstance(value, dict) and "all" in value else None

    def read_item(self, value: Payload) -> Item:
        """Return a report; one that was moved away is still shown, closed."""
        moved_to = value.get("moved_to_id")
        return Item(
            number=str(int(value["iid"])),
            id=str(value["id"]),
            updated_at=utc(value["updated_at"]),
            pull_request=False,
            comments=count(value.get("user_notes_count")),
            payload=value,
            moved_to=None if moved_to is None else f"issue {moved_to}",
        )

    def read_comment(self, value: Payload, number: str | None) -> Comment:
        """Return a comment."""
        about = number if number is not None else str(value["noteable_iid"])
        return Comment(str(value["id"]), about, utc(value.get("updated_at") or value["created_at"]), value)

    def read_event(self, value: Payload, number: str) -> Event:
        """Return a note of the tracker's own, or an event of a label, state or milestone; each list has its own ids."""
        kind = next((kind for kind in ("label", "milestone", "state") if kind in value), "note")
        return Event(f"{kind}-{value['id']}", number, value)

    def read_label(self, value: Payload) -> Label:
        """Return a label."""
        return Label(str(value["name"]), value)


def _next_list(request: Request) -> str | None:
    """Return the first page of the list of events after the one that was read to its end, or None."""
    above, _, last = request.path.rpartition("/")
    if last not in _HISTORY or dict(request.query).get("activity_filter") == "only_comments":
        return None
    place = _HISTORY.index(last) + 1
    return Request(f"{above}/{_HISTORY[place]}", (_WIDEST,)).target if place < len(_HISTORY) else None
