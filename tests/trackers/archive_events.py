"""Events of GH Archive in the shapes of three eras, made up."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from typing import Any

START = datetime(2024, 1, 1, tzinfo=UTC)
ID = 4711


def stamp(minutes: float = 0, start: datetime = START) -> str:
    return (start + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def person(login: str) -> dict[str, Any]:
    url = f"https://api.github.com/users/{login}"
    return {"login": login, "id": 77, "avatar_url": f"https://avatars.invalid/{login}", "url": url, "type": "User"}


def issue(
    number: int, name: str = "acme/engine", *, updated: str = "", created: str = "", pull: bool = False, **more: Any
) -> dict[str, Any]:
    """An issue as an event of the Events API holds it."""
    kind = "pull" if pull else "issues"
    value: dict[str, Any] = {
        "url": f"https://api.github.com/repos/{name}/issues/{number}",
        "html_url": f"https://github.com/{name}/{kind}/{number}",
        "id": 1_000_000 + number,
        "number": number,
        "title": f"Report {number}",
        "user": person("user1"),
        "labels": [{"name": "bug", "color": "ededed"}],
        "state": "open",
        "state_reason": None,
        "comments": 0,
        "created_at": created or stamp(number),
        "updated_at": updated or stamp(number),
        "closed_at": None,
        "author_association": "NONE",
        "body": f"It fails, says @user2 of {number}.",
    }
    if pull:
        value["pull_request"] = {"url": f"https://api.github.com/repos/{name}/pulls/{number}"}
    return value | more


def event(
    id_: int, about: dict[str, Any], *, action: str = "opened", at: str = "", name: str = "acme/engine", repo: int = ID,
    comment: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """An event of the Events API, 2015 to October 2025."""
    payload: dict[str, Any] = {"action": action, "issue": about}
    if comment is not None:
        payload["comment"] = comment
    return {
        "id": str(id_),
        "type": "IssuesEvent" if comment is None else "IssueCommentEvent",
        "actor": person("user3"),
        "repo": {"id": repo, "name": name, "url": f"https://api.github.com/repos/{name}"},
        "payload": payload,
        "public": True,
        "created_at": at or about.get("updated_at") or stamp(),
    }


def comment(id_: int, number: int, text: str = "Here too, @user9.", at: str = "") -> dict[str, Any]:
    at = at or stamp(id_)
    return {
        "id": id_,
        "issue_url": f"https://api.github.com/repos/acme/engine/issues/{number}",
        "user": person("user4"),
        "created_at": at,
        "updated_at": at,
        "author_association": "MEMBER",
        "body": text,
    }


def trimmed(value: dict[str, Any]) -> dict[str, Any]:
    """An event of after 7 October 2025: the association of authors is left out."""
    payload = {
        key: {name: field for name, field in one.items() if name != "author_association"}
        if isinstance(one, dict)
        else one
        for key, one in value["payload"].items()
    }
    return value | {"payload": payload}


def timeline(number: int, *, action: str = "opened", at: str = "2013-05-01T10:00:00-07:00") -> dict[str, Any]:
    """An event of the Timeline API, before 2015."""
    return {
        "created_at": at,
        "payload": {"action": action, "issue": 9_000_000 + number, "number": number},
        "public": True,
        "type": "IssuesEvent",
        "url": f"https://github.com/acme/engine/issues/{number}",
        "actor": "user5",
        "actor_attributes": {"login": "user5", "email": "user5@mail.example", "name": "User Five"},
        "repository": {"id": ID, "name": "engine", "owner": "acme", "url": "https://github.com/acme/engine"},
    }


def timeline_comment(number: int, id_: int, at: str = "2012/05/01 10:00:00 -0700") -> dict[str, Any]:
    told = timeline(number, at=at) | {"type": "IssueCommentEvent"}
    address = f"https://github.com/acme/engine/issues/{number}#issuecomment-{id_}"
    return told | {"url": address, "payload": {"issue_id": 9_000_000 + number, "comment_id": id_}}


def push(id_: int, name: str = "acme/engine") -> dict[str, Any]:
    repo = {"id": ID, "name": name}
    return {"id": str(id_), "type": "PushEvent", "repo": repo, "payload": {"commits": []}, "created_at": stamp()}


def line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def hour_file(*values: dict[str, Any] | bytes) -> bytes:
    return gzip.compress(b"".join(one if isinstance(one, bytes) else line(one) for one in values), mtime=0)
