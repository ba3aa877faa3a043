"""GitLab's REST API v4 as far as collecting goes: projects by path or id, notes, two ways to the next page."""

import re
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

from tests.trackers.fake import Call, FakeTracker, Response, page_of
from tests.trackers.world import LABELS, Entry, Remark


def account(login: str | None) -> dict[str, Any] | None:
    if login is None:
        return None
    return {
        "id": 5000 + len(login),
        "username": login,
        "name": f"Name of {login}",
        "state": "active",
        "locked": False,
        "avatar_url": f"https://avatars.invalid/{login}.png",
        "web_url": f"https://gitlab.com/{login}",
    }


class FakeGitLab(FakeTracker):
    """Serves a world as GitLab would.

    Attributes:
        links: says where the next page is by ``Link``, with an address that the server believes to have; else by
            ``X-Next-Page`` alone.
        furthest: pages after this one are refused with 405.
        moved: numbers of reports that were moved to another project, and the id that they have there.
        confidential: numbers that only a token sees.
        headers_of_pages: some proxies take all of these away.
    """

    base_path = "/api/v4"
    api = "gitlab"
    links = True
    furthest: int | None = None
    headers_of_pages = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.moved: dict[int, int] = {}
        self.confidential: set[int] = set()

    def answer(self, call: Call) -> Response:
        found = re.fullmatch(r"/projects/([^/]+)(/.*)?", call.path)
        if found is None:
            return self._not_found()
        if found[1] in {quote(name, safe="") for name in self.old_names}:
            query = f"?{urlencode(call.query)}" if call.query else ""
            where = f"http://gitlab.invalid/api/v4/projects/{self.world.id}{found[2] or ''}{query}"
            return Response(301, b"This resource has been moved", {"location": where, "content-type": "text/plain"})
        if found[1] not in (str(self.world.id), quote(self.world.name, safe="")):
            return Response.of({"message": "404 Project Not Found"}, 404)
        return self._below(call, found[2] or "")

    def item(self, entry: Entry) -> dict[str, Any]:
        """Return the object of a report."""
        page, api = f"https://gitlab.com/{self.world.name}", f"https://gitlab.com/api/v4/projects/{self.world.id}"
        return {
            "id": entry.id,
            "iid": entry.number,
            "project_id": self.world.id,
            "title": entry.title,
            "description": entry.body,
            "state": {"open": "opened", "closed": "closed"}[entry.state],
            "created_at": milli_text(entry.created, entry.id),
            "updated_at": milli_text(entry.updated, entry.id),
            "closed_at": milli_text(entry.updated, entry.id) if entry.state == "closed" else None,
            "closed_by": account("keeper") if entry.state == "closed" else None,
            "labels": list(entry.labels),
            "milestone": None,
            "assignees": [account("keeper")],
            "author": account(entry.login),
            "type": "ISSUE",
            "issue_type": "incident" if entry.number % 10 == 0 else "issue",
            "user_notes_count": len(self.world.comments_of(entry.number)),
            "confidential": entry.number in self.confidential,
            "web_url": f"{page}/-/issues/{entry.number}",
            "references": {"short": f"#{entry.number}", "full": f"{self.world.name}#{entry.number}"},
            "_links": {"self": f"{api}/issues/{entry.number}", "notes": f"{api}/issues/{entry.number}/notes"},
            "moved_to_id": self.moved.get(entry.number),
            "service_desk_reply_to": "customer@mail.invalid",
        }

    def remark(self, one: Remark, *, system: bool = False) -> dict[str, Any]:
        """Return the object of a note."""
        return {
            "id": one.id,
            "type": None,
            "body": one.body,
            "author": account(one.login),
            "created_at": milli_text(one.created, one.id),
            "updated_at": milli_text(one.updated, one.id),
            "system": system,
            "noteable_id": one.number,
            "noteable_type": "Issue",
            "noteable_iid": one.number,
            "confidential": False,
        }

    def _below(self, call: Call, path: str) -> Response:
        if path == "":
            return Response.of(self._project(call))
        if path == "/labels":
            return self._list(call, [{"id": 7, "name": name, "color": "#fc2929"} for name in LABELS])
        if path == "/issues":
            return self._list(call, self._sorted(call))
        if path == "/issues_statistics":
            seen = [entry for entry in self.world.entries.values() if self._shows(entry, call)]
            counts = {"all": len(seen), "closed": sum(entry.state == "closed" for entry in seen)}
            return Response.of({"statistics": {"counts": counts | {"opened": counts["all"] - counts["closed"]}}})
        found = re.fullmatch(r"/issues/(\d+)(?:/(\w+))?", path)
        entry = self.world.entries.get(int(found[1])) if found else None
        if found is None or entry is None or not self._shows(entry, call):
            return self._not_found()
        return self._thread(call, entry, found[2]) if found[2] else Response.of(self.item(entry))

    def _project(self, call: Call) -> dict[str, Any]:
        said = {
            "id": self.world.id,
            "path_with_namespace": self.world.name,
            "namespace": {"id": 3, "name": "user3", "kind": "user", "full_path": "user3"},
        }
        if call.token:
            said |= {"visibility": "public", "archived": False, "issues_enabled": True, "creator_id": 5005}
            said |= {"runners_token": "GR-very-secret", "owner": account("keeper")}
        if self.world.facts.get("has_issues") is False:
            said["issues_enabled"] = False
        return said | {name: one for name, one in self.world.facts.items() if name != "has_issues"}

    def _shows(self, entry: Entry, call: Call) -> bool:
        return call.token is not None or entry.number not in self.confidential

    def _sorted(self, call: Call) -> list[dict[str, Any]]:
        after = call.query.get("updated_after", "")
        rows = [self.item(entry) for entry in self.world.entries.values() if self._shows(entry, call)]
        rows = [row for row in rows if row["updated_at"] >= after]
        key = call.query.get("order_by", "created_at")
        return sorted(rows, key=lambda row: (row[key], row["id"]), reverse=call.query.get("sort", "desc") == "desc")

    def _thread(self, call: Call, entry: Entry, thread: str) -> Response:
        if thread == "notes":
            told = Remark(entry.id, entry.number, "changed the description", "keeper", entry.created, entry.created)
            notes = [self.remark(told, system=True), *map(self.remark, self.world.comments_of(entry.number))]
            return self._list(call, notes if call.query.get("sort") == "asc" else notes[::-1])
        if thread == "resource_label_events":
            common = {"user": account("keeper"), "resource_type": "Issue", "resource_id": entry.id, "action": "add"}
            events = [{"id": entry.id + i, **common, "label": {"name": name}} for i, name in enumerate(entry.labels)]
            return self._list(call, events)
        if thread == "resource_state_events":
            closed = entry.state == "closed"
            return self._list(call, [{"id": entry.id, "user": account("keeper"), "state": "closed"}] if closed else [])
        return self._list(call, []) if thread == "resource_milestone_events" else self._not_found()

    def _list(self, call: Call, rows: list[dict[str, Any]]) -> Response:
        if self.furthest is not None and int(call.query.get("page", "1")) > self.furthest:
            return Response.of({"error": "Offset pagination has a maximum allowed offset of 50000"}, 405)
        found, page, more = page_of(rows, call, default=20)
        headers = {}
        if self.headers_of_pages:
            headers["x-next-page"] = str(page + 1) if more else ""
            if len(rows) <= 10_000:
                headers["x-total"] = str(len(rows))
            if self.links:
                rest = call.query | {"page": str(page + 1), "id": str(self.world.id)}
                first = f'<http://gitlab.invalid/api/v4{call.path}?page=1>; rel="first"'
                following = f'<http://gitlab.invalid/api/v4{call.path}?{urlencode(rest)}>; rel="next", ' if more else ""
                headers["link"] = following + first
        return Response.of(found, headers=headers)

    def _limited(self, call: Call, response: Response) -> Response:
        response = super()._limited(call, response)
        left = self.quota.get(call.token, 2000) - 1
        self.quota[call.token] = left
        response.headers |= {"ratelimit-remaining": str(left), "ratelimit-reset": str(int(self.now()) + 1800)}
        return response

    def _not_found(self) -> Response:
        return Response.of({"message": "404 Not found"}, 404)


def milli_text(time: datetime, salt: int) -> str:
    return time.strftime(f"%Y-%m-%dT%H:%M:%S.{salt % 1000:03d}Z")
