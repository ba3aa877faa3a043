"""Which column or key of a file holds which field of a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from issuebook.model.rating_layout import Origin, OriginOrPlace
from issuebook.model.validation import Value

Tracker = Literal["github", "gitee", "gitlab", "other"]

KNOWN_NAMES: Mapping[str, tuple[str, ...]] = {
    "url": ("html_url", "web_url", "url"),
    "number": ("number", "iid"),
    "project": ("project", "repo", "repository", "repository_url"),
    "title": ("title",),
    "body": ("body", "description"),
    "state": ("state",),
    "state_reason": ("state_reason", "stateReason"),
    "labels": ("labels",),
    "author_association": ("author_association", "authorAssociation"),
    "created_at": ("created_at", "createdAt"),
    "updated_at": ("updated_at", "updatedAt"),
    "closed_at": ("closed_at", "closedAt", "finished_at"),
    "comments": ("comments", "user_notes_count"),
}
"""The names that each field has in answers of GitHub, ``gh``, Gitee and GitLab; the first that holds a value counts."""


class FieldMapping(Value):
    """The names of a file's columns or keys; a field that is None goes by the names that trackers use.

    Attributes:
        url: the report's address, as a page or in the tracker's API.
        number: its number, which with the project stands in for the address where a file has none.
        project: where the project is found: a column, a constant, the file's name or folder; ``none`` takes the names
            that trackers use.
        title: one line.
        body: the text.
        state: open or closed, or as the tracker says.
        state_reason: why it was closed.
        labels: a list, a list as JSON, or one label.
        author_association: what its author is to the project.
        created_at: ISO 8601; UTC where it names no zone. Likewise ``updated_at`` and ``closed_at``.
        updated_at: of several copies of a report the one updated last is kept.
        closed_at: null while open.
        comments: how many, or the list of them.
        tracker: of reports that have no address; None takes ``other``.
        identity: ``tracker`` knows a report by its address or number, and one without either is quarantined;
            ``text`` knows such a report by its text.
        discussions: discussions are kept too, as reports of a project of their own, ``OWNER/NAME (discussions)``, so
            that no count mixes them with reports; otherwise they are excluded.
    """

    url: str | None = None
    number: str | None = None
    project: OriginOrPlace = Origin(place="none")
    title: str | None = None
    body: str | None = None
    state: str | None = None
    state_reason: str | None = None
    labels: str | None = None
    author_association: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    closed_at: str | None = None
    comments: str | None = None
    tracker: Tracker | None = None
    identity: Literal["tracker", "text"] = "tracker"
    discussions: bool = False

    @property
    def named(self) -> Mapping[str, str]:
        """The columns that were named, by field."""
        columns = {field: getattr(self, field) for field in KNOWN_NAMES if field != "project"}
        columns["project"] = self.project.column
        return {field: column for field, column in columns.items() if column is not None}

    def names(self, field: str) -> tuple[str, ...]:
        """Return the names to look for a field under, in order."""
        given = self.named.get(field)
        return KNOWN_NAMES[field] if given is None else (given,)
