"""Which report an address means, however it is spelt.

    https://github.com/Owner/Name/issues/12#issuecomment-3     github:owner/name#12
    https://api.github.com/repos/owner/name/issues/12          github:owner/name#12
    https://gitee.com/owner/name/issues/I1DACG                 gitee:owner/name#I1DACG
    https://gitlab.com/group/sub/name/-/work_items/7?show=x    gitlab:group/sub/name#7
    https://git.example.org/owner/name/-/issues/7              gitlab:git.example.org/owner/name#7
    https://git.example.org/owner/name/issues/7                other:git.example.org/owner/name#7
    https://bugs.example.org/show_bug.cgi?id=5                 other:bugs.example.org/show_bug.cgi?id=5

Trackers do not tell upper from lower case in owner and name, so the id folds them, and the address keeps them as
written. A report that was transferred, or whose project was renamed, has another address and counts as another report.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple
from urllib.parse import unquote

from issuebook.model.field_mapping import Tracker

Kind = Literal["report", "pull request", "discussion"]


class Identity(NamedTuple):
    """Which report it is.

    Attributes:
        id: the same for all spellings.
        tracker: where it is.
        project: ``owner/name`` as written; empty for an address that names none.
        number: as text; empty for an address that names none.
        url: the canonical address; empty for a report that has none.
        kind: what the address leads to.
    """

    id: str
    tracker: Tracker
    project: str
    number: str
    url: str
    kind: Kind = "report"


_ADDRESS = re.compile(
    r"(?:(?P<scheme>https?)://)?(?:[^/@?#]*@)?(?:www\.)?(?P<host>[\w-]+(?:\.[\w-]+)+(?::[0-9]+)?|localhost:[0-9]+)"
    r"(?P<path>/[^?#\s]*)(?P<query>\?[^#\s]*)?(?:#\S*)?",
    re.IGNORECASE,
)
_OWNER_NAME = r"(?P<project>[\w.-]+/[\w.-]+)"
_GITHUB_KIND = r"(?P<kind>issues|pull|pulls|discussions)"
_GITHUB_PAGE = re.compile(rf"/{_OWNER_NAME}/{_GITHUB_KIND}/0*(?P<number>[0-9]+)(?:/.*)?")
_GITHUB_API = re.compile(rf"(?:/api/v[13])?/repos/{_OWNER_NAME}/{_GITHUB_KIND}/0*(?P<number>[0-9]+)(?:/.*)?")
_GITEE = re.compile(
    rf"(?:/api/v[58]/repos)?/{_OWNER_NAME}/(?:(?P<kind>issues)/(?P<number>[A-Z0-9]+)"
    r"|(?P<pull>pulls)/0*(?P<pull_number>[0-9]+))(?:/.*)?"
)
_GITEE_ENTERPRISE = re.compile(
    r"/api/v[58]/(?P<project>enterprises/[\w.-]+)/(?P<kind>issues)/(?P<number>[A-Z0-9]+)(?:/.*)?"
)
_GITLAB_KIND = r"(?P<kind>issues(?:/incident)?|work_items|merge_requests)"
_GITLAB_PAGE = re.compile(rf"/(?P<project>[\w.-]+(?:/[\w.-]+)+)/-/{_GITLAB_KIND}/0*(?P<number>[0-9]+)(?:/.*)?")
_GITLAB_OLD = re.compile(rf"/(?!api/)(?P<project>[\w.-]+(?:/[\w.-]+)+)/{_GITLAB_KIND}/0*(?P<number>[0-9]+)(?:/.*)?")
_GITLAB_API = re.compile(
    rf"/api/v4/projects/(?P<project>[\w.-]+(?:%2F[\w.-]+)+)/{_GITLAB_KIND}/0*(?P<number>[0-9]+)(?:/.*)?", re.IGNORECASE
)
_KINDS: dict[str, Kind] = {
    "pull": "pull request",
    "pulls": "pull request",
    "merge_requests": "pull request",
    "discussions": "discussion",
}
_ROOTS: dict[Tracker, str] = {"github": "github.com", "gitee": "gitee.com", "gitlab": "gitlab.com", "other": ""}


def identity_of(url: str) -> Identity | None:
    """Return the report that an address means, or None when it is no address or leads to something else.

    ``http`` and ``https``, ``www``, a user name, a trailing slash, a page below the report's, a fragment and, on known
    trackers, a query make no difference. An address of an unknown tracker keeps its query and counts as it stands.
    """
    found = _ADDRESS.fullmatch(url.strip())
    if found is None or (found["scheme"] is None and found["host"].lower() not in _HOSTS):
        return None
    host, path = found["host"].lower(), found["path"]
    if host in _HOSTS:
        tracker, forms = _HOSTS[host]
        return next((_known(tracker, "", match) for form in forms if (match := form.fullmatch(path))), None)
    for guess, form in _SELF_HOSTED:
        if match := form.fullmatch(path):
            return _known(guess, host, match)
    place = host + (path.rstrip("/") or "/") + (found["query"] or "")
    return Identity(f"other:{place}", "other", "", "", f"{found['scheme'].lower()}://{place}")


def identity_by_number(tracker: Tracker, project: str, number: str) -> Identity:
    """Return the report of that number, for files that have no addresses; known trackers give it one."""
    root = _ROOTS[tracker]
    identity = identity_of(f"https://{root}/{project}{_PAGES[tracker, 'report']}{number}") if root else None
    return identity or Identity(f"{tracker}:{project.lower()}#{number}", tracker, project, number, "")


_Forms = tuple[re.Pattern[str], ...]
_HOSTS: dict[str, tuple[Tracker, _Forms]] = {
    "github.com": ("github", (_GITHUB_PAGE,)),
    "api.github.com": ("github", (_GITHUB_API,)),
    "gitee.com": ("gitee", (_GITEE, _GITEE_ENTERPRISE)),
    "gitlab.com": ("gitlab", (_GITLAB_PAGE, _GITLAB_API, _GITLAB_OLD)),
}
_SELF_HOSTED: tuple[tuple[Tracker, re.Pattern[str]], ...] = (
    ("gitlab", _GITLAB_PAGE),
    ("gitlab", _GITLAB_API),
    ("other", _GITHUB_API),
    ("other", _GITHUB_PAGE),
)
"""What a path says of a tracker on a host of its own: GitHub Enterprise, Gitea and others share their forms."""
_PAGES: dict[tuple[Tracker, Kind], str] = {
    ("github", "report"): "/issues/",
    ("github", "pull request"): "/pull/",
    ("github", "discussion"): "/discussions/",
    ("gitee", "report"): "/issues/",
    ("gitee", "pull request"): "/pulls/",
    ("gitlab", "report"): "/-/issues/",
    ("gitlab", "pull request"): "/-/merge_requests/",
    ("other", "report"): "/issues/",
    ("other", "pull request"): "/pull/",
    ("other", "discussion"): "/discussions/",
}


def _known(tracker: Tracker, host: str, match: re.Match[str]) -> Identity:
    parts = match.groupdict()
    project = unquote(parts["project"])
    number = parts["number"] or parts["pull_number"]
    kind = _KINDS.get(parts["kind"] or parts["pull"], "report")
    place = f"{host}/{project}" if host else project
    root = host or _ROOTS[tracker]
    above = "/api/v5" if project.startswith("enterprises/") else ""
    url = f"https://{root}{above}/{project}{_PAGES[tracker, kind]}{number}"
    mark = "!" if kind == "pull request" and tracker in ("gitee", "gitlab") else "#"  # they number them apart
    return Identity(f"{tracker}:{place.lower()}{mark}{number}", tracker, project, number, url, kind)
