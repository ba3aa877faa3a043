"""The workbench in a real browser: a server of its own for each test, and pages that tolerate no complaint."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.web_site import PASSWORD, TEAM, bench_with_team, running, with_passwords
from tests.workbench_study import MovedClock, bench_of, write_study

from issuebook.app.annotate.people import local_person, sign_in
from issuebook.app.annotate.rounds import open_round
from issuebook.app.annotate.workbench import Workbench
from issuebook.model.annotation import RoundPlan

OpenPage = Callable[..., Any]


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def alone(tmp_path: Path, clock: MovedClock) -> Workbench:
    """A study of one person without a password, whose round asks once for each of 12 units."""
    write_study(tmp_path, 12, per_unit=1)
    bench = bench_of(tmp_path, clock)
    open_round(bench, local_person(bench), RoundPlan(name="main", per_unit=1))
    return bench


@pytest.fixture
def team(tmp_path: Path, clock: MovedClock) -> Workbench:
    """A study of a team with passwords; ann and bob label in the blind round ``main``."""
    return with_passwords(bench_with_team(tmp_path, clock=clock))


@pytest.fixture
def open_page(browser: Any) -> Iterator[OpenPage]:
    """A function that opens a path of a site as somebody; complaints and requests elsewhere end the test.

    Options go to the browser's context; ``person`` is signed in, without it the page is the local person's.
    """
    complaints: list[str] = []
    contexts: list[Any] = []

    def opened(
        site: str, path: str = "/label", *, bench: Workbench | None = None, person: str = "", **options: Any
    ) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        if person:
            assert bench is not None
            assert person in TEAM
            token = sign_in(bench, person, PASSWORD, f"test {len(contexts)}").token
            name = f"issuebook-session-{site.rpartition(':')[2]}"
            context.add_cookies([{"name": name, "value": token, "url": site, "httpOnly": True, "sameSite": "Strict"}])
        page = context.new_page()
        page.set_default_timeout(5_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith(site) else complaints.append(f"asks {asked.url}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog {dialog.message}"))
        page.on("console", lambda said: complaints.append(said.text) if "Content Security" in said.text else None)
        page.goto(site + path)
        if path.startswith("/label") and page.locator("#unit").count():
            page.wait_for_selector(".option")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def site(alone: Workbench) -> Iterator[str]:
    """The address of the site of the person who works alone."""
    with running(alone) as address:
        yield address


@pytest.fixture
def team_site(team: Workbench) -> Iterator[str]:
    """The address of the team's site."""
    with running(team) as address:
        yield address
