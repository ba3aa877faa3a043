"""The workbench at the size of the study: pages, submits and search while seven people label.

Usage: python -m benchmarks.annotation [--reports 38742] [--database ADDRESS | own] [--only PART ...] [--folder DIR]

SQLite is measured, or PostgreSQL: ``--database own`` starts a server, durable as one comes, in a folder of its own.

Texts are those of ../shared/data/issues, repeated with a tenth of the words exchanged until there are as many as asked
for. Parts: ``pages`` (one server, seven annotators, half of the ratings made), ``writers`` (seven processes submit
while another one imports), ``kill`` (a server is killed under load fifty times).
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import multiprocessing
import os
import random
import signal
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from multiprocessing.queues import Queue
from pathlib import Path

from tests.postgres_server import running_server

from issuebook.adapters.sql.engine import postgres_engine
from issuebook.adapters.sql.schema import bring_up_to_date
from issuebook.annotation.events import Answer, AnyEvent, Rated
from issuebook.annotation.state import State
from issuebook.app.annotate.adjudication import adjudication_queue, dispute_page
from issuebook.app.annotate.dashboard import dashboard
from issuebook.app.annotate.finding import search
from issuebook.app.annotate.labelling import Choice, next_unit, recent, submit, unit_page
from issuebook.app.annotate.people import add_person, change_roles, local_person
from issuebook.app.annotate.rounds import open_round, rounds
from issuebook.app.annotate.unit_pages import UnitPage
from issuebook.app.annotate.workbench import Workbench, open_workbench
from issuebook.bootstrap import open_annotation
from issuebook.model.annotation import RoundPlan
from issuebook.model.unit import Unit

ISSUES = Path(__file__).resolve().parents[2] / "shared" / "data" / "issues"
TEAM = tuple(f"annotator{n}" for n in range(1, 8))
CODES = tuple(f"{kind}.{theme}" for kind in "ABC" for theme in range(1, 8))
QUERIES = (
    "out of memory",
    "segfault cuda",
    '"tensor parallel"',
    "error",
    "the",
    "quantization gguf",
    "project:vllm hang",
    "title:crash",
    "deadlock",
    "memo:flaky",
    "code:A.1",
    "how to use lora",
    "nccl timeout",
    "keyword:oom",
    "body:traceback",
)

STUDY = """
[study]
title = "benchmark"
[annotation]
units = "reports.jsonl"
per_unit = 3
"""


def seeded(seed: int | str) -> random.Random:
    return random.Random(seed)  # noqa: S311 - the same numbers in each run are wanted


class Silence:
    def started(self, stage: str) -> None: ...

    def step(self, what: str, done: int, total: int) -> None: ...

    def finished(self, stage: str, state: str, seconds: float) -> None: ...


def real_reports() -> list[dict[str, object]]:
    reports = []
    for path in sorted(ISSUES.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            reports += [json.loads(line) for line in lines]
    return reports


def write_study(folder: Path, count: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(STUDY)
    types = [
        f"      - {{id: {kind}, name: type {kind}, codes: ["
        + ", ".join(f"{{id: {kind}.{n}, name: theme {kind}{n}}}" for n in range(1, 8))
        + "]}"
        for kind in "ABC"
    ]
    book = ["name: book", "facets:", "  - id: theme", "    levels: [type, theme]", "    codes:", *types]
    (folder / "codebook.yaml").write_text("\n".join(book) + "\n")
    reports, drawn = real_reports(), seeded(1)
    words = sorted({word for report in reports for word in str(report["title"]).split()})
    with (folder / "reports.jsonl").open("w") as file:
        for number in range(count):
            report = reports[number % len(reports)]
            body = str(report["body"] or "").split(" ")
            for _ in range(len(body) // 10):  # a tenth of the words are others, so that no two texts are the same
                body[drawn.randrange(len(body))] = drawn.choice(words)
            project = str(report["html_url"]).split("/")[3:5]
            url = f"https://github.com/{'/'.join(project)}/issues/{number + 1}"
            file.write(json.dumps({**report, "html_url": url, "number": number + 1, "body": " ".join(body)}) + "\n")


def bench_of(folder: Path, address: str | None) -> Workbench:
    return open_workbench(open_annotation(folder, None, address, Silence()))


def set_up(bench: Workbench) -> str:
    boss = local_person(bench)
    for name in TEAM:
        add_person(bench, boss, name, name, ["annotator"])
    change_roles(bench, boss, boss, ["coordinator", "adjudicator", "reader"])
    open_round(bench, boss, RoundPlan(name="main"))
    return boss


def choose(drawn: random.Random) -> Choice:
    memo = drawn.choice(["", "", "", "flaky on two devices", "see the log below"])
    code = Answer(facet="theme", code=drawn.choice(CODES))
    return Choice((code,), memo=memo, unsure=drawn.random() < 0.1, seconds=drawn.uniform(3, 60))


def half_done(bench: Workbench) -> int:
    """Append half of all ratings at once: three annotators on each unit of the first half."""
    drawn, at = seeded(2), datetime.now(UTC) - timedelta(days=3)
    with bench.reading() as state:
        units = state.rounds["main"].opened.units

    def decide(_: object) -> list[AnyEvent]:
        events: list[AnyEvent] = []
        for place, unit in enumerate(units[: len(units) // 2]):
            for offset in range(3):
                said = choose(drawn)
                who = TEAM[(place + offset) % len(TEAM)]
                events.append(
                    Rated(at=at, who=who, round="main", unit=unit, answers=said.answers, memo=said.memo,
                          unsure=said.unsure, seconds=said.seconds, key=f"{who}-{unit}")
                )  # fmt: skip
        return events

    bench.write("", "", decide)
    return len(units) // 2 * 3


def p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20, method="inclusive")[18] if len(times) > 1 else times[0]


def timed(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return (time.perf_counter() - begun) * 1000


def locked(bench: Workbench, act: Callable[[], object]) -> float:
    """Return the longest time in ms for which an act holds the lock that everybody who labels needs."""
    times: list[float] = []

    class Watched(Workbench):
        @contextmanager
        def reading(self) -> Iterator[State]:
            with super().reading() as state:
                begun = time.perf_counter()
                yield state
                times.append((time.perf_counter() - begun) * 1000)

    before, bench.__class__ = bench.__class__, Watched
    for _ in range(20):
        act()
    bench.__class__ = before
    return max(times)


def tell(what: str, times: list[float], limit: float) -> None:
    middle, high = statistics.median(times), p95(times)
    print(f"{what:<34} n {len(times):>5}  median {middle:>7.1f} ms  p95 {high:>7.1f} ms  limit {limit:>5.0f}  "
          f"{'ok' if high < limit else 'TOO SLOW'}")  # fmt: skip


def rss() -> float:
    """Return the peak memory in MB; getrusage would tell that of the process that this one was forked from."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


