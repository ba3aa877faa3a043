"""The workbench's pages at the size of the study, in one server, while seven annotators label.

Run: ``python -m benchmarks.annotation_pages [--reports 38742] [--folder DIR]``. The study is that of
``benchmarks.annotation``: texts of the lengths of the reports in ../shared/data/issues, half of all ratings made. Six
annotators fetch and submit over HTTP, about one unit a second each (faster than anybody reads); the seventh is a real
Chromium in which keys are pressed. Limits: every page p95 < 100 ms, a submit p95 < 50 ms, from the key to the painted
next unit p95 < 100 ms, the server < 300 MB.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx
from benchmarks.annotation import CODES, QUERIES, TEAM, bench_of, half_done, p95, set_up, tell, write_study
from playwright.sync_api import sync_playwright

from issuebook.app.annotate.people import set_password, sign_in
from issuebook.app.annotate.workbench import Workbench

PASSWORD = "a password of the benchmark"  # noqa: S105
PORT = 8797
SITE = f"http://127.0.0.1:{PORT}"
KEYS_TO_PAINT = """
() => {
  window.painted = [];
  let begun = 0;
  addEventListener('keydown', (event) => { if (event.key === 'Enter') begun = performance.now(); }, true);
  new MutationObserver(() => {
    const since = begun;
    const channel = new MessageChannel();
    channel.port1.onmessage = () => window.painted.push(performance.now() - since);
    requestAnimationFrame(() => channel.port2.postMessage(null));
  }).observe(document.querySelector('#unit'), {childList: true});
}
"""


def client_for(bench: Workbench, person: str) -> httpx.Client:
    """Return a client that is signed in, with the form token that belongs to its session."""
    session = sign_in(bench, person, PASSWORD, f"benchmark {person}")
    headers = {"origin": SITE, "x-csrf-token": session.csrf}
    cookies = {f"issuebook-session-{PORT}": session.token}
    return httpx.Client(base_url=SITE, headers=headers, cookies=cookies, timeout=30.0)


def timed(client: httpx.Client, path: str) -> float:
    begun = time.perf_counter()
    answer = client.get(path)
    took = (time.perf_counter() - begun) * 1000
    if answer.status_code != 200:
        raise SystemExit(f"{path}: {answer.status_code} {answer.text[:300]}")
    return took


def label_until(done: threading.Event, client: httpx.Client, who: str, fetched: list[float], sent: list[float]) -> None:
    """Fetch and submit, about one unit a second."""
    drawn = random.Random(who)  # noqa: S311
    while not done.wait(drawn.uniform(0.7, 1.3)):
        begun = time.perf_counter()
        unit = client.get("/label/next?round=main").json()["unit"]
        middle = time.perf_counter()
        answers = [{"facet": "theme", "code": drawn.choice(CODES)}]
        body = {"round": "main", "unit": unit, "key": f"{who} {time.time_ns()}", "seconds": 9.0, "answers": answers}
        answer = client.post("/label/choices", json=body)
        if answer.status_code != 200:
            raise RuntimeError(answer.text)
        fetched.append((middle - begun) * 1000)
        sent.append((time.perf_counter() - middle) * 1000)


def peak_memory(pid: int) -> float:
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def in_chromium(client: httpx.Client, units: int) -> list[float]:
    """Return the milliseconds from the key to the painted next unit."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        cookies = [{"name": name, "value": value, "url": SITE} for name, value in client.cookies.items()]
        page.context.add_cookies(cookies)  # type: ignore[arg-type]
        page.goto(f"{SITE}/label?round=main")
        page.wait_for_selector(".option")
        page.evaluate(KEYS_TO_PAINT)
        for _ in range(units):
            page.wait_for_timeout(250)
            for key in ("1", "2", "Enter"):
                page.keyboard.press(key)
        page.wait_for_timeout(500)
        painted: list[float] = page.evaluate("window.painted")
        browser.close()
    return painted


def measure(bench: Workbench, boss: str, server: subprocess.Popen[str], rounds: int) -> None:
    for person in (boss, *TEAM):
        set_password(bench, boss, person, PASSWORD)
    clients = {person: client_for(bench, person) for person in (*TEAM, boss)}
    done, fetched, sent = threading.Event(), list[float](), list[float]()
    workers = [
        threading.Thread(target=label_until, args=(done, clients[who], who, fetched, sent), daemon=True)
        for who in TEAM[:-1]
    ]
    for worker in workers:
        worker.start()
    reader, lead = clients[TEAM[-1]], clients[boss]
    queue = lead.get("/adjudicate").text
    dispute = re.search(r'href="(/adjudicate/unit[^"]+)"', queue)
    paths = {
        "labelling page": (reader, "/label?round=main"),
        "next unit": (reader, "/label/next?round=main"),
        "last 20": (reader, "/label/recent"),
        "codebook": (reader, "/codebook"),
        "codebook, with all counts": (lead, "/codebook"),
        "code": (lead, "/codebook/code?facet=theme&code=A.1"),
        "history": (lead, "/codebook/history"),
        "worklist": (reader, "/codebook/worklist"),
        "proposals": (lead, "/codebook/proposals"),
        "adjudication queue": (lead, "/adjudicate"),
        "dispute": (lead, dispute[1].replace("&amp;", "&") if dispute else "/adjudicate"),
        "rounds": (lead, "/rounds"),
        "people": (lead, "/people"),
        "dashboard": (lead, "/dashboard?round=main"),
    }
    for what, path in {"agreement": "/dashboard?round=main", "codebook": "/codebook", "code": paths["code"][1]}.items():
        print(f"{what} counted anew: {timed(lead, path):.0f} ms, at most once a minute")
    times: dict[str, list[float]] = {name: [] for name in (*paths, "search")}
    for _ in range(rounds):
        for name, (client, path) in paths.items():
            times[name].append(timed(client, path))
        times["search"] += [timed(lead, f"/search?q={httpx.QueryParams({'q': query})['q']}") for query in QUERIES]
    painted = in_chromium(reader, 3 * rounds)
    done.set()
    for worker in workers:
        worker.join()
    for name, found in times.items():
        tell(f"page: {name}", found, 100)
    tell("at work: next unit", fetched, 100)
    tell("at work: submit", sent, 50)
    tell("key to next unit painted", painted, 100)
    print(f"slowest single answer {max(max(found) for found in times.values()):.0f} ms; submit p95 {p95(sent):.1f} ms")
    print(f"server: peak memory {peak_memory(server.pid):.0f} MB (limit 300)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reports", type=int, default=38_742)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="issuebook-pages-"))
    if not (folder / "study.toml").exists():
        write_study(folder, given.reports)
        fresh = bench_of(folder, None)
        set_up(fresh)
        print(f"half of the ratings: {half_done(fresh)}")
    command = [sys.executable, "-m", "issuebook", "annotate", str(folder), "--no-browser", "--port", str(PORT)]
    os.environ.pop("_RJEM_MALLOC_CONF", None)  # set by Polars in this process: the server is started as from a shell
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": "src"}
    ) as server:
        try:
            print(server.stdout.readline().strip() if server.stdout else "")
            bench = bench_of(folder, None)
            measure(bench, "me", server, given.rounds)
        finally:
            server.terminate()
    print(folder)


if __name__ == "__main__":
    main()
