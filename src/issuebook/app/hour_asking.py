"""Hour files from a server: asked for one by one, waited for, gone on with where they broke off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import IO

from issuebook.app.archive_ports import ArchiveProgress, FileTransport
from issuebook.app.asking import fault
from issuebook.app.collect_ports import Waiting
from issuebook.errors import Fault, TrackerError
from issuebook.sources.gharchive.hours import file_name
from issuebook.sources.trackers.exchange import Answer, NoAnswer, Request
from issuebook.sources.trackers.verdict import Content, Gone, Moved, Retry, Verdict, Wait, classify, delay

_HEAD = 1 << 10
_NO_SUCH_FILE = b"NoSuchKey"
_RUN_AGAIN = "The hours before are stored: run the same command again to go on."


class AskedHours:
    """The hours of an archive below an address."""

    def __init__(
        self,
        place: str,
        transport: FileTransport,
        spool: Callable[[], AbstractContextManager[IO[bytes]]],
        clock: Waiting,
        progress: ArchiveProgress,
    ) -> None:
        """Take the address, the way there, and where a file is put while it is read."""
        self.place = place
        self._transport, self._spool = transport, spool
        self._clock, self._progress = clock, progress
        self._met = False

    def size(self, hour: datetime) -> int | None:
        """Return the size of an hour's file, -1 when it is there and its size is not told, or None when it is not.

        Raises:
            TrackerError: the server refuses or cannot be reached.
        """
        name = file_name(hour)

        def ask() -> tuple[Answer | NoAnswer, Verdict]:
            answer = self._transport.size(Request(f"/{name}"))
            is_there = isinstance(answer, Answer) and answer.status == 200
            return answer, Content(None) if is_there else classify(answer, object, self._clock.time())

        answer = self._ask(name, ask)
        if answer is None:
            return None
        told = answer.headers.get("content-length", "")
        return int(told) if told.isdigit() else -1

    @contextmanager
    def open(self, hour: datetime) -> Iterator[IO[bytes] | None]:
        """Give an hour's file, or None when the archive does not have it; the copy on the disk goes afterwards.

        Raises:
            TrackerError: the server refuses or cannot be reached.
            OutputError: the disk is full.
        """
        name = file_name(hour)
        with self._spool() as file:
            version: list[str | None] = [None]

            def ask() -> tuple[Answer | NoAnswer, Verdict]:
                answer = self._transport.download(Request(f"/{name}"), file, version[0])
                version[0] = answer.headers.get("etag")
                return answer, self._verdict(answer, file)

            found = self._ask(name, ask, lambda: file.seek(0, 2))
            file.seek(0)
            yield None if found is None else file

    def _ask(
        self,
        name: str,
        ask: Callable[[], tuple[Answer | NoAnswer, Verdict]],
        reached: Callable[[], int] = lambda: 0,
    ) -> Answer | None:
        """Return the answer, or None when there is no such file; a download that gets further may go on trying."""
        counts: dict[type, int] = {Wait: 0, Retry: 0}
        before = 0
        while True:
            answer, verdict = ask()
            self._met = self._met or isinstance(answer, Answer)
            if isinstance(verdict, Content) and isinstance(answer, Answer):
                return answer
            if isinstance(verdict, Gone):
                return None
            if not isinstance(verdict, Wait | Retry):
                raise TrackerError(self._fault(name, verdict))
            if reached() > before:
                before, counts[Retry] = reached(), 0
            seconds = delay(verdict, counts[type(verdict)], met=self._met)
            counts[type(verdict)] += 1
            if seconds is None:
                raise TrackerError(self._fault(name, verdict))
            self._progress.note(f"{name}: {_of_server(verdict.why)}; again in {seconds:.0f} s.")
            self._clock.sleep(seconds)

    def _verdict(self, answer: Answer | NoAnswer, file: IO[bytes]) -> Verdict:
        """Return what a download means; a page that says 200 is no hour file."""
        if isinstance(answer, Answer) and answer.status == 416:
            file.truncate(0)
            return Retry("the file is shorter than what was read of it")
        if not isinstance(answer, Answer) or answer.status not in (200, 206):
            return classify(answer, object, self._clock.time())
        file.seek(0)
        head = file.read(_HEAD).lstrip()
        if not head.startswith(b"<"):
            return Content(None)
        file.truncate(0)
        return Gone("absent") if _NO_SUCH_FILE in head else Retry("a page instead of an hour file", garbled=True)

    def _fault(self, name: str, verdict: Verdict) -> Fault:
        where = f"{self.place}/{name}"
        if isinstance(verdict, Moved):
            what = f"the hour files have moved to {verdict.location or 'another place'}."
            return Fault(where, what, f"Give that place with --base-url. {_RUN_AGAIN}")
        told = fault(where, verdict)
        return Fault(where, _of_server(told.what), _RUN_AGAIN)


def _of_server(text: str) -> str:
    return text.replace("the tracker", "the server")