def pages(folder: Path, address: str | None) -> None:
    begun = time.perf_counter()
    bench = bench_of(folder, address)
    with bench.reading() as state:
        events = state.seq
    gc.freeze()  # as the server does: the state lives as long as the process, and need not be walked again and again
    print(f"open with {events} events: {time.perf_counter() - begun:.1f} s; peak memory {rss():.0f} MB")
    boss = local_person(bench)
    label_by_turns(bench, 1400)
    for who in (TEAM[0], boss):
        by_query = {query: [timed(partial(search, bench, who, query)) for _ in range(8)] for query in QUERIES}
        slowest = max(QUERIES, key=lambda query: statistics.median(by_query[query]))
        tell(f"search as {who}, slowest {slowest!r}", [time for found in by_query.values() for time in found], 100)
    tell("rounds", [timed(partial(rounds, bench, boss)) for _ in range(100)], 100)
    tell("adjudication queue", [timed(partial(adjudication_queue, bench, boss)) for _ in range(50)], 100)
    print(f"others wait at most {locked(bench, partial(adjudication_queue, bench, boss)):.1f} ms for it")
    first = adjudication_queue(bench, boss).disputes[0]
    disputed = partial(dispute_page, bench, boss, first.round, first.unit, first.facet)
    tell("disputed unit", [timed(disputed) for _ in range(50)], 100)
    print(f"agreement measured anew: {timed(partial(dashboard, bench, boss, 'main')):.0f} ms, at most once a minute")
    tell("dashboard", [timed(partial(dashboard, bench, boss, "main")) for _ in range(50)], 100)
    print(f"peak memory {rss():.0f} MB (limit 300)")


def label_by_turns(bench: Workbench, count: int) -> None:
    drawn = seeded(3)
    times: dict[str, list[float]] = {name: [] for name in ("next unit", "submit", "recent", "unit page")}
    for number in range(count):
        who = TEAM[number % len(TEAM)]
        begun = time.perf_counter()
        page = next_unit(bench, who)
        times["next unit"].append((time.perf_counter() - begun) * 1000)
        if not isinstance(page, UnitPage):
            raise SystemExit(page.explanation)
        key = f"bench-{time.time_ns()}"
        times["submit"].append(timed(partial(submit, bench, who, page.round, page.unit.id, choose(drawn), key)))
        if number % 20 == 0:
            times["recent"].append(timed(partial(recent, bench, who)))
            times["unit page"].append(timed(partial(unit_page, bench, who, page.round, page.unit.id)))
    for name, found in times.items():
        tell(name, found, 50 if name == "submit" else 100)


Told = tuple[str, "list[float] | str"]


def label_many(folder: str, address: str | None, who: str, count: int, said: Queue[Told]) -> None:
    """Label ``count`` units and tell the times of the submits, or what went wrong."""
    try:
        bench, drawn, times = bench_of(Path(folder), address), seeded(who), []
        for number in range(count):
            page = next_unit(bench, who)
            if not isinstance(page, UnitPage):
                said.put((who, page.explanation))
                return
            act = partial(submit, bench, who, page.round, page.unit.id, choose(drawn), f"w{time.time_ns()}-{number}")
            times.append(timed(act))
        said.put((who, times))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the result
        said.put((who, f"{type(error).__name__}: {error}"))


