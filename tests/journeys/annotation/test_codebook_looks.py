"""Every page of the codebook, light and dark, from phone to wall: no WCAG 2.2 AA violation, no scrolling sideways."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.codebook_site import bench_of_one, give, open_main
from tests.journeys.annotation.conftest import OpenPage
from tests.journeys.annotation.test_looks import SIZES, violations
from tests.web_site import running
from tests.workbench_study import MovedClock

from issuebook.app.annotate.people import local_person
from issuebook.app.annotate.workbench import Workbench
from issuebook.app.codebook import Author
from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.app.taxonomy.editing import change, release

pytestmark = pytest.mark.browser

LONG = "Start, installation and everything that keeps a program from running on the machine that it was written for"
PAGES = (
    "/codebook", "/codebook?version=v1", "/codebook/code?facet=theme&code=S", "/codebook/code?facet=theme&code=M1",
    "/codebook/history", "/codebook/diff?old=v1&new=head", "/codebook/diff", "/codebook/release", "/codebook/worklist",
    "/codebook/edit?kind=add&facet=theme", "/codebook/edit?kind=define&facet=theme&code=S",
    "/codebook/edit?kind=split&facet=theme&code=S", "/codebook/edit?kind=add-facet",
    "/codebook/edit?kind=define-facet&facet=theme", "/codebook/edit?kind=reorder&facet=theme", "/codebook/nowhere",
    "preview", "conflict", "report",
)  # fmt: skip


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """A codebook in the middle of its work: releases, a split that left ratings open, long names, all texts filled."""
    bench = bench_of_one(tmp_path_factory.mktemp("study"), 40, MovedClock())
    me, desk = local_person(bench), CodebookDesk(bench)
    texts = {
        "definition": "It fails before it does anything.",
        "include": ["it cannot be installed"],
        "also": ["Start"],
    }
    code = {"id": "S", "name": LONG, "exclude": ["a crash later on (M)"], "note": "wide on purpose", **texts}
    because = Author(me, "the first reports ask for it", ("an interview",))
    change(desk, me, {"kind": "add", "facet": "theme", "new": code}, because)
    change(desk, me, {"kind": "add", "facet": "theme", "new": {"id": "M", "name": "Memory"}}, because)
    release(desk, me, "v1", because)
    open_main(bench, me)
    units = [give(bench, me, "SM"[number % 2], "a memo") for number in range(30)]
    first = {"code": {"id": "M1", "name": "Too large"}, "rule": {"column": "unit", "values": units[1:9:2]}}
    parts = [first, {"code": {"id": "M2", "name": "Leak", "definition": "It grows."}}]
    change(desk, me, {"kind": "split", "facet": "theme", "code": "M", "parts": parts}, because)
    release(desk, me, "v2", because)
    change(desk, me, {"kind": "retire", "facet": "theme", "code": "N"}, because)
    examples = [{"unit": units[0], "note": "plain"}, {"unit": "nowhere/1"}]
    change(desk, me, {"kind": "define", "facet": "theme", "code": "S", "examples": examples}, because)
    return bench


@pytest.fixture(scope="module")
def worked_site(worked: Workbench) -> Iterator[str]:
    with running(worked) as address:
        yield address


def show(page: Any, site: str, path: str) -> None:
    if path == "report":
        page.goto(f"{site}/codebook/code?facet=theme&code=S")
        page.locator(".reports a").first.click()
    elif path in {"preview", "conflict"}:
        page.goto(f"{site}/codebook/edit?kind=define&facet=theme&code=S")
        page.get_by_label("Examples").fill("elsewhere/2 | plainer")
        if path == "conflict":
            page.evaluate("document.querySelector('input[name=on]').value = 1")
        page.get_by_label("Why", exact=True).fill("they were found elsewhere")
        page.get_by_role("button", name="Show what it would do").click()
    else:
        page.goto(site + path)
    page.wait_for_load_state("load")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desk", "phone"])
def test_no_page_violates_wcag(worked_site: str, open_page: OpenPage, size: str, scheme: str) -> None:
    width, height = SIZES[size]
    options = {"viewport": {"width": width, "height": height}, "color_scheme": scheme, "bypass_csp": True}
    page = open_page(worked_site, "/codebook", **options)
    for path in PAGES:
        show(page, worked_site, path)
        assert violations(page) == [], path


@pytest.mark.parametrize("size", SIZES)
def test_nothing_scrolls_sideways(worked_site: str, open_page: OpenPage, size: str) -> None:
    width, height = SIZES[size]
    page = open_page(worked_site, "/codebook", viewport={"width": width, "height": height})
    for path in PAGES:
        show(page, worked_site, path)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path


def test_the_conflict_page_is_one(worked_site: str, open_page: OpenPage) -> None:
    page = open_page(worked_site, "/codebook")
    show(page, worked_site, "conflict")
    assert page.get_by_role("heading", name="Somebody changed it meanwhile").is_visible()
    show(page, worked_site, "preview")
    assert page.get_by_role("heading", name="What it would do").is_visible()
