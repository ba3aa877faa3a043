"""GitHub's discussions, by its GraphQL API: REST does not give them.

Facts that the code stands on: there is no ``since``; without a token nothing is answered; a renamed repository answers
to its old name; a discussion that was moved or deleted is not found, and which of the two is not told; numbers are
shared with reports and pull requests; a reply hangs on a comment, and each comment has pages of its own; an author may
be null. Fields are asked for under the names that REST gives them, so that a discussion reads like a report.

A request is data like any other: its query names what is asked for and the variables, and ``document`` makes of it what
is sent. So an answer is filed under what was asked, not under how.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from issuebook.sources.trackers.api import Listing, Repository, Signature, count, objects
from issuebook.sources.trackers.exchange import Answer, NoAnswer, Request, request_to
from issuebook.sources.trackers.github_queries import QUERIES
from issuebook.sources.trackers.graphql import classify_graphql
from issuebook.sources.trackers.rows import Comment, Event, Item, Label, Payload, Thread, utc
from issuebook.sources.trackers.task import Task
from issuebook.sources.trackers.verdict import Verdict
from issuebook.sources.trackers.walk import Place

_PATH = "/graphql"
_THREAD_PAGE = "50"
_NUMBERS = ("first", "number")
_LISTS = {"categories": "discussionCategories", "discussions": "discussions"}


class DiscussionsApi:
    """GitHub's discussions as requests and rows; the root of a repository is its name."""

    name: Literal["discussions"] = "discussions"
    base_url = "https://api.github.com"
    per_page = 100
    narrowest = 1
    numbered = False
    lists_comments = False
    needs_token = True
    hourly: int | None = None
    resource = "graphql"
    disabled = "the repository has no discussions: they are disabled"
    signed_by: ClassVar[Signature] = "authorization"
    headers: Mapping[str, str] = MappingProxyType({"accept": "application/json", "content-type": "application/json"})

    def root(self, project: str) -> str:
        """Return what everything of a repository is asked for by."""
        return project

    def roots(self, repository: Repository) -> Sequence[str]:
        """Return the name."""
        return [repository.name]

    def document(self, request: Request) -> bytes:
        """Return what is sent for a request: the text of the query and its variables."""
        given: dict[str, object] = dict(request.query)
        ask = str(given.pop("ask"))
        if "project" in given:
            given["owner"], _, given["name"] = str(given.pop("project")).partition("/")
        text = QUERIES[ask]
        variables = {key: int(str(one)) if key in _NUMBERS else one for key, one in given.items() if f"${key}:" in text}
        return json.dumps({"query": text, "operationName": ask, "variables": variables}).encode()

    def repository(self, root: str) -> Request:
        """Return the request for the repository itself."""
        return _request("repository", project=root)

    def listing(self, listing: Listing, root: str, since: str | None, per_page: int) -> Request:
        """Return the request for the discussions behind a cursor, the one changed longest ago first."""
        return _request("discussions", project=root, first=str(per_page), after=since)

    def labels(self, root: str) -> Request:
        """Return the request for all categories, of which a repository has 25 at most."""
        return _request("categories", project=root)

    def item(self, root: str, number: str) -> Request:
        """Return the request for one discussion."""
        return _request("discussion", project=root, number=number)

    def thread(self, thread: Thread, root: str, number: str) -> Request:
        """Return the request for the first page of a discussion's comments, each with its first replies."""
        return _request("comments", project=root, number=number, first=_THREAD_PAGE)

    def total(self, root: str, repository: Repository) -> Request:
        """Return the request for the number of discussions."""
        return _request("total", project=root)

    def total_pulls(self, repository: Repository) -> Request | None:
        """Return None: the list holds discussions only."""
        return None

    def place(self, root: str, after: str | None) -> Request | None:
        """Return the request for what the tracker needs to name a discussion, and for nothing that it may fail on."""
        return _request("place", project=root, after=after)

    def newest(self, root: str) -> Request | None:
        """Return None: numbers are shared with reports and pull requests."""
        return None

    def moved_root(self, location: str) -> str | None:
        """Return None: there are no redirects."""
        return None

    def verdict(self, answer: Answer | NoAnswer, asked: Task, now: float) -> Verdict:
        """Return what an answer means."""
        return classify_graphql(answer, now)

    def objects(self, asked: Task, value: object) -> Sequence[Payload]:
        """Return the objects of an answer that hold rows; of comments with their replies, each by itself."""
        request = request_to(asked.target)
        found = _inside(value, request)
        if asked.kind == "issues":
            return [edge["node"] for edge in objects(found.get("edges")) if isinstance(edge.get("node"), dict)]
        if asked.kind == "item":
            return objects([found])
        if asked.kind != "thread":
            return objects(found.get("nodes"))
        if dict(request.query)["ask"] == "replies":
            return [_reply(one, dict(request.query)["comment"]) for one in objects(found.get("nodes"))]
        return list(_apart(objects(found.get("nodes"))))

    def cursors(self, value: object) -> Sequence[str] | None:
        """Return the cursors of a page of discussions, in order."""
        edges = _below(value, "repository", "discussions").get("edges")
        return [str(edge["cursor"]) for edge in objects(edges) if isinstance(edge.get("node"), dict)]

    def next(self, request: Request, headers: Mapping[str, str], value: object) -> str | None:
        """Return the target of the page after this one: more replies to the same comment, to others, more comments.

        What is left to read is part of the target: replies to others in ``queue``, the next comments in ``then``.
        """
        given, found = dict(request.query), _inside(value, request)
        onward = _cursor(found)
        if given["ask"] == "discussions":
            return _request(**given | {"after": onward}).target if onward else None
        if given["ask"] == "comments":
            queue = [(one["id"], cursor) for one in objects(found.get("nodes")) if (cursor := _cursor(one["replies"]))]
            return _left(given["project"], given["number"], queue, onward)
        if given["ask"] == "replies":
            queue = [tuple(one) for one in json.loads(given["queue"])]
            queue = [(given["comment"], onward), *queue] if onward else queue
            return _left(given["project"], given["number"], queue, given.get("then"))
        return None

    def read_repository(self, value: Payload) -> Repository:
        """Return what a repository's object says."""
        found = _below(value, "repository")
        return Repository(
            id=str(found["id"]),
            name=str(found["full_name"]),
            private=bool(found.get("private")),
            archived=bool(found.get("archived")),
            has_issues=found.get("has_discussions") is not False,
        )

    def read_total(self, value: object, headers: Mapping[str, str]) -> int | None:
        """Return the count of discussions."""
        found = _below(value, "repository", "discussions")
        return count(found["totalCount"]) if "totalCount" in found else None

    def read_place(self, value: object) -> Place | None:
        """Return the place of a discussion, or None when the list names none."""
        found = _below(value, "repository", "discussions")
        try:
            edge = objects(found["edges"])[0]
            node = edge["node"]
            entry = (str(node["id"]), utc(node["updated_at"]))
            return Place(number=str(int(node["number"])), entry=entry, cursor=str(edge["cursor"]), next=_cursor(found))
        except (LookupError, ValueError, TypeError):
            return None

    def read_item(self, value: Payload) -> Item:
        """Return a discussion; it counts the comments that are no replies."""
        return Item(
            number=str(int(value["number"])),
            id=str(value["id"]),
            updated_at=utc(value["updated_at"]),
            pull_request=False,
            comments=count(value["comments"]["totalCount"]),
            payload=value,
        )

    def read_comment(self, value: Payload, number: str | None) -> Comment:
        """Return a comment, which counts its replies, or a reply, which names what it replies to."""
        if number is None:
            raise ValueError("a comment that belongs to no discussion")
        parent, replies = value.get("reply_to"), value.get("replies")
        return Comment(
            id=str(value["id"]),
            number=number,
            updated_at=utc(value.get("updated_at") or value["created_at"]),
            payload=value,
            parent=str(parent["id"]) if isinstance(parent, dict) else None,
            replies=count(replies["totalCount"]) if isinstance(replies, dict) else 0,
        )

    def read_event(self, value: Payload, number: str) -> Event:
        """Return an event, of which discussions show none."""
        return Event(str(value["id"]), number, value)

    def read_label(self, value: Payload) -> Label:
        """Return a category."""
        return Label(str(value["name"]), value)


