"""The report as a reader meets it: from a file, in a browser, on a phone and on a wide screen, light and dark."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import study

from issuebook.adapters import charts
from issuebook.report.book import Book
from issuebook.report.drawing import described
from issuebook.report.figures import all_figures
from issuebook.report.html.render import render_report

pytestmark = pytest.mark.browser

CONTRAST = """
() => {
  const channel = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parts(getComputedStyle(e).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const wrong = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !element.checkVisibility()) continue;
    if (element.closest("script, style, title, desc")) continue;
    const style = getComputedStyle(element);
    const ink = parts(element instanceof SVGElement ? style.fill : style.color).slice(0, 3);
    const [low, high] = [light(ink), light(behind(element))].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) wrong.push(`${ratio.toFixed(2)}: ${texts.currentNode.data.trim().slice(0, 40)}`);
  }
  return wrong;
}
"""


@pytest.fixture(scope="module", params=[study.facts, study.hostile_facts], ids=["plain", "hostile"])
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    book = Book(request.param())
    figures = {figure.name: described(charts.render(figure.spec), figure) for figure in all_figures(book)}
    path: Path = tmp_path_factory.mktemp("out") / "index.html"
    path.write_text(render_report(book, study.verdicts(book), figures, study.run_info()), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Any]:
    """A function that opens the report and gives the page; every complaint of the page ends the test."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def opened(width: int = 1280, scheme: str = "light", *, scripts: bool = True) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=scripts, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"a dialog: {dialog.message}"))
        page.on("request", lambda sent: complaints.append(sent.url) if sent.url != address else None)
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [complaint for complaint in complaints if not complaint.startswith("data:")] == []


def test_it_opens_from_a_file_without_network_errors_or_requests(open_page: Any) -> None:
    page = open_page()
    assert page.locator("h1").count() == 1
    assert page.locator("main > section").count() >= 6


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_the_page_never_scrolls_sideways(open_page: Any, width: int) -> None:
    page = open_page(width)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_text_can_be_read_in_light_and_dark(open_page: Any, width: int, scheme: str) -> None:
    page = open_page(width, scheme)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    for radio in page.locator("input[name=measure]").all():
        radio.check()
        assert page.evaluate(CONTRAST) == []


def test_dark_mode_is_dark(open_page: Any) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    assert open_page(scheme="light").evaluate(colour) == "rgb(255, 255, 255)"
    assert open_page(scheme="dark").evaluate(colour) == "rgb(20, 23, 27)"


def test_a_number_tells_its_origin_to_the_keyboard(open_page: Any) -> None:
    page = open_page()
    origin = page.locator("#origin")
    while not page.evaluate("document.activeElement.matches('a.q')"):
        page.keyboard.press("Tab")
    assert origin.is_visible()
    assert "reports()" in origin.inner_text()
    assert "Computed from: distinct units among the rows kept" in origin.inner_text()
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "origin"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('#origin') !== null")
    page.keyboard.press("Escape")
    assert not origin.is_visible()
    assert page.evaluate("document.activeElement.matches('a.q')")


def test_a_number_tells_its_origin_to_the_pointer_and_leads_to_the_list(open_page: Any) -> None:
    page = open_page()
    page.locator(".heat td a.q:visible").first.hover()
    assert 'project="alpha"' in page.locator("#origin").inner_text()
    page.locator(".heat td a.q:visible").first.click()
    page.locator("#origin a").click()
    page.wait_for_timeout(100)
    assert page.locator("tr:target").is_visible()


def test_arrow_keys_move_among_the_numbers_of_a_table(open_page: Any) -> None:
    page = open_page()
    page.locator(".heat tbody td a.q:visible").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    call = page.evaluate("document.getElementById(document.activeElement.hash.slice(1)).cells[0].textContent")
    assert call == 'share("Q.1", project="beta")'


def test_every_number_on_the_page_has_an_entry_in_the_list(open_page: Any) -> None:
    page = open_page()
    lost = """() => Array.from(document.querySelectorAll('data'), (each) => each.closest('a.q, .calls tr'))
      .filter((each) => !each || (each.hash && !document.querySelector(`.calls tr${each.hash}`))).length"""
    assert page.locator("data").count() > 200
    assert page.evaluate(lost) == 0


def test_the_list_can_be_searched(open_page: Any) -> None:
    page = open_page()
    page.fill("#find", "fleiss_kappa beta")
    shown = page.locator(".calls tbody tr:visible").all_inner_texts()
    assert shown
    assert all("fleiss_kappa" in line and "beta" in line for line in shown)


def test_claims_can_be_filtered_by_verdict(open_page: Any) -> None:
    page = open_page()
    page.check("input[name=verdict][value=unknown]")
    assert [row.get_attribute("class") for row in page.locator(".claims tbody tr:visible").all()] == ["unknown"] * 2


def test_without_scripts_a_number_still_leads_to_its_entry(open_page: Any) -> None:
    page = open_page(scripts=False)
    page.locator(".lead a.q").first.click()
    assert page.locator("tr:target").is_visible()


@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing(browser: Any, address: str, axe: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, bypass_csp=True)
    page = context.new_page()
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.add_script_tag(content=axe)
    found = page.evaluate("axe.run(document)")
    context.close()
    assert len(found["passes"]) > 30
    assert [(fault["id"], fault["nodes"][0]["html"]) for fault in found["violations"]] == []


def test_print_shows_the_codes_and_leaves_out_the_controls(open_page: Any) -> None:
    page = open_page()
    page.emulate_media(media="print")
    assert not page.locator(".toc").is_visible()
    assert page.locator("#taxonomy").is_visible()
    assert len(page.pdf()) > 10_000