def more_units(count: int) -> Iterator[Unit]:
    reports = real_reports()
    for number in range(count):
        report = reports[number % len(reports)]
        yield Unit(f"more{number}", str(report["title"]), str(report["body"] or ""), "more/units")


def writers(folder: Path, address: str | None) -> None:
    context = multiprocessing.get_context("spawn")
    said: Queue[Told] = context.Queue()
    bench = bench_of(folder, address)
    before = ratings(bench)
    processes = [context.Process(target=label_many, args=(str(folder), address, who, 500, said)) for who in TEAM]
    for process in processes:
        process.start()
    taken = timed(partial(bench.services.units.add, "more", f"{time.time_ns():064}", more_units(40_000))) / 1000
    results = [said.get(timeout=900) for _ in TEAM]
    for process in processes:
        process.join()
    failures = [found for _, found in results if isinstance(found, str)]
    times = [time for _, found in results if not isinstance(found, str) for time in found]
    print(
        f"7 processes x 500 submits beside 40,000 units that came in {taken:.0f} s: {len(failures)} failures {failures}"
    )
    print(f"ratings acknowledged {len(times)}, stored {ratings(bench) - before}")
    tell("submit beside an import", times, 250)


def ratings(bench: Workbench) -> int:
    with bench.reading() as state:
        return sum(tally.done for tally in state.rounds["main"].tallies.values())


def serve_until_killed(folder: str, address: str | None, seed: int, acknowledged: str) -> None:
    """Label as everybody in turn; each acknowledged key is a line of a file, written after the answer came."""
    bench, drawn = bench_of(Path(folder), address), seeded(seed)
    with Path(acknowledged).open("a", buffering=1) as file:
        for number in range(1_000_000):
            who = TEAM[number % len(TEAM)]
            page = next_unit(bench, who)
            if isinstance(page, UnitPage):
                key = f"kill-{time.time_ns()}-{number}."
                submit(bench, who, page.round, page.unit.id, choose(drawn), key)
                file.write(f"{who} {key}\n")
                if drawn.random() < 0.3:  # a client that did not hear the answer sends again
                    submit(bench, who, page.round, page.unit.id, choose(drawn), key)


def kill(folder: Path, address: str | None, times: int) -> None:
    context, acknowledged = multiprocessing.get_context("spawn"), folder / f"acknowledged-{time.time_ns()}.txt"
    acknowledged.touch()
    for seed in range(times):
        wanted = len(acknowledged.read_text().splitlines()) + seeded(seed).randrange(3, 40)
        process = context.Process(target=serve_until_killed, args=(str(folder), address, seed, str(acknowledged)))
        process.start()
        while len(acknowledged.read_text().splitlines()) <= wanted:
            time.sleep(0.002)
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
    promised = {tuple(line.split()) for line in acknowledged.read_text().splitlines() if line.endswith(".")}
    bench = bench_of(folder, address)
    stored = [(event.who, event.key) for event in bench.services.history.since(0) if event.kind == "rated"]
    lost, twice = promised - set(stored), len(stored) - len(set(stored))
    with bench.reading() as state:
        most = max(len(work.ratings()) for work in state.rounds["main"].work.values())
    print(f"killed {times} times: {len(promised)} acknowledged, {len(lost)} lost, {twice} twice, {most} ratings a unit")


@contextmanager
def database(given: str | None) -> Iterator[str | None]:
    """Give the address of the database: None for SQLite; a server of its own, durable as one comes, for ``own``."""
    if given != "own":
        yield given
        return
    with running_server(durable=True) as folder:
        address = f"postgresql+psycopg://tests@/postgres?host={folder}"
        bring_up_to_date(postgres_engine(address), "the benchmark's database")
        yield address


def measure(given: argparse.Namespace, folder: Path, address: str | None) -> None:
    if not (folder / "study.toml").exists():
        write_study(folder, given.reports)
        begun = time.perf_counter()
        bench = bench_of(folder, address)
        set_up(bench)
        print(f"import of {given.reports} reports: {time.perf_counter() - begun:.1f} s (limit 60)")
        print(f"half of the ratings: {half_done(bench)}")
    if "pages" in given.only:
        process = multiprocessing.get_context("spawn").Process(target=pages, args=(folder, address))
        process.start()
        process.join()
    if "writers" in given.only:
        writers(folder, address)
    if "kill" in given.only:
        kill(folder, address, given.kills)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reports", type=int, default=38_742)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--database", default=None)
    parser.add_argument("--only", nargs="*", default=["pages", "writers", "kill"])
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="issuebook-bench-"))
    with database(given.database) as address:
        measure(given, folder, address)
    print(folder)


if __name__ == "__main__":
    main()
