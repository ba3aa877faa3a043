"""The keyset walk over a list that changes while it is read."""

import random

from hypothesis import given
from hypothesis import strategies as st

from issuebook.sources.trackers.walk import Page, Walk, advance, begin

PER_PAGE = 3


def time(second: int) -> str:
    return f"2024-01-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"


class Model:
    """A tracker's list in the order of last changes: ``entries`` holds the second of each."""

    def __init__(self, seconds: list[int]) -> None:
        self.entries = {f"id{place}": second for place, second in enumerate(seconds)}
        self.now = max(seconds, default=0)

    def page(self, walk: Walk) -> Page:
        since, _, offset = (walk.next or f"{walk.since or ''}|0").partition("|")
        rows = sorted((time(second), name) for name, second in self.entries.items() if time(second) >= since)
        start = int(offset)
        found = tuple((name, change) for change, name in rows[start : start + PER_PAGE])
        following = f"{since}|{start + PER_PAGE}" if len(rows) > start + PER_PAGE else None
        return Page(found, following, full=len(found) == PER_PAGE)

    def happen(self, chance: random.Random) -> None:
        """Edit, remove or add an entry; each change has a second of its own."""
        self.now += 1
        what = chance.choice(["edit", "remove", "add", "nothing"])
        if what == "add" or (what != "nothing" and not self.entries):
            self.entries[f"new{self.now}"] = self.now
        elif what == "edit":
            self.entries[chance.choice(sorted(self.entries))] = self.now
        elif what == "remove":
            del self.entries[chance.choice(sorted(self.entries))]


def read(model: Model, walk: Walk, chance: random.Random | None = None, most: int = 200) -> tuple[Walk, dict[str, str]]:
    seen: dict[str, str] = {}
    for _ in range(most):
        page = model.page(walk)
        seen |= dict(page.entries)
        step = advance(walk, page)
        walk = step.walk
        if step.over:
            return walk, seen
        if chance is not None and chance.random() < 0.7:
            model.happen(chance)
    raise AssertionError("the walk does not end")


@given(st.lists(st.integers(0, 8), max_size=25))
def test_a_list_that_does_not_change_is_read_whole_however_many_share_a_second(seconds: list[int]) -> None:
    model = Model(seconds)
    _, seen = read(model, Walk())
    assert seen == {name: time(second) for name, second in model.entries.items()}


@given(st.integers(0, 30), st.randoms(use_true_random=False))
def test_no_change_while_reading_costs_an_entry(size: int, chance: random.Random) -> None:
    model = Model(list(range(size)))
    _, seen = read(model, Walk(), chance)
    assert {name: time(second) for name, second in model.entries.items()}.items() <= seen.items()


@given(st.integers(0, 30), st.integers(0, 20), st.randoms(use_true_random=False))
def test_a_second_run_sees_every_change_since_the_first(size: int, changes: int, chance: random.Random) -> None:
    model = Model(list(range(size)))
    walk, seen = read(model, Walk())
    for _ in range(changes):
        model.happen(chance)
    _, later = read(model, begin(walk), chance)
    assert {name: time(second) for name, second in model.entries.items()}.items() <= (seen | later).items()
