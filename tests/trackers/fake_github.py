"""GitHub's REST API as far as collecting goes, with its habits: defaults, Link headers, numbers shared with pulls."""

import re
from typing import Any
from urllib.parse import urlencode

from tests.trackers.fake import Call, FakeTracker, Response, page_of
from tests.trackers.world import LABELS, Entry, Remark, utc_text

EPOCH = "1970-01-01T00:00:00Z"


def person(login: str | None) -> dict[str, Any] | None:
    if login is None:
        return None
    return {
        "login": login,
        "id": 5000 + len(login),
        "avatar_url": f"https://avatars.invalid/{login}.png",
        "gravatar_id": "",
        "url": f"https://api.github.com/users/{login}",
        "html_url": f"https://github.com/{login}",
        "type": "User",
        "site_admin": False,
    }


class FakeGitHub(FakeTracker):
    """Serves a world as GitHub would.

    Attributes:
        page_cap: page numbers above it are refused with 422, and ``Link`` carries an ``after`` cursor instead.
        objects: ready-made objects of the issue list, served instead of the world's.
    """

    api = "github"
    page_cap: int | None = None
    objects: list[dict[str, Any]] | None = None
    search_works = True

    def answer(self, call: Call) -> Response:
        if call.path == "/search/issues":
            return self._search(call)
        found = re.fullmatch(r"(?:/repos/([^/]+/[^/]+)|/repositories/(\d+))(/.*)?", call.path)
        if found is None:
            return self._not_found()
        if found[1] in self.old_names:
            where = f"{self.base_url}/repositories/{self.world.id}{found[3] or ''}"
            return Response.of({"message": "Moved Permanently", "url": where}, 301, {"location": where})
        if found[1] != self.world.name and found[2] != str(self.world.id):
            return self._not_found()
        return self._below(call, found[3] or "")

    def item(self, entry: Entry) -> dict[str, Any]:
        """Return the object of a report or pull request."""
        base, kind = f"https://api.github.com/repos/{self.world.name}", "pull" if entry.pull else "issues"
        value: dict[str, Any] = {
            "url": f"{base}/issues/{entry.number}",
            "repository_url": base,
            "html_url": f"https://github.com/{self.world.name}/{kind}/{entry.number}",
            "id": entry.id,
            "number": entry.number,
            "title": entry.title,
            "user": person(entry.login),
            "labels": [{"id": 7, "name": name, "color": "fc2929"} for name in entry.labels],
            "state": entry.state,
            "assignee": person("keeper"),
            "comments": len(self.world.comments_of(entry.number)),
            "created_at": utc_text(entry.created),
            "updated_at": utc_text(entry.updated),
            "closed_at": utc_text(entry.updated) if entry.state == "closed" else None,
            "author_association": "NONE",
            "body": entry.body,
            "state_reason": entry.state_reason,
        }
        return value | ({"pull_request": {"url": f"{base}/pulls/{entry.number}"}} if entry.pull else {})

    def remark(self, one: Remark) -> dict[str, Any]:
        """Return the object of a comment."""
        base = f"https://api.github.com/repos/{self.world.name}"
        return {
            "id": one.id,
            "url": f"{base}/issues/comments/{one.id}",
            "issue_url": f"{base}/issues/{one.number}",
            "user": person(one.login),
            "created_at": utc_text(one.created),
            "updated_at": utc_text(one.updated),
            "author_association": "CONTRIBUTOR",
            "body": one.body,
        }

    def _below(self, call: Call, path: str) -> Response:
        if path == "":
            facts = {"id": self.world.id, "full_name": self.world.name, "private": False, "archived": False}
            owner = person(self.world.name.partition("/")[0])
            return Response.of({**facts, "owner": owner, "has_issues": True, **self.world.facts})
        if path == "/labels":
            return self._list(call, [{"id": 7, "name": name, "color": "fc2929"} for name in LABELS])
        if path == "/issues":
            return self._list(call, self._sorted(call, self._items(call)))
        if path == "/issues/comments":
            return self._list(call, self._sorted(call, [self.remark(one) for one in self.world.remarks.values()]))
        found = re.fullmatch(r"/issues/(\d+)(/comments|/events)?", path)
        return self._one(call, int(found[1]), found[2]) if found else self._not_found()

    def _one(self, call: Call, number: int, thread: str | None) -> Response:
        if number in self.world.lost:
            status, target = self.world.lost[number]
            if thread is not None:
                return self._not_found()
            headers = {"location": f"{self.base_url}{target}"} if target else {}
            return Response.of({"message": "gone"}, status, headers)
        entry = self.world.entries.get(number)
        if entry is None:
            return self._not_found()
        if thread == "/comments":
            return self._list(call, [self.remark(one) for one in self.world.comments_of(number)])
        if thread == "/events":
            events = [{"id": number * 10 + i, "event": "labeled", "actor": person("keeper"), "label": {"name": name}}
                      for i, name in enumerate(entry.labels)]  # fmt: skip
            return self._list(call, events)
        return Response.of(self.item(entry))

    def _items(self, call: Call) -> list[dict[str, Any]]:
        if self.objects is not None:
            return self.objects
        state = call.query.get("state", "open")
        return [self.item(entry) for entry in self.world.entries.values() if state in ("all", entry.state)]

    def _sorted(self, call: Call, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        since = call.query.get("since", "")
        if since == EPOCH:
            return []
        key = "updated_at" if call.query.get("sort") == "updated" else "created_at"
        found = [row for row in rows if row["updated_at"] >= since]
        return sorted(found, key=lambda row: (row[key], row["id"]), reverse=call.query.get("direction") != "asc")

    def _list(self, call: Call, rows: list[dict[str, Any]]) -> Response:
        if "after" in call.query:
            call.query["page"] = call.query["after"].removeprefix("cursor")
        elif self.page_cap is not None and int(call.query.get("page", "1")) > self.page_cap:
            return Response.of(
                {"message": "Pagination with the page parameter is not supported for large datasets"}, 422
            )
        found, page, more = page_of(rows, call)
        headers = {}
        if more:
            rest = {name: value for name, value in call.query.items() if name not in ("page", "after")}
            capped = self.page_cap is not None
            rest |= {"after": f"cursor{page + 1}"} if capped else {"page": str(page + 1)}
            headers["link"] = f'<{self.base_url}{call.path}?{urlencode(rest)}>; rel="next"'
        return Response.of(found, headers=headers)

    def _search(self, call: Call) -> Response:
        _, _, kind = call.query.get("q", "").partition(f"repo:{self.world.name} ")
        if not self.search_works or kind not in ("is:issue", "is:pr"):
            return Response.of({"message": "Validation Failed"}, 422)
        pulls = kind == "is:pr"
        count = sum(entry.pull == pulls for entry in self.world.entries.values())
        if self.objects is not None:
            count = sum((one.get("pull_request") is not None) == pulls for one in self.objects)
        headers = {"x-ratelimit-resource": "search", "x-ratelimit-remaining": "29"}
        return Response.of({"total_count": count, "incomplete_results": False, "items": []}, headers=headers)

    def _limited(self, call: Call, response: Response) -> Response:
        response = super()._limited(call, response)
        if call.path != "/search/issues":
            left = self.quota.get(call.token, 5000) - (response.status != 304)
            self.quota[call.token] = left
            response.headers |= {
                "x-ratelimit-resource": "core",
                "x-ratelimit-remaining": str(left),
                "x-ratelimit-reset": str(int(self.now()) + 1800),
            }
        return response

    def _not_found(self) -> Response:
        return Response.of({"message": "Not Found"}, 404)