def _request(ask: str, **given: str | None) -> Request:
    kept = tuple((key, one) for key, one in given.items() if one is not None)
    return Request(_PATH, (("ask", ask), *kept))


def _left(project: str, number: str, queue: Sequence[Sequence[str]], then: str | None) -> str | None:
    """Return the target of what is left to read of a discussion: the first page of replies, else of comments."""
    if queue:
        (comment, after), *rest = queue
        waiting = json.dumps(rest)
        asked = {"project": project, "number": number, "comment": comment, "after": after}
        return _request("replies", **asked, queue=waiting, then=then).target
    if then is None:
        return None
    return _request("comments", project=project, number=number, first=_THREAD_PAGE, after=then).target


def _below(value: object, *path: str) -> Mapping[str, Any]:
    """Return the object at a path inside the data of an answer, or an empty one."""
    for key in ("data", *path):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _inside(value: object, request: Request) -> Mapping[str, Any]:
    """Return the list, or the one object, that a request asked for."""
    ask = dict(request.query)["ask"]
    if ask == "replies":
        return _below(value, "node", "replies")
    if ask in ("discussion", "comments"):
        return _below(value, "repository", "discussion", *(["comments"] if ask == "comments" else []))
    return _below(value, "repository", _LISTS.get(ask, ask))


def _cursor(connection: Mapping[str, Any]) -> str | None:
    """Return the cursor of the page after this one, or None when it was the last."""
    told = connection.get("pageInfo") or {}
    return str(told["endCursor"]) if told.get("hasNextPage") and told.get("endCursor") else None


def _apart(comments: Sequence[Payload]) -> Iterator[Payload]:
    """Yield each comment, without its replies but with their number, and each of its replies."""
    for comment in comments:
        replies = comment.get("replies") or {}
        yield {**comment, "replies": {"totalCount": replies.get("totalCount", 0)}}
        for reply in objects(replies.get("nodes")):
            yield _reply(reply, comment.get("id"))


def _reply(reply: Payload, comment: object) -> Payload:
    return reply if reply.get("reply_to") else {**reply, "reply_to": {"id": comment}}
