"""What every tracker's API can be asked, and how its answers become rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from issuebook.model.tracker_source import TrackerName
from issuebook.model.validation import Value
from issuebook.sources.trackers.exchange import Answer, NoAnswer, Request
from issuebook.sources.trackers.rows import Comment, Event, Item, Label, Payload, Thread
from issuebook.sources.trackers.task import Task
from issuebook.sources.trackers.verdict import Verdict
from issuebook.sources.trackers.walk import Place

Signature = Literal["authorization", "private-token", "query"]
"""Where a request carries its token: a header ``Authorization: Bearer``, a header of its own, or the address."""

Listing = Literal["issues", "comments"]
"""The two lists of a project that are walked by the time of the last change."""


class Repository(Value):
    """What a run needs to know of a repository.

    Attributes:
        id: the tracker's own id: a name can be given to another repository, an id cannot.
        name: ``owner/name`` as it is called now.
        private: only a token sees it.
        archived: nothing changes any more.
        has_issues: it has a tracker at all.
    """

    id: str
    name: str
    private: bool = False
    archived: bool = False
    has_issues: bool = True


class TrackerApi(Protocol):
    """One tracker's API: requests as data, answers as rows. ``root`` is the path that all of a repository is below."""

    @property
    def name(self) -> TrackerName:
        """The tracker."""
        ...

    @property
    def signed_by(self) -> Signature:
        """Where the token goes."""
        ...

    @property
    def resource(self) -> str:
        """The quota that its requests are counted against, as its headers call it."""
        ...

    @property
    def base_url(self) -> str:
        """The address that all requests are below, unless another is given."""
        ...

    @property
    def per_page(self) -> int:
        """The widest page."""
        ...

    @property
    def narrowest(self) -> int:
        """Fewest entries that a page is asked for, where the tracker fails on wide ones."""
        ...

    @property
    def numbered(self) -> bool:
        """Whether numbers run from 1 without gaps, so that a gap means something."""
        ...

    @property
    def lists_comments(self) -> bool:
        """Whether the comments of all reports are one list; else they are read report by report."""
        ...

    @property
    def needs_token(self) -> bool:
        """Whether nothing is answered without a token."""
        ...

    @property
    def disabled(self) -> str:
        """What to say of a repository that has none of what is collected."""
        ...

    @property
    def hourly(self) -> int | None:
        """Requests an hour without a token; None when the tracker does not tell."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of every request."""
        ...

    def root(self, project: str) -> str:
        """Return the path that everything of a repository is below."""
        ...

    def roots(self, repository: Repository) -> Sequence[str]:
        """Return all paths that lead to a repository; upper and lower case are the same."""
        ...

    def repository(self, root: str) -> Request:
        """Return the request for the repository itself."""
        ...

    def listing(self, listing: Listing, root: str, since: str | None, per_page: int) -> Request:
        """Return the request for the first page of a list, in the order of last changes, since a time or cursor."""
        ...

    def labels(self, root: str) -> Request:
        """Return the request for the first page of all labels."""
        ...

    def item(self, root: str, number: str) -> Request:
        """Return the request for one report or pull request."""
        ...

    def thread(self, thread: Thread, root: str, number: str) -> Request:
        """Return the request for the first page of what hangs on one report."""
        ...

    def total(self, root: str, repository: Repository) -> Request:
        """Return the request that tells how many reports the tracker has."""
        ...

    def total_pulls(self, repository: Repository) -> Request | None:
        """Return the request that tells how many pull requests are numbered with reports; None where there are none."""
        ...

    def place(self, root: str, after: str | None) -> Request | None:
        """Return the request for the place of the entry behind a cursor; None where an entry has no such place."""
        ...

    def newest(self, root: str) -> Request | None:
        """Return the request for the newest report, whose number tells how many there are; None where it does not."""
        ...

    def document(self, request: Request) -> bytes | None:
        """Return the body that is posted for a request, or None where it is asked by its address."""
        ...

    def cursors(self, value: object) -> Sequence[str] | None:
        """Return the cursors of the entries of a page, in order, or None for a list that is walked by time."""
        ...

    def verdict(self, answer: Answer | NoAnswer, asked: Task, now: float) -> Verdict:
        """Return what an answer means; ``now`` is for answers without a date of their own."""
        ...

    def objects(self, asked: Task, value: object) -> Sequence[Payload]:
        """Return the objects of an answer that hold rows of the kind that was asked for."""
        ...

    def next(self, request: Request, headers: Mapping[str, str], value: object) -> str | None:
        """Return the target of the page after the one that holds ``value``, or None when it was the last."""
        ...

    def moved_root(self, location: str) -> str | None:
        """Return the root inside the address that a redirect names, or None when there is none."""
        ...

    def read_repository(self, value: Payload) -> Repository:
        """Return what a repository's object says."""
        ...

    def read_total(self, value: object, headers: Mapping[str, str]) -> int | None:
        """Return the tracker's own count of reports, or None when it does not tell (reliably)."""
        ...

    def read_place(self, value: object) -> Place | None:
        """Return the place of an entry, or None when the list names none."""
        ...

    def read_item(self, value: Payload) -> Item:
        """Return a report or pull request.

        Raises:
            ValueError, KeyError, TypeError: it lacks what identifies it.
        """
        ...

    def read_comment(self, value: Payload, number: str | None) -> Comment:
        """Return a comment, of the report ``number`` where the object itself does not say."""
        ...

    def read_event(self, value: Payload, number: str) -> Event:
        """Return an event of a report."""
        ...

    def read_label(self, value: Payload) -> Label:
        """Return a label."""
        ...


def objects(value: object) -> Sequence[Payload]:
    """Return the objects of a list, leaving out what is none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def count(value: object) -> int:
    """Return a count, 0 where there is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
