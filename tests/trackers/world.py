"""What a fake tracker holds: reports, pull requests and comments, made from a seed, and what happens to them."""

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

START = datetime(2024, 3, 1, tzinfo=UTC)
LABELS = ("bug", "docs", "performance")


@dataclass
class Entry:
    """A report or pull request; ``comments`` are counted from the world's comments when it is served."""

    number: int
    id: int
    title: str
    body: str | None
    login: str | None
    labels: tuple[str, ...]
    state: str
    state_reason: str | None
    pull: bool
    created: datetime
    updated: datetime


@dataclass
class Remark:
    """A comment."""

    id: int
    number: int
    body: str
    login: str | None
    created: datetime
    updated: datetime


@dataclass
class World:
    """One repository with its tracker.

    Attributes:
        lost: what became of numbers that lead nowhere: a status and, of a redirect, the address.
        facts: keys of the repository's object that differ from the usual.
    """

    name: str = "acme/engine"
    id: int = 4711
    entries: dict[int, Entry] = field(default_factory=dict)
    remarks: dict[int, Remark] = field(default_factory=dict)
    lost: dict[int, tuple[int, str | None]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    now: datetime = START + timedelta(days=200)

    def tick(self) -> datetime:
        """Return the time of the next thing that happens."""
        self.now += timedelta(seconds=7)
        return self.now

    def edit(self, number: int) -> None:
        entry = self.entries[number]
        entry.title += " (edited)"
        entry.updated = self.tick()

    def transfer(self, number: int, *, status: int = 301) -> None:
        del self.entries[number]
        target = f"/repositories/99/issues/{number + 1000}" if status == 301 else None
        self.lost[number] = (status, target)

    def comment(self, number: int, text: str = "Seen here too.") -> Remark:
        at = self.tick()
        remark = Remark(90_000 + len(self.remarks), number, text, "late-guest", at, at)
        self.remarks[remark.id] = remark
        self.entries[number].updated = at
        return remark

    def comments_of(self, number: int) -> list[Remark]:
        return sorted((one for one in self.remarks.values() if one.number == number), key=lambda one: one.id)

    @property
    def reports(self) -> list[Entry]:
        return [entry for entry in self.entries.values() if not entry.pull]


def make_world(
    seed: int = 1, size: int = 250, pulls: int = 41, *, one_second: bool = False, talked: int | None = None
) -> World:
    """Return a world of ``size`` entries, ``pulls`` of them pull requests, three without a body, one without a user.

    Comments are on the first ``talked`` of them, on any when None.
    """
    chance = random.Random(seed)
    world = World()
    numbers = list(range(1, size + 1))
    pull_numbers = set(chance.sample(numbers, pulls))
    bodiless = set(chance.sample(numbers, min(3, size)))
    ghost = chance.choice(numbers) if numbers else 0
    for number in numbers:
        created = START + timedelta(minutes=37 * number)
        updated = created + timedelta(minutes=chance.randrange(0, 9000), seconds=chance.randrange(60))
        closed = chance.random() < 0.5
        world.entries[number] = Entry(
            number=number,
            id=1_000_000 + number * 3,
            title=f"Report {number}",
            body=None
            if number in bodiless
            else f"Line one\r\nline two of {number} \x1b[31mred\x1b[0m\x00 @user{number % 9}",
            login=None if number == ghost else f"user{number % 17}",
            labels=tuple(label for label in LABELS if chance.random() < 0.3),
            state="closed" if closed else "open",
            state_reason=chance.choice(["completed", "not_planned", "duplicate", "a_new_reason"]) if closed else None,
            pull=number in pull_numbers,
            created=created,
            updated=START if one_second else updated,
        )
    for place in range(size // 2):
        about = world.entries[chance.choice(numbers[:talked])]
        at = START if one_second else about.updated - timedelta(seconds=1)
        remark = Remark(70_000 + place, about.number, f"Comment {place} by a@b.example", f"user{place % 13}", at, at)
        world.remarks[remark.id] = remark
    return world


def utc_text(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def beijing_text(time: datetime) -> str:
    return (time + timedelta(hours=8)).strftime("%Y-%m-%dT%H:%M:%S+08:00")
