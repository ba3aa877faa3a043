"""The fifteen scenarios of the torture table, each a schedule of faults that can be joined with any other."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.trackers.fake import Call, FakeTracker, Response
from tests.trackers.world import World

DOCUMENTED = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api"
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


class Quiet:
    """A fault that does nothing by itself; others begin at the request number ``first``."""

    first: int = 5

    def before(self, call: Call, tracker: FakeTracker) -> Response | None:
        return None

    def after(self, call: Call, response: Response) -> Response:
        return response


@dataclass
class Refusal(Quiet):
    """Answers in the tracker's place, ``times`` times, from the request number ``first`` on."""

    make: Callable[[FakeTracker], Response]
    first: int = 5
    times: int = 1

    def before(self, call: Call, tracker: FakeTracker) -> Response | None:
        if call.number < self.first or self.times == 0:
            return None
        self.times -= 1
        return self.make(tracker)


@dataclass
class Happening(Quiet):
    """Changes the world once, just before the request number ``first``."""

    change: Callable[[World], None]
    first: int = 5
    done: bool = False

    def before(self, call: Call, tracker: FakeTracker) -> Response | None:
        if call.number >= self.first and not self.done:
            self.done = True
            self.change(tracker.world)
        return None


@dataclass
class CutOff(Quiet):
    """Breaks an answer off: fewer bytes come than were announced."""

    first: int = 5
    times: int = 1

    def after(self, call: Call, response: Response) -> Response:
        if call.number < self.first or self.times == 0 or len(response.body) < 50:
            return response
        self.times -= 1
        half = len(response.body) // 2
        return Response(response.status, response.body[:half], response.headers, missing=len(response.body) - half)


@dataclass
class Renaming(Quiet):
    """Renames the repository before the request number ``first``; the old name redirects."""

    first: int = 5
    done: bool = False

    def before(self, call: Call, tracker: FakeTracker) -> Response | None:
        if call.number >= self.first and not self.done:
            self.done = True
            tracker.old_names, tracker.world.name = (tracker.world.name,), "acme/motor"
        return None


@dataclass
class Spent(Quiet):
    """The primary limit: the quota is used up until half an hour later, and at least ``times`` answers say so."""

    first: int = 5
    times: int = 8
    until: float | None = None

    def before(self, call: Call, tracker: FakeTracker) -> Response | None:
        if call.number < self.first or self.times == 0:
            return None
        self.times -= 1
        self.until = tracker.now() + 1800
        headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(self.until))}
        return Response.of({"message": "API rate limit exceeded for user ID 1."}, 403, headers)


def _secondary(tracker: FakeTracker) -> Response:
    message = {"message": SECONDARY, "documentation_url": DOCUMENTED}
    return Response.of(message, 403, {"x-ratelimit-remaining": "4000"})


def _asked(status: int) -> Callable[[FakeTracker], Response]:
    return lambda tracker: Response.of({"message": SECONDARY}, status, {"retry-after": "30"})


def _forbidden(tracker: FakeTracker) -> Response:
    message = "Resource not accessible by personal access token"
    return Response.of({"message": message}, 403, {"x-ratelimit-remaining": "4000"})


def _html(status: int) -> Callable[[FakeTracker], Response]:
    page = b"<html><body><h1>Unicorn!</h1></body></html>"
    return lambda tracker: Response(status, page, {"content-type": "text/html"})


def _quota_inside_200(tracker: FakeTracker) -> Response:
    return Response.of({"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]})


def edit_and_transfer(world: World) -> None:
    """Edit three reports that were read already, and move one that was not away."""
    order = sorted(world.entries.values(), key=lambda entry: (entry.updated, entry.id))
    for entry in order[3:6]:
        world.edit(entry.number)
    world.transfer(next(entry for entry in order[120:] if not entry.pull).number)  # a pull request cannot be moved


SCENARIOS: dict[str, Callable[[], tuple[Quiet, ...]]] = {
    "plain": lambda: (),
    "edited and transferred while read": lambda: (Happening(edit_and_transfer),),
    "secondary limit without a time": lambda: (Refusal(_secondary),),
    "secondary limit three times": lambda: (Refusal(_secondary, times=3),),
    "403 with Retry-After": lambda: (Refusal(_asked(403)),),
    "429 with Retry-After": lambda: (Refusal(_asked(429)),),
    "primary limit, eight answers": lambda: (Spent(),),
    "forbidden": lambda: (Refusal(_forbidden),),
    "502 with HTML": lambda: (Refusal(_html(502)),),
    "answer cut off": lambda: (CutOff(),),
    "200 with HTML": lambda: (Refusal(_html(200)),),
    "pages refused with 422": lambda: (),  # a habit of the tracker: see ``HABITS``
    "renamed": lambda: (Renaming(),),
    "nothing since 1970": lambda: (),  # always so: both fakes answer [] to it
    "all in one second": lambda: (),  # a habit of the world
}
HABITS = ("pages refused with 422", "all in one second")
MORE: dict[str, Callable[[], tuple[Quiet, ...]]] = {
    "quota error inside a 200": lambda: (Refusal(_quota_inside_200),),
}
