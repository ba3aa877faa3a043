"""One object or row of a file to the fields of one report, whatever wraps it and however its fields are spelt."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from issuebook.model.field_mapping import KNOWN_NAMES, FieldMapping
from issuebook.sources.cells import cell_text

PULL_REQUEST = "is a pull request"
COMMENT = "is a comment"
DELETED = "tells that the report was deleted"
TIMELINE = "is an event of GH Archive before 2015, which has no text of the report"
_NO = frozenset({"", "false", "0", "none", "null", "nan"})
"""What a file without types writes where there is no pull request."""

Row = Mapping[str, object]


class NoReportError(ValueError):
    """A row is readable and not a report; the text says what it is."""


class Cell(NamedTuple):
    """A cell that was set aside or mended: its field, what is the matter, and how it is written."""

    field: str
    reason: str
    text: str


class Found(NamedTuple):
    """The fields of a report by their names in ``schemas.REPORTS``, cells set aside, and cells mended."""

    fields: dict[str, object]
    unreadable: list[Cell]
    mended: list[Cell]


class ReportParser:
    """Finds the fields of reports.

    Attributes:
        never_seen: the columns that the user named and that no row had so far.
    """

    def __init__(self, mapping: FieldMapping) -> None:
        self._names = {field: mapping.names(field) for field in KNOWN_NAMES}
        self.never_seen = set(mapping.named.values())

    def parse(self, wrapped: Row) -> Found:
        """Return what a row holds.

        Raises:
            NoReportError: the row is readable and not a report.
            ValueError: the row holds neither a title nor a body.
        """
        row = unwrap(wrapped)
        if self.never_seen:
            self.never_seen -= row.keys()
        refuse_what_is_no_report(row)
        found = Found({}, [], [])
        for field, names in self._names.items():
            value = _first(row, names)
            try:
                read = _READ[field](value) if value is not None else None
            except (ValueError, OverflowError) as error:
                found.unreadable.append(Cell(field, str(error), cell_text(value) or ""))
                read = None
            found.fields[field] = _mended(field, read, found.mended)
        if not found.fields["title"] and not found.fields["body"]:
            raise ValueError("holds neither a title nor a body")
        return found


def unwrap(row: Row) -> Row:
    """Return the report inside a Perceval item, a webhook's payload or an event of GH Archive; else the row itself.

    Raises:
        NoReportError: it wraps something else.
    """
    data, payload, issue = row.get("data"), row.get("payload"), row.get("issue")
    if isinstance(data, dict) and "backend_name" in row:
        category = str(row.get("category", "issue"))
        if category in ("pull_request", "merge_request"):
            raise NoReportError(PULL_REQUEST)
        if category not in ("issue", "bug"):
            raise NoReportError(f"is a Perceval item of another category: {category}")
        return {"project": row.get("origin"), **data}
    if isinstance(payload, dict) and "type" in row:
        if not isinstance(payload.get("issue"), dict):
            if isinstance(row.get("repository"), dict) and row["type"] in ("IssuesEvent", "IssueCommentEvent"):
                raise NoReportError(TIMELINE)
            raise NoReportError(f"is an event without a report: {row['type']}")
        row, issue = payload, payload["issue"]
    if isinstance(issue, dict) and "action" in row:
        if row["action"] == "deleted" and "comment" not in row:
            raise NoReportError(DELETED)
        return issue
    return row


def refuse_what_is_no_report(row: Row) -> None:
    """Pass a row on.

    Raises:
        NoReportError: it is a pull request or a comment, both of which trackers deliver among reports.
    """
    pull = row.get("pull_request")
    if isinstance(pull, dict) or (pull is not None and str(pull).strip().lower() not in _NO):
        raise NoReportError(PULL_REQUEST)
    if "issue_url" in row and "title" not in row:
        raise NoReportError(COMMENT)


def _first(row: Row, names: tuple[str, ...]) -> object:
    """Return the first value there is under some names, or None; of blank texts the last."""
    found: object = None
    for name in names:
        value = row.get(name)
        if value is not None:
            found = value
            if not isinstance(value, str) or value.strip():
                break
    return found


def _mended(field: str, value: object, mended: list[Cell]) -> object:
    """Return a value whose texts can be stored; what was done to them is added to ``mended``."""
    if isinstance(value, list):
        return [_mended(field, part, mended) for part in value]
    if not isinstance(value, str):
        return value
    text = value
    if "\0" in text:
        text = text.replace("\0", "")
        mended.append(Cell(field, "NUL characters were left out", value))
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            mended.append(Cell(field, "half of a surrogate pair became U+FFFD", text))
    return text


def _filled(value: object) -> str | None:
    return (cell_text(value) or "").strip() or None


def _word(value: object) -> str | None:
    text = _filled(value)
    return text.lower() if text else None


def _number(value: object) -> str | None:
    text = _filled(value)
    return text.removeprefix("#").removesuffix(".0") if text else None  # 12.0: a number column that had gaps


def _project(value: object) -> str | None:
    """Return ``owner/name`` of a repository given as an object, an address or a name."""
    if isinstance(value, dict):
        value = _first(value, ("full_name", "nameWithOwner", "path_with_namespace", "name"))
    text = _filled(value)
    if text is None or "://" not in text:
        return text
    path = text.partition("://")[2].partition("/")[2]
    return path.removeprefix("api/v5/").removeprefix("repos/").strip("/").removesuffix(".git") or None


def _labels(value: object) -> list[str]:
    """Return the names of labels given as a list of names or objects, as such a list written as text, or one name."""
    if isinstance(value, str):
        value = _written_list(value)
    if isinstance(value, dict) and isinstance(value.get("nodes"), list):
        value = value["nodes"]  # a connection of GraphQL
    parts = value if isinstance(value, list) else [value]
    names = (part.get("name", part.get("title")) if isinstance(part, dict) else part for part in parts)
    return [name for name in map(_filled, names) if name]


def _written_list(text: str) -> object:
    """Return the list that a text spells as JSON, or as Python does in a CSV file of pandas; else the text."""
    if text.lstrip().startswith("["):
        for read in (json.loads, ast.literal_eval):
            try:
                found = read(text)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(found, list):
                return found
    return text


def _time(value: object) -> datetime | None:
    """Return a time of ISO 8601 in UTC, which is also what a time without a zone is in."""
    text = _filled(value)
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text.removesuffix(" UTC"))
    except ValueError:
        raise ValueError("is no time of ISO 8601, such as 2024-05-31T12:00:00Z") from None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _count(value: object) -> int | None:
    if isinstance(value, dict):
        value = value.get("totalCount")  # a connection of GraphQL
    if isinstance(value, list):
        return len(value)
    text = (cell_text(value) or "").strip()
    if not text:
        return None
    whole = text.removesuffix(".0")
    if not (whole.isascii() and whole.isdigit() and len(whole) < 10):
        raise ValueError("is no number of comments")
    return int(whole)


_READ: Mapping[str, Callable[[object], object]] = {
    "url": _filled,
    "number": _number,
    "project": _project,
    "title": cell_text,
    "body": cell_text,
    "state": _word,
    "state_reason": _word,
    "labels": _labels,
    "author_association": _filled,
    "created_at": _time,
    "updated_at": _time,
    "closed_at": _time,
    "comments": _count,
}
