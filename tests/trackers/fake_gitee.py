"""Gitee's API v5 as far as collecting goes: numbers as text, +08:00, total_count, no headers of limits."""

import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from tests.trackers.fake import Call, FakeTracker, Response, page_of
from tests.trackers.fake_github import EPOCH, person
from tests.trackers.world import LABELS, Entry, Remark, beijing_text, utc_text

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def gitee_number(number: int) -> str:
    text, rest = "", number + 36**4
    while rest:
        rest, digit = divmod(rest, 36)
        text = _DIGITS[digit] + text
    return f"I{text}"


class FakeGitee(FakeTracker):
    """Serves a world as Gitee would.

    Attributes:
        ignores_page: every page is the first, for ever.
    """

    base_path = "/api/v5"
    api = "gitee"
    numbered = False
    ignores_page = False
    objects: list[dict[str, Any]] | None = None

    def answer(self, call: Call) -> Response:
        found = re.fullmatch(r"/repos/([^/]+/[^/]+)(/.*)?", call.path)
        logs = re.fullmatch(r"/repos/[^/]+/issues/(\w+)/operate_logs", call.path)
        if logs is not None:
            return self._logs(call, logs[1])
        if found is None:
            return self._not_found()
        if found[1] in self.old_names:
            where = f"{self.base_url}/repos/{self.world.name}{found[2] or ''}"
            return Response.of({"message": "moved"}, 301, {"location": where})
        return self._below(call, found[2] or "") if found[1] == self.world.name else self._not_found()

    def number(self, number: int) -> str:
        return gitee_number(number)

    def item(self, entry: Entry) -> dict[str, Any]:
        """Return the object of a report."""
        base, number = f"https://gitee.com/api/v5/repos/{self.world.name}", gitee_number(entry.number)
        return {
            "id": entry.id,
            "url": f"{base}/issues/{number}",
            "repository_url": base,
            "html_url": f"https://gitee.com/{self.world.name}/issues/{number}",
            "number": number,
            "state": {"open": "open", "closed": "rejected"}[entry.state],
            "title": entry.title,
            "body": entry.body,
            "user": person(entry.login),
            "labels": [{"id": 7, "name": name} for name in entry.labels],
            "collaborators": [person("keeper")],
            "comments": len(self.world.comments_of(entry.number)),
            "created_at": beijing_text(entry.created),
            "updated_at": beijing_text(entry.updated),
            "finished_at": None,
            "issue_type": "任务",
            "security_hole": False,
        }

    def remark(self, one: Remark) -> dict[str, Any]:
        """Return the object of a comment."""
        return {
            "id": one.id,
            "body": one.body,
            "user": person(one.login),
            "target": {"issue": {"id": one.number, "number": gitee_number(one.number)}, "pull_request": None},
            "created_at": beijing_text(one.created),
            "updated_at": beijing_text(one.updated),
        }

    def _below(self, call: Call, path: str) -> Response:  # noqa: PLR0911 - a return a path
        if path == "":
            facts = {"id": self.world.id, "full_name": self.world.name, "private": False, "has_issues": True}
            return Response.of({**facts, "members": ["user1"], **self.world.facts})
        if path == "/labels":
            return Response.of([{"id": 7, "name": name} for name in LABELS])
        if path == "/issues":
            rows = self.objects or [self.item(entry) for entry in self.world.entries.values()]
            allowed = call.query.get("state", "open") == "all"
            return self._list(call, [row for row in rows if allowed or row["state"] == "open"], "updated_at")
        if path == "/issues/comments":
            return self._list(call, [self.remark(one) for one in self.world.remarks.values()], "updated")
        found = re.fullmatch(r"/issues/(\w+)(/comments)?", path)
        if found is None:
            return self._not_found()
        entry = self._entry(found[1])
        if entry is None:
            lost = {gitee_number(number): status for number, (status, _) in self.world.lost.items()}
            return Response.of({"message": "404 Not Found"}, lost.get(found[1], 404) if not found[2] else 404)
        if found[2]:
            return self._list(call, [self.remark(one) for one in self.world.comments_of(entry.number)], None)
        return Response.of(self.item(entry))

    def _entry(self, number: str) -> Entry | None:
        return next((one for one in self.world.entries.values() if gitee_number(one.number) == number), None)

    def _logs(self, call: Call, number: str) -> Response:
        entry = self._entry(number)
        if entry is None or call.query.get("repo") != self.world.name.partition("/")[2]:
            return self._not_found()
        rows = [{"id": entry.id + i, "action_type": "add_label", "content": name, "user": person("keeper")}
                for i, name in enumerate(entry.labels)]  # fmt: skip
        return Response.of(rows)

    def _list(self, call: Call, rows: list[dict[str, Any]], order: str | None) -> Response:
        since = call.query.get("since", "")
        if since == EPOCH:
            rows = []
        by_change = order is not None and call.query.get("sort") == order

        def change(row: dict[str, Any]) -> str:
            return utc_text(_time(row["updated_at"]))

        found = [row for row in rows if change(row) >= since]
        found.sort(key=lambda row: (change(row) if by_change else row["created_at"], row["id"]))
        if order is not None and call.query.get("direction", "desc") != "asc":
            found.reverse()
        if self.ignores_page:
            call.query["page"] = "1"
        page, number, more = page_of(found, call, default=20)
        headers = {"total_count": str(len(found)), "total_page": "1"}
        if more:  # Gitee's own links repeat the token
            again = call.query | {"page": str(number + 1), "access_token": call.token or ""}
            headers["link"] = f'<{self.base_url}{call.path}?{urlencode(again)}>; rel="next"'
        return Response.of(page, headers=headers)

    def _not_found(self) -> Response:
        return Response.of({"message": "404 Not Found"}, 404)


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
