"""GitHub's GraphQL API as far as discussions go: cursors, errors inside a 200, replies that hang on comments."""

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.trackers.fake import Call, FakeTracker, Response
from tests.trackers.world import Entry, Remark, utc_text

CATEGORIES = ("Q&A", "Ideas", "Show and tell")


def actor(login: str | None) -> dict[str, Any] | None:
    return None if login is None else {"login": login, "type": "Bot" if login.endswith("[bot]") else "User"}


def failed(kind: str | None, message: str, data: object = None, path: Sequence[str] = ("repository",)) -> Response:
    """Return a 200 that holds an error, and perhaps a part of the data."""
    error: dict[str, Any] = {"message": message, "path": list(path)} | ({"type": kind} if kind else {})
    return Response.of({"data": data, "errors": [error]})


class FakeDiscussions(FakeTracker):
    """Serves a world as GitHub's GraphQL would: each entry a discussion, every third remark a reply to the first.

    Attributes:
        counting: cursors are numbers of entries, which every edit moves, instead of places.
        widest: more entries than this in a page are too much for the tracker.
        reply_page: most replies that a page holds.
        fails_on: numbers of discussions that every page with one of them fails on.
    """

    api = "discussions"
    numbered = False
    counting = False
    widest: int | None = None
    reply_page = 100
    fails_on: frozenset[int] = frozenset()

    def answer(self, call: Call) -> Response:
        if call.path != "/graphql":
            return Response.of({"message": "Not Found"}, 404)
        if call.token is None:
            return Response.of({"message": "This endpoint requires you to be authenticated."}, 401)
        ask, given = call.query["ask"], call.query
        if ask == "replies":
            return self._replies(given)
        if f"{given['owner']}/{given['name']}" not in (self.world.name, *self.old_names):
            return failed("NOT_FOUND", "Could not resolve to a Repository.", {"repository": None})
        answers: dict[str, Callable[[dict[str, str]], dict[str, Any] | Response]] = {
            "repository": lambda _: self._repository(),
            "categories": lambda _: {"discussionCategories": {"nodes": [self._category(i) for i in range(3)]}},
            "total": lambda _: {"discussions": {"totalCount": len(self.world.entries)}},
            "discussions": self._page,
            "place": lambda given: self._page(given | {"first": "1"}, light=True),
            "discussion": self._one,
            "comments": self._comments,
        }
        found = answers[ask](given)
        return found if isinstance(found, Response) else Response.of({"data": {"repository": found}})

    def item(self, entry: Entry) -> dict[str, Any]:
        """Return the object of a discussion."""
        remarks = self.world.comments_of(entry.number)
        return {
            "id": f"D_{entry.id}",
            "databaseId": entry.id,
            "number": entry.number,
            "title": entry.title,
            "body": entry.body or "",
            "html_url": f"https://github.com/{self.world.name}/discussions/{entry.number}",
            "created_at": utc_text(entry.created),
            "updated_at": utc_text(entry.updated),
            "closed": entry.state == "closed",
            "closed_at": utc_text(entry.updated) if entry.state == "closed" else None,
            "state_reason": {"completed": "RESOLVED", "duplicate": "DUPLICATE"}.get(entry.state_reason or ""),
            "is_answered": bool(remarks),
            "answer": {"id": f"DC_{remarks[0].id}"} if remarks else None,
            "answer_chosen_by": actor("keeper") if remarks else None,
            "category": self._category(entry.number % 3),
            "user": actor(entry.login),
            "author_association": "NONE",
            "labels": {"nodes": [{"name": name} for name in entry.labels]},
            "comments": {"totalCount": sum(one is top for top, one in self._threads(entry.number))},
        }

    def remark_id(self, one: Remark) -> str:
        return f"DC_{one.id}"

    def _threads(self, number: int) -> list[tuple[Remark, Remark]]:
        """Return each remark with the one that it hangs on, itself for a comment."""
        remarks = self.world.comments_of(number)
        return [(remarks[0] if place % 3 == 2 else one, one) for place, one in enumerate(remarks)]

    def _remark(self, one: Remark, parent: Remark | None) -> dict[str, Any]:
        return {
            "id": f"DC_{one.id}",
            "databaseId": one.id,
            "body": one.body,
            "html_url": f"https://github.com/{self.world.name}/discussions/{one.number}#discussioncomment-{one.id}",
            "created_at": utc_text(one.created),
            "updated_at": utc_text(one.updated),
            "user": actor(one.login),
            "author_association": "CONTRIBUTOR",
            "reply_to": None if parent is None else {"id": f"DC_{parent.id}"},
        }

    def _repository(self) -> dict[str, Any]:
        known = {"id": self.world.id, "full_name": self.world.name, "private": False, "archived": False}
        facts = {("has_discussions" if key == "has_issues" else key): one for key, one in self.world.facts.items()}
        return known | {"has_discussions": True} | facts

    def _category(self, place: int) -> dict[str, Any]:
        return {"id": f"DIC_{place}", "name": CATEGORIES[place], "slug": CATEGORIES[place].lower()}

    def _page(self, given: dict[str, str], *, light: bool = False) -> dict[str, Any] | Response:
        first = int(given["first"])
        if self.widest is not None and first > self.widest:
            return failed("RESOURCE_LIMITS_EXCEEDED", "Resource limits for this query exceeded.", {"repository": None})
        rows = sorted(self.world.entries.values(), key=lambda one: (utc_text(one.updated), one.id))
        cursors = [self._cursor(place, one) for place, one in enumerate(rows)]
        start = self._start(rows, given.get("after"))
        if start is None:
            return failed("INVALID_CURSOR_ARGUMENTS", f"`{given['after']}` does not appear to be a valid cursor.")
        end = start + first
        names = ("id", "number", "updated_at")
        shown = rows[start:end]
        if not light and {one.number for one in shown} & self.fails_on:
            return failed(None, "Something went wrong while executing your query.", {"repository": None})
        nodes = [self.item(one) for one in shown]
        nodes = [{name: node[name] for name in names} for node in nodes] if light else nodes
        edges = [{"cursor": cursors[start + i], "node": node} for i, node in enumerate(nodes)]
        page = {"hasNextPage": len(rows) > end, "endCursor": edges[-1]["cursor"] if edges else None}
        return {"discussions": {"pageInfo": page, "edges": edges}}

    def _cursor(self, place: int, entry: Entry) -> str:
        said = [place + 1] if self.counting else [utc_text(entry.updated), entry.id]
        return base64.b64encode(json.dumps(said).encode()).decode()

    def _start(self, rows: list[Entry], after: str | None) -> int | None:
        if after is None:
            return 0
        try:
            said = json.loads(base64.b64decode(after))
        except ValueError:
            return None
        if self.counting:
            return int(str(said[0]))
        return len([one for one in rows if [utc_text(one.updated), one.id] <= said])

    def _one(self, given: dict[str, str]) -> dict[str, Any] | Response:
        entry = self.world.entries.get(int(given["number"]))
        if entry and entry.number in self.fails_on:
            return failed(None, "Something went wrong while executing your query.", {"repository": None})
        return {"discussion": self.item(entry)} if entry else self._no_discussion()

    def _comments(self, given: dict[str, str]) -> dict[str, Any] | Response:
        number = int(given["number"])
        if number not in self.world.entries:
            return self._no_discussion()
        tops = [one for top, one in self._threads(number) if top is one]
        found, page = _connection(tops, given.get("after"), int(given["first"]))
        nodes = [self._remark(one, None) | {"replies": self._replies_of(one, None)} for one in found]
        return {"discussion": {"comments": {"pageInfo": page, "nodes": nodes}}}

    def _replies(self, given: dict[str, str]) -> Response:
        one = self.world.remarks.get(int(given["comment"].removeprefix("DC_")))
        if one is None:
            return failed("NOT_FOUND", "Could not resolve to a node.", {"node": None}, ("node",))
        return Response.of({"data": {"node": {"replies": self._replies_of(one, given["after"])}}})

    def _replies_of(self, comment: Remark, after: str | None) -> dict[str, Any]:
        replies = [one for top, one in self._threads(comment.number) if top is comment and one is not comment]
        found, page = _connection(replies, after, self.reply_page)
        nodes = [self._remark(one, comment) for one in found]
        return {"totalCount": len(replies), "pageInfo": page, "nodes": nodes}

    def _no_discussion(self) -> Response:
        return failed("NOT_FOUND", "Could not resolve to a Discussion.", {"repository": {"discussion": None}})

    def _call(self, target: str, headers: dict[str, str], body: bytes) -> Call:
        call = super()._call(target, headers, body)
        if body:
            asked = json.loads(body)
            assert asked["operationName"] in asked["query"]
            variables = {name: str(one) for name, one in asked["variables"].items()}
            assert all(f"${name}" in asked["query"] for name in variables)
            call.query = {"ask": asked["operationName"], **variables}
        return call

    def _limited(self, call: Call, response: Response) -> Response:
        left = self.quota.get(call.token, 5000) - 1
        self.quota[call.token] = left
        response.headers |= {
            "x-ratelimit-resource": "graphql",
            "x-ratelimit-remaining": str(left),
            "x-ratelimit-reset": str(int(self.now()) + 1800),
        }
        return response


def _connection(rows: list[Remark], after: str | None, first: int) -> tuple[list[Remark], dict[str, Any]]:
    start = int(after.removeprefix("at")) if after else 0
    more = len(rows) > start + first
    return rows[start : start + first], {"hasNextPage": more, "endCursor": f"at{start + first}" if rows else None}
