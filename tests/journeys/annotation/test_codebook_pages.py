"""The codebook in the browser: from nothing to a release, a split, the review after it, the difference for a paper."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.codebook_site import bench_of_one, give, open_main
from tests.journeys.annotation.conftest import OpenPage
from tests.web_site import bench_with_team, running, with_passwords
from tests.workbench_study import MovedClock

from issuebook.annotation.events import Rated
from issuebook.app.annotate.people import local_person
from issuebook.app.annotate.rounds import close_round
from issuebook.app.annotate.workbench import Workbench
from issuebook.codebook.edits import AnyEntry
from issuebook.web.codebook_sent import Kind

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect
pytestmark = pytest.mark.browser


PARTS = {"M1": "Too large", "M2": "Leak", "S": "Setup"}


@pytest.fixture
def one(tmp_path: Path, clock: MovedClock) -> Workbench:
    return bench_of_one(tmp_path, clock=clock)


@pytest.fixture
def one_site(one: Workbench) -> Iterator[str]:
    with running(one) as address:
        yield address


def make(page: Any, why: str) -> None:
    """Say why, look at what it would do, and do it."""
    page.get_by_label("Why", exact=True).fill(why)
    page.get_by_role("button", name="Show what it would do").click()
    expect(page.get_by_role("heading", name="What it would do")).to_be_visible()
    page.get_by_role("button", name="Make this change").click()
    expect(page.locator(".done")).to_be_visible()


def add(page: Any, site: str, code: str, name: str, definition: str) -> None:
    page.goto(f"{site}/codebook")
    page.get_by_role("link", name="Add a code").click()
    page.get_by_label("Id, which never changes").fill(code)
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Definition").fill(definition)
    make(page, f"the first reports ask for {name}")


def release(page: Any, site: str, name: str, why: str) -> None:
    page.goto(f"{site}/codebook/release")
    page.get_by_label("Name, e.g. v2").fill(name)
    page.get_by_label("Why now").fill(why)
    page.get_by_role("button", name="Release it").click()
    expect(page.locator(".done")).to_contain_text(f"released the version {name}")


def words(page: Any, selector: str) -> str:
    return " ".join(page.locator(selector).first.inner_text().split())


def test_one_person_builds_a_codebook_splits_a_code_reviews_releases_and_reads_the_difference(
    one: Workbench, one_site: str, open_page: OpenPage
) -> None:
    page = open_page(one_site, "/codebook")
    add(page, one_site, "S", "Setup", "It does not start.")
    add(page, one_site, "M", "Memory", "It runs out of memory.")
    page.goto(f"{one_site}/codebook/code?facet=theme&code=N")
    page.get_by_role("link", name="Retire").click()
    make(page, "it was a place to begin with")
    release(page, one_site, "v1", "enough to label with")
    assert "name: small" in (one.services.workspace.study_file("codebook.yaml"))
    me = local_person(one)
    open_main(one, me)
    units = [give(one, me, code, "leaks" if code == "M" else "") for code in ("M", "M", "M", "M", "S", "S")]
    split_memory(page, one_site)
    release(page, one_site, "v2", "memory was two things")
    review_three(page)
    revised = [event for event in one.services.history.since(0) if isinstance(event, Rated) and event.revises]
    assert {event.answers[0].code for event in revised} == {"M2"}
    assert {event.memo for event in revised} == {"leaks"}
    assert {event.unit for event in revised} < set(units)
    close_round(one, me, "main")
    page.goto(f"{one_site}/codebook")
    counts = {code: page.locator(".tree .line", has_text=name).locator(".count").first for code, name in PARTS.items()}
    assert {code: count.inner_text().split()[0] for code, count in counts.items()} == {"M1": "1", "M2": "3", "S": "2"}
    read_the_difference(page, one_site)


def split_memory(page: Any, site: str) -> None:
    page.goto(f"{site}/codebook/code?facet=theme&code=M")
    page.get_by_role("link", name="Split").click()
    page.get_by_role("button", name="One more part").click()
    page.get_by_label("Id", exact=True).nth(0).fill("M1")
    page.get_by_label("Name", exact=True).nth(0).fill("Too large")
    page.get_by_label("Id", exact=True).nth(1).fill("M2")
    page.get_by_label("Name", exact=True).nth(1).fill("Leak")
    page.get_by_label("Id", exact=True).nth(2).fill("")
    first = page.locator("select[name=unit_to]").first
    first.select_option(label="part 1")
    page.get_by_label("Why", exact=True).fill("two things in one")
    page.get_by_role("button", name="Show what it would do").click()
    told = words(page, ".effects")
    assert "1 of 6 ratings of theme follow by themselves: 1 M → M1." in told
    assert "3 go to review." in told
    page.get_by_role("button", name="Change it first").click()
    assert page.get_by_label("Name", exact=True).nth(1).input_value() == "Leak"
    page.get_by_role("button", name="Show what it would do").click()
    page.get_by_role("button", name="Make this change").click()
    expect(page.locator(".done")).to_contain_text("split M")


def review_three(page: Any) -> None:
    expect(page.get_by_role("link", name="Your review")).to_contain_text("3")
    page.get_by_role("link", name="Your review").click()
    for left in (3, 2, 1):
        assert f"{left} rating" in words(page, ".kicker")
        assert "you said M Memory" in words(page, "legend")
        assert "two things in one" in words(page, "main")
        page.get_by_label("M2 Leak").check()
        page.get_by_role("button", name="Save, and go to the next").click()
    expect(page.locator("main")).to_contain_text("Nothing is left to review")


def read_the_difference(page: Any, site: str) -> None:
    page.goto(f"{site}/codebook?version=v1")
    assert "M Memory" in words(page, ".tree")
    page.get_by_role("link", name="History").click()
    assert [heading.split(" ")[0] for heading in page.locator(".chapter h2").all_text_contents()] == ["v2", "v1"]
    page.get_by_role("link", name="Compare versions").click()
    page.locator("#old").select_option("v1")
    page.locator("#new").select_option("v2")
    page.get_by_role("button", name="Compare").click()
    assert "split M Memory Memory M1 Too large, M2 Leak two things in one" in words(page, ".changes")
    with page.expect_download() as csv:
        page.get_by_role("link", name="CSV").click()
    assert Path(csv.value.path()).read_text().startswith("change,facet,code,name,before,after,why\n")
    with page.expect_download() as tex:
        page.get_by_role("link", name="LaTeX").click()
    assert "\\toprule" in Path(tex.value.path()).read_text()
    assert tex.value.suggested_filename == "codebook-v1-v2.tex"


def test_an_edit_is_taken_back_and_brought_back(one: Workbench, one_site: str, open_page: OpenPage) -> None:
    page = open_page(one_site, "/codebook")
    add(page, one_site, "S", "Setup", "It does not start.")
    page.goto(f"{one_site}/codebook/history")
    page.get_by_role("link", name=re.compile("Take it back ?: #1")).click()
    make(page, "too early")
    assert "Setup" not in words(page, ".tree")
    page.goto(f"{one_site}/codebook/history")
    expect(page.locator("#e1")).to_contain_text("taken back")
    page.get_by_role("link", name=re.compile("Bring it back ?: #2")).click()
    make(page, "it is needed after all")
    assert "Setup" in words(page, ".tree")


def test_two_people_who_change_the_same_text_both_see_both_versions_and_nothing_is_overwritten(
    one: Workbench, one_site: str, open_page: OpenPage
) -> None:
    first, second = (open_page(one_site, "/codebook/edit?kind=define&facet=theme&code=N") for _ in range(2))
    first.get_by_label("Definition").fill("What nobody has read.")
    make(first, "say what it is")
    second.get_by_label("Definition").fill("What fits nowhere.")
    second.get_by_label("Why", exact=True).fill("say it otherwise")
    second.get_by_role("button", name="Show what it would do").click()
    expect(second.get_by_role("heading", name="Somebody changed it meanwhile")).to_be_visible()
    row = words(second, ".sides-table tbody")
    assert row == "definition – What nobody has read. What fits nowhere."
    assert second.get_by_label("Definition").input_value() == "What fits nowhere."
    assert "nobody has read" in open_page(one_site, "/codebook/code?facet=theme&code=N").content()
    make(second, "say it otherwise")
    assert "What fits nowhere." in words(second, "main")


def test_sending_again_after_a_conflict_keeps_what_others_changed_elsewhere(
    one: Workbench, one_site: str, open_page: OpenPage
) -> None:
    first, second = (open_page(one_site, "/codebook/edit?kind=define&facet=theme&code=N") for _ in range(2))
    first.get_by_label("Definition").fill("What nobody has read.")
    first.get_by_label("Note").fill("For the first week only.")
    make(first, "say what it is")
    second.get_by_label("Definition").fill("What fits nowhere.")
    second.get_by_label("Why", exact=True).fill("say it otherwise")
    second.get_by_role("button", name="Show what it would do").click()
    expect(second.get_by_role("heading", name="Somebody changed it meanwhile")).to_be_visible()
    make(second, "say it otherwise")
    text = words(second, "main")
    assert "What fits nowhere." in text
    assert "For the first week only." in text


def test_what_touches_another_side_of_the_code_is_kept_beside_it(
    one: Workbench, one_site: str, open_page: OpenPage
) -> None:
    first, second = (open_page(one_site, "/codebook/edit?kind=define&facet=theme&code=N") for _ in range(2))
    first.get_by_label("Definition").fill("What nobody has read.")
    make(first, "say what it is")
    second.get_by_label("Note").fill("For the first week only.")
    make(second, "so that it goes away")
    text = words(second, "main")
    assert "What nobody has read." in text
    assert "For the first week only." in text


@pytest.mark.parametrize(
    ("kind", "fill", "told"),
    [
        ("rename", lambda page: page.get_by_label("New name").fill("Unread"), "renamed N “not sorted yet” to"),
        ("move", lambda page: page.get_by_label("Below").select_option("S"), "moved N “not sorted yet” below S"),
        ("merge", lambda page: page.get_by_label("Into").select_option("S"), "merged N “not sorted yet” into S"),
        ("reorder", lambda page: page.get_by_label("Place of N").fill("9"), "at the top in the order S, N"),
        ("retire", lambda _: None, "retired N “not sorted yet”"),
    ],
)  # fmt: skip
def test_every_kind_of_edit_has_its_form(
    one: Workbench, one_site: str, open_page: OpenPage, kind: str, fill: Any, told: str
) -> None:
    page = open_page(one_site, "/codebook")
    add(page, one_site, "S", "Setup", "It does not start.")
    code = "" if kind == "reorder" else "&code=N"
    page.goto(f"{one_site}/codebook/edit?kind={kind}&facet=theme{code}")
    fill(page)
    make(page, "it reads better")
    expect(page.locator(".done")).to_contain_text(told)


def test_every_kind_of_edit_that_the_history_takes_can_be_sent_from_a_page() -> None:
    sendable = set(get_args(Kind)) | {"release"}
    assert {get_args(kind.model_fields["kind"].annotation)[0] for kind in get_args(get_args(AnyEntry)[0])} == sendable


def test_a_facet_is_added_with_its_codes_and_defined(one: Workbench, one_site: str, open_page: OpenPage) -> None:
    page = open_page(one_site, "/codebook")
    page.get_by_role("link", name="Add a facet").click()
    page.get_by_label("Id, which never changes").fill("symptom")
    page.get_by_label("Heading for people").fill("Symptom")
    page.get_by_label("Question that an annotator answers").fill("What is seen?")
    page.get_by_label("Names of its levels").fill("symptom\nkind of crash")
    page.get_by_label("Its first codes").fill("CR | crash\n    OOM | out of memory\nHANG")
    page.get_by_label("Why", exact=True).fill("causes and symptoms are mixed up")
    page.get_by_role("button", name="Show what it would do").click()
    expect(page.locator(".fault")).to_contain_text("codes, line 2: nothing stands above it")
    page.get_by_label("Its first codes").fill("CR | crash\n  OOM | out of memory\nHANG")
    make(page, "causes and symptoms are mixed up")
    expect(page.locator(".done")).to_contain_text("added the facet symptom with 3 codes")
    assert "OOM out of memory" in words(page, "#main")
    page.get_by_role("link", name="Define the facet").nth(1).click()
    page.get_by_label("Question that an annotator answers").fill("What does the user see?")
    make(page, "it was not clear who sees it")
    expect(page.locator(".done")).to_contain_text("changed the question of the facet symptom")
    assert "What does the user see?" in words(page, "#main")


def test_two_people_who_define_a_facet_at_once_both_see_both_versions(
    one: Workbench, one_site: str, open_page: OpenPage
) -> None:
    first, second = (open_page(one_site, "/codebook/edit?kind=define-facet&facet=theme") for _ in range(2))
    question, heading = "Question that an annotator answers", "Heading for people"
    first.get_by_label(question).fill("What broke?")
    first.get_by_label(heading).fill("What it is about")
    make(first, "shorter")
    second.get_by_label(question).fill("What is the matter?")
    second.get_by_label("Why", exact=True).fill("kinder")
    second.get_by_role("button", name="Show what it would do").click()
    expect(second.get_by_role("heading", name="Somebody changed it meanwhile")).to_be_visible()
    told = words(second, ".sides-table tbody")
    assert "question What is it about? What broke? What is the matter?" in told
    assert second.get_by_label(heading).input_value() == "What it is about"
    make(second, "kinder")
    text = words(second, "#main")
    assert "What is the matter?" in text
    assert "What it is about" in text


def test_an_edit_that_fits_nowhere_is_told_and_what_was_written_stays(
    one: Workbench, one_site: str, open_page: OpenPage
) -> None:
    page = open_page(one_site, "/codebook/edit?kind=add&facet=theme")
    page.get_by_label("Id, which never changes").fill("N")
    page.get_by_label("Name", exact=True).fill("Another")
    page.get_by_label("Why", exact=True).fill("to see what happens")
    page.get_by_role("button", name="Show what it would do").click()
    expect(page.locator(".fault")).to_contain_text("N was used before")
    assert page.get_by_label("Name", exact=True).input_value() == "Another"


def test_the_tree_is_found_opened_and_walked_by_keyboard(tmp_path: Path, open_page: OpenPage) -> None:
    bench = with_passwords(bench_with_team(tmp_path))
    with running(bench) as site:
        page = open_page(site, "/codebook", bench=bench, person="rea")
        assert page.get_by_role("link", name="Add a code").count() == 0
        expect(page.locator(".apart")).to_contain_text("Retired codes (1)")
        page.get_by_label("Find").fill("crash")
        expect(page.locator("#found")).to_have_text("1 code")
        assert [link.inner_text() for link in page.locator(".tree li a:visible").all()] == ["bug", "crash"]
        page.get_by_label("Find").fill("")
        page.get_by_role("button", name="Close all").click()
        page.locator(".tree .line a").first.focus()
        for key in ("ArrowUp", "ArrowDown", "ArrowRight", "ArrowRight"):
            page.keyboard.press(key)
        assert page.evaluate("document.activeElement.textContent") == "off topic"
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_contain_text("off topic")
