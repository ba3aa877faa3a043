"""Many processes at one database: nothing is lost, nothing is written twice, also when processes are killed."""

import multiprocessing
import os
import signal
import time
from contextlib import closing
from multiprocessing.queues import Queue
from pathlib import Path

import pytest
from tests.contracts.conftest import BACK_ENDS
from tests.workbench_study import Silence, choice, team, write_study

from issuebook.app.annotate.labelling import next_unit, submit
from issuebook.app.annotate.rounds import open_round
from issuebook.app.annotate.unit_pages import UnitPage
from issuebook.app.annotate.workbench import Workbench, open_workbench
from issuebook.bootstrap import open_annotation
from issuebook.model.annotation import RoundPlan
from issuebook.model.unit import Unit

TEAM = ("ada", "ben", "cy", "dee")
UNITS, PER_UNIT = 40, 3
SPAWN = multiprocessing.get_context("spawn")


def bench_at(folder: str, address: str | None) -> Workbench:
    return open_workbench(open_annotation(Path(folder), None, address, Silence()))


@pytest.fixture(params=BACK_ENDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str | None]:
    """A study with an open round: its folder and the address of its database."""
    address = request.getfixturevalue("postgres")() if request.param == "postgres" else None
    write_study(tmp_path, units=UNITS, per_unit=PER_UNIT)
    with closing(bench_at(str(tmp_path), address)) as bench:
        open_round(bench, team(bench, *TEAM), RoundPlan(name="main"))
    return str(tmp_path), address


def label_all(folder: str, address: str | None, who: str, told: "Queue[tuple[str, object]]") -> None:
    try:
        with closing(bench_at(folder, address)) as bench:
            done = 0
            while isinstance(page := next_unit(bench, who), UnitPage):
                submit(bench, who, "main", page.unit.id, choice(), f"{who}-{page.unit.id}")
                done += 1
        told.put((who, done))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the result
        told.put((who, f"{type(error).__name__}: {error}"))


@pytest.mark.slow
def test_processes_label_beside_an_import_and_every_unit_gets_its_ratings(place: tuple[str, str | None]) -> None:
    """T7, T14: the size of T7 is in benchmarks/annotation.py."""
    folder, address = place
    told: Queue[tuple[str, object]] = SPAWN.Queue()
    processes = [SPAWN.Process(target=label_all, args=(folder, address, who, told)) for who in TEAM]
    for process in processes:
        process.start()
    more = (Unit(f"more{n}", "a title", "a body of some words " * 100, "more/units") for n in range(3_000))
    with closing(bench_at(folder, address)) as bench:
        bench.services.units.add("more", "0" * 64, more)
    done = dict(told.get(timeout=120) for _ in TEAM)
    for process in processes:
        process.join()
    assert all(isinstance(count, int) for count in done.values()), done
    with closing(bench_at(folder, address)) as bench, bench.reading() as state:
        work = state.rounds["main"].work
    counts = {unit: len(one.ratings()) for unit, one in work.items()}
    waiting = sum(PER_UNIT - count for count in counts.values())
    assert len(counts) == UNITS
    assert max(counts.values()) == PER_UNIT
    assert waiting == sum(bool(one.leases) for one in work.values())  # nobody stopped while a place was free
    assert sum(counts.values()) == sum(count for count in done.values() if isinstance(count, int))


def label_and_tell(folder: str, address: str | None, seed: int, acknowledged: str) -> None:
    bench = bench_at(folder, address)
    with Path(acknowledged).open("a", buffering=1) as file:
        for number in range(10_000):
            who = TEAM[number % len(TEAM)]
            page = next_unit(bench, who)
            if isinstance(page, UnitPage):
                key = f"{seed}-{number}"
                submit(bench, who, "main", page.unit.id, choice(), key)
                file.write(f"{who} {key}\n")
                submit(bench, who, "main", page.unit.id, choice(), key)  # a client that did not hear the answer


@pytest.mark.slow
def test_what_was_acknowledged_outlives_a_kill_and_stands_once(place: tuple[str, str | None], tmp_path: Path) -> None:
    """T9: fifty kills are in benchmarks/annotation.py."""
    folder, address = place
    acknowledged = tmp_path / "acknowledged.txt"
    acknowledged.touch()
    for seed in range(3):
        before = acknowledged.stat().st_size
        process = SPAWN.Process(target=label_and_tell, args=(folder, address, seed, str(acknowledged)))
        process.start()
        limit = time.monotonic() + 60
        while acknowledged.stat().st_size < before + 60 and time.monotonic() < limit:
            time.sleep(0.002)
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
    promised = {tuple(line.split()) for line in acknowledged.read_text().splitlines() if line.count("-") == 1}
    with closing(bench_at(folder, address)) as bench:
        stored = [(event.who, event.key) for event in bench.services.history.since(0) if event.kind == "rated"]
    assert len(promised) >= 10
    assert promised <= set(stored)
    assert len(stored) == len(set(stored))
