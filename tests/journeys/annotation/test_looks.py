"""Every page, light and dark, on a phone and enlarged: no WCAG 2.2 AA violation, nothing to scroll sideways."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.annotation.conftest import OpenPage
from tests.web_site import bench_with_team, running, with_passwords
from tests.workbench_study import MovedClock, label

from issuebook.annotation.events import Answer
from issuebook.app.annotate.adjudication import adjudication_queue, decide, dispute_page
from issuebook.app.annotate.invitations import invite
from issuebook.app.annotate.people import change_roles
from issuebook.app.annotate.rounds import close_round
from issuebook.app.annotate.workbench import Workbench

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
pytestmark = pytest.mark.browser

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PAGES = (
    "/label", "/label/recent", "/adjudicate", "dispute", "meeting", "/label/unsaved", "/dashboard?round=main",
    "/rounds", "/people", "invited", "/join", "/codebook",
    "/search?q=loading", "/search?q=%22", "/account", "/sign-in", "/nowhere", "nothing",
)  # fmt: skip
SIZES = {"desk": (1280, 800), "phone": (360, 740), "enlarged": (640, 400), "wall": (2560, 1440)}
"""``enlarged`` is a window of 1280 by 800 at 200 %."""


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """A study in the middle of its work: disputes, decisions, new evidence, memos; cora does everything."""
    clock = MovedClock()
    bench = bench_with_team(tmp_path_factory.mktemp("study"), units=60, clock=clock)
    for number in range(50):
        clock.move(1)
        label(bench, "ann", "A.1" if number % 2 else "B.1", "see the second line" if number % 7 == 0 else "")
        label(bench, "bob", "B.1")
    for dispute in adjudication_queue(bench, "jo").disputes[:3]:
        seen = dispute_page(bench, "jo", dispute.round, dispute.unit, dispute.facet).seen
        answer = Answer(facet=dispute.facet, code="A.1")
        decide(bench, "jo", dispute.round, dispute.unit, answer, "as the guide says", seen, f"key {dispute.unit}")
    change_roles(bench, "me", "cora", ["coordinator", "annotator", "adjudicator", "reader"])
    with_passwords(bench)
    change_roles(bench, "me", "ann", ["annotator"], "north")
    invite(bench, "me", ["annotator", "reader"], "north", uses=12)
    return bench


@pytest.fixture(scope="module")
def worked_site(worked: Workbench) -> Iterator[str]:
    with running(worked) as address:
        yield address


def show(page: Any, site: str, path: str) -> None:
    if path in {"dispute", "meeting"}:
        page.goto(f"{site}/adjudicate")
        link = page.locator(".queue a").first.get_attribute("href")
        page.goto(f"{site}{link}&meeting=1" if path == "meeting" else site + link)
    elif path == "invited":
        page.goto(f"{site}/people")
        page.get_by_role("button", name="Make a link").click()
    elif path == "nothing":
        page.goto(f"{site}/label?round=main")
    else:
        page.goto(site + path)
    if page.locator("#facets").count():
        page.wait_for_selector(".option")


def person_for(path: str) -> str:
    return {"/label": "ann", "/label/recent": "ann", "/sign-in": "", "/join": ""}.get(path, "cora")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desk", "phone"])
def test_no_page_violates_wcag(
    worked: Workbench, worked_site: str, open_page: OpenPage, size: str, scheme: str
) -> None:
    width, height = SIZES[size]
    options = {"viewport": {"width": width, "height": height}, "color_scheme": scheme, "bypass_csp": True}
    pages = {name: open_page(worked_site, "/account", bench=worked, person=name, **options) for name in ("ann", "cora")}
    pages[""] = open_page(worked_site, "/sign-in", **options)
    for path in PAGES:
        page = pages[person_for(path)]
        show(page, worked_site, path)
        assert violations(page) == [], path
        if path == "/label":
            for key in ("1", "ArrowDown", "?", "Escape", "s", "Escape", "/", "Escape", "u"):
                page.keyboard.press(key)
                assert violations(page) == [], f"{path} after {key}"


def violations(page: Any) -> list[str]:
    found = axe.Axe().run(page, options={"runOnly": RULES, "resultTypes": ["violations"]}).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


@pytest.mark.parametrize("size", SIZES)
def test_nothing_scrolls_sideways(worked: Workbench, worked_site: str, open_page: OpenPage, size: str) -> None:
    width, height = SIZES[size]
    options = {"viewport": {"width": width, "height": height}}
    pages = {name: open_page(worked_site, "/account", bench=worked, person=name, **options) for name in ("ann", "cora")}
    pages[""] = open_page(worked_site, "/sign-in", **options)
    for path in PAGES:
        page = pages[person_for(path)]
        show(page, worked_site, path)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path


def test_a_label_can_be_given_on_a_phone(worked: Workbench, worked_site: str, open_page: OpenPage) -> None:
    options = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    page = open_page(worked_site, bench=worked, person="ann", **options)
    before = page.locator("#unit h1").text_content()
    for name in ("keep", "bug", "crash"):
        page.locator(".active .option", has_text=name).tap()
    page.get_by_role("button", name="Submit").tap()
    page.wait_for_timeout(200)
    assert page.locator("#unit h1").text_content() != before


def test_every_page_works_without_colour_and_motion(worked: Workbench, worked_site: str, open_page: OpenPage) -> None:
    options = {"forced_colors": "active", "reduced_motion": "reduce"}
    page = open_page(worked_site, "/dashboard?round=main", bench=worked, person="cora", **options)
    assert page.locator(".fill").first.evaluate("(bar) => getComputedStyle(bar).fill") != "none"


def test_a_closed_round_tells_the_annotator_so(tmp_path: Path, open_page: OpenPage) -> None:
    bench = bench_with_team(tmp_path)
    close_round(bench, "me", "main")
    with running(with_passwords(bench)) as site:
        page = open_page(site, bench=bench, person="ann")
        assert "Nothing to label now" in page.locator("main").text_content()
