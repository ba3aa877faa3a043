"""Hostile texts everywhere a text can come from: in the browser no script runs and nothing is asked for elsewhere."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.hostile import HOSTILE
from tests.journeys.annotation.conftest import OpenPage
from tests.web_site import running
from tests.workbench_study import MovedClock, bench_of, write_study

from issuebook.annotation.events import Answer
from issuebook.app.annotate.adjudication import decide, dispute_page
from issuebook.app.annotate.labelling import Choice, next_unit, submit
from issuebook.app.annotate.people import add_person, change_roles, local_person
from issuebook.app.annotate.rounds import open_round
from issuebook.app.annotate.unit_pages import UnitPage
from issuebook.app.annotate.workbench import Workbench
from issuebook.model.annotation import RoundPlan
from issuebook.model.unit import KeywordHit, Unit

pytestmark = pytest.mark.browser

ALL = "\n\n".join(HOSTILE)
SHORT = "\"'><img src=x onerror=alert(1)><script>alert(1)</script>{{7*7}}"
MADE = """
() => [...document.querySelectorAll('main *')].filter((element) => {
  const isForeign = element.matches(
    'iframe, img, object, embed, base, link, meta, style, a[href]:not([href^="/"], [href^="#"]), '
    + 'form:not([action^="/"], [method=dialog]), script:not([type="application/json"], [src^="/static/"])');
  return isForeign || element.getAttributeNames().some((name) => name.startsWith('on') || name === 'style');
}).map((found) => found.outerHTML)
"""
"""Elements of a page that no page of ours has."""

ELSEWHERE = "https://evil.example/x"


def hostile_codebook() -> str:
    """A codebook, as JSON (which YAML reads), whose every text is hostile."""
    texts = {"definition": ALL, "include": list(HOSTILE), "exclude": [SHORT], "also": [SHORT], "note": ALL}
    codes = [
        {"id": f"{name}{SHORT}", "name": f"{name} {SHORT}", **texts, "examples": [{"unit": SHORT, "note": SHORT}]}
        for name in "ab"
    ]
    facet = {"id": "theme", "name": SHORT, "question": SHORT, "levels": [SHORT], "codes": codes}
    return json.dumps({"name": SHORT, "note": ALL, "version": SHORT, "facets": [facet]})


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[tuple[Workbench, str]]:
    write_study(tmp_path, 1)
    (tmp_path / "codebook.yaml").write_text(hostile_codebook())
    title = json.dumps(SHORT)
    (tmp_path / "study.toml").write_text(
        f'[study]\ntitle = {title}\n[annotation]\nfacets = ["theme"]\nunits = "reports.jsonl"\nper_unit = 2\n'
    )
    bench = bench_of(tmp_path, MovedClock())
    units = [
        Unit(
            id=f"{number} {SHORT}",
            title=text,
            body=f"{text}\n\n```\n{text}\n```\n\n{ALL}",
            project=SHORT,
            url=f"{ELSEWHERE}{number}?\"'><script>",
            labels=(SHORT, text),
            state=SHORT,
            created_at=SHORT,
            comments=1,
            hits=(KeywordHit(SHORT, "title", 0, 5), KeywordHit("x", "body", 3, 9)),
        )
        for number, text in enumerate(HOSTILE)
    ]
    bench.services.units.add("hostile", "hash", units)
    boss = local_person(bench)
    add_person(bench, boss, SHORT[:90], SHORT[:90], ["annotator"], SHORT[:90])
    open_round(bench, boss, RoundPlan(name=SHORT, mode="calibration", per_unit=2))
    a, b = (code.id for code in bench.codebook.facets[0].codes)
    for person, code in ((SHORT[:90], a), (boss, b)):
        for number in range(len(units) // 2):
            page = next_unit(bench, person)
            assert isinstance(page, UnitPage)
            choice = Choice(
                (Answer(facet="theme", code=code, secondary=(a,) if code == b else ()),), memo=ALL, flag=True
            )
            submit(bench, person, page.round, page.unit.id, choice, f"{person[:3]} {number} key")
    change_roles(bench, boss, boss, ["coordinator", "annotator", "adjudicator", "reader"])
    with running(bench) as address:
        yield bench, address


def assert_harmless(page: Any) -> None:
    """The fixture ``open_page`` fails on dialogs, requests elsewhere and broken policies; here: nothing was made."""
    assert page.evaluate(MADE) == []


def test_no_page_runs_or_asks_for_anything(hostile: tuple[Workbench, str], open_page: OpenPage) -> None:
    _, site = hostile
    paths = [
        "/label/recent", "/adjudicate", "/dashboard", "/rounds", "/people", "/codebook", "/account",
        f"/search?{urlencode({'q': SHORT})}", "/search?q=script",
        f"/<script>alert(1)</script>?{SHORT}",
        f"/sign-in?{urlencode({'next': SHORT})}", f"/dashboard?{urlencode({'round': SHORT})}",
        f"/label?{urlencode({'round': SHORT, 'unit': '</script><script>alert(1)</script>'})}",
    ]  # fmt: skip
    page = open_page(site, "/codebook")
    for path in paths:
        page.goto(site + path)
        assert_harmless(page)
    page.goto(f"{site}/adjudicate")
    page.locator(".queue a").first.click()
    assert_harmless(page)
    for summary in page.locator("summary").all():
        summary.click()
    assert_harmless(page)


def test_labelling_hostile_reports(hostile: tuple[Workbench, str], open_page: OpenPage) -> None:
    _, site = hostile
    page = open_page(site)
    for _ in range(10):
        assert_harmless(page)
        page.keyboard.press("x")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("/")
        page.keyboard.type("script")
        page.keyboard.press("Escape")
        page.keyboard.press("1")
        before = page.locator("#unit").inner_html()
        page.keyboard.press("Enter")
        for _ in range(100):
            if page.locator("#unit").inner_html() != before:
                break
            page.wait_for_timeout(20)


def test_a_link_of_a_report_leads_out_only_when_asked_and_shows_its_address(
    hostile: tuple[Workbench, str], open_page: OpenPage
) -> None:
    _, site = hostile
    page = open_page(site)
    place = page.locator(".facts .outside")
    address = place.get_attribute("data-to")
    place.click()
    assert page.locator("#outside .address").text_content().strip() == address
    link = page.locator("#outside a")
    assert link.get_attribute("rel") == "noopener noreferrer nofollow"
    page.keyboard.press("Escape")
    place.focus()
    page.keyboard.press("Enter")
    assert page.locator("#outside").is_visible()
    page.get_by_role("button", name="Stay here").click()
    assert page.url == f"{site}/label"


def test_a_decision_with_hostile_reasons(hostile: tuple[Workbench, str], open_page: OpenPage) -> None:
    bench, site = hostile
    boss = local_person(bench)
    page = open_page(site, "/adjudicate")
    link = page.locator(".queue a").first
    link.click()
    fields = {name: page.locator(f"input[name={name}]").input_value() for name in ("round", "unit", "facet")}
    found = dispute_page(bench, boss, fields["round"], fields["unit"], fields["facet"])
    code = bench.codebook.facets[0].codes[0].id
    answer = Answer(facet="theme", code=code)
    decide(bench, boss, fields["round"], fields["unit"], answer, ALL, found.seen, "a key of it")
    page.reload()
    assert page.locator(".history .holds").is_visible()
    assert_harmless(page)
