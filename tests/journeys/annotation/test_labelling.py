"""Labelling in the browser: keys and pointer, what is kept, and what the keys must not do."""

from typing import Any

import pytest
from tests.journeys.annotation.conftest import OpenPage

from issuebook.annotation.events import Rated, Skipped, Undone
from issuebook.app.annotate.workbench import Workbench

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect
pytestmark = pytest.mark.browser


def press(page: Any, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def title(page: Any) -> str:
    return str(page.locator("#unit h1").text_content())


def wait_until_saved(page: Any) -> None:
    expect(page.locator("#saved")).to_have_text("✓ saved")


def wait_until_ahead(page: Any) -> None:
    """Wait until the page holds the two reports after the one it shows."""
    fetched = "performance.getEntriesByType('resource').filter((one) => one.name.includes('/label/next')).length"
    for _ in range(100):
        if page.evaluate(fetched) >= 2:
            break
        page.wait_for_timeout(50)
    page.wait_for_timeout(50)


def events(bench: Workbench, kind: type) -> list[Any]:
    return [event for event in bench.services.history.since(0) if isinstance(event, kind)]


def said(bench: Workbench) -> list[dict[str, str]]:
    return [{answer.facet: answer.code for answer in event.answers} for event in events(bench, Rated)]


def test_three_keys_label_a_report_and_one_goes_on(site: str, alone: Workbench, open_page: OpenPage) -> None:
    page = open_page(site)
    wait_until_ahead(page)
    first = title(page)
    press(page, "1 2 1 Enter")
    assert title(page) != first
    press(page, "1 1 2 Enter")
    wait_until_saved(page)
    assert said(alone) == [{"relevance": "keep", "theme": "B.1"}, {"relevance": "keep", "theme": "A.2"}]
    assert page.locator("#progress").text_content().startswith("2 of 12")
    assert all(event.seconds > 0 for event in events(alone, Rated))


def test_digits_of_the_number_pad_are_digits_and_its_enter_is_enter(
    site: str, alone: Workbench, open_page: OpenPage
) -> None:
    page = open_page(site)
    press(page, "Numpad1 Numpad2 Numpad1 NumpadEnter")
    wait_until_saved(page)
    assert said(alone) == [{"relevance": "keep", "theme": "B.1"}]


def test_a_shut_gate_ends_the_questions(site: str, alone: Workbench, open_page: OpenPage) -> None:
    page = open_page(site)
    press(page, "2")
    assert "Not asked" in page.locator("#facets").text_content()
    press(page, "1 Enter")
    wait_until_saved(page)
    assert said(alone) == [{"relevance": "drop.off"}]


def test_what_is_missing_is_told_and_nothing_is_sent(site: str, alone: Workbench, open_page: OpenPage) -> None:
    page = open_page(site)
    first = title(page)
    press(page, "1 Enter")
    assert page.locator("#notice").text_content() == "Still to choose: theme"
    assert (title(page), said(alone)) == (first, [])


def test_a_theme_can_stand_for_itself_and_a_retired_code_cannot_be_chosen(
    site: str, alone: Workbench, open_page: OpenPage
) -> None:
    page = open_page(site)
    press(page, "1 2")
    assert page.locator(".option").all_text_contents() == ["1B.1crash"]
    press(page, "Enter")
    wait_until_saved(page)
    assert said(alone) == [{"relevance": "keep", "theme": "B"}]


def test_undo_shows_the_report_again_with_what_was_said(site: str, alone: Workbench, open_page: OpenPage) -> None:
    page = open_page(site)
    wait_until_ahead(page)
    first = title(page)
    page.locator("#memo").fill("a note")
    page.keyboard.press("Escape")
    press(page, "u 1 2 1 Enter")
    second = title(page)
    press(page, "Backspace")
    assert title(page) == first
    assert page.locator("#memo").input_value() == "a note"
    assert page.locator("#unsure").get_attribute("aria-pressed") == "true"
    assert "B.1" in page.locator(".trail").last.text_content()
    press(page, "ArrowLeft 1 1 Enter")
    assert title(page) == second
    wait_until_saved(page)
    assert [answers["theme"] for answers in said(alone)] == ["B.1", "A.1"]
    assert len(events(alone, Undone)) == 1


def test_undo_goes_twenty_steps_back_also_after_the_page_was_loaded_anew(
    site: str, alone: Workbench, open_page: OpenPage
) -> None:
    page = open_page(site)
    titles = []
    for _ in range(4):
        titles.append(title(page))
        press(page, "1 2 1 Enter")
        expect(page.locator("#unit h1")).not_to_have_text(titles[-1])
    wait_until_saved(page)
    page.reload()
    for expected in reversed(titles):
        page.keyboard.press("Backspace")
        expect(page.locator("#unit h1")).to_have_text(expected)
    assert len(events(alone, Undone)) == 4


def test_an_undo_of_nothing_says_so(site: str, open_page: OpenPage) -> None:
    page = open_page(site)
    page.keyboard.press("Backspace")
    expect(page.locator("#notice")).to_have_text("There is nothing to take back.")


def test_memo_unsure_flag_and_second_code_are_written_down(site: str, alone: Workbench, open_page: OpenPage) -> None:
    page = open_page(site)
    press(page, "m")
    page.keyboard.type("1 2 s u / ? and more")
    press(page, "Escape u f 1 2 1")
    page.get_by_text("Add a second code").click()
    press(page, "1 1 Enter")
    wait_until_saved(page)
    (event,) = events(alone, Rated)
    assert (event.memo, event.unsure, event.flag) == ("1 2 s u / ? and more", True, True)
    assert (event.answers[1].code, event.answers[1].secondary) == ("B.1", ("A.1",))


def test_a_skip_asks_for_a_reason(site: str, alone: Workbench, open_page: OpenPage) -> None:
    page = open_page(site)
    first = title(page)
    press(page, "s Enter")
    assert page.locator("#skipping").is_visible()
    press(page, "Escape s")
    page.keyboard.type("no English")
    page.keyboard.press("Enter")
    expect(page.locator("#unit h1")).not_to_have_text(first)
    wait_until_saved(page)
    assert [event.reason for event in events(alone, Skipped)] == ["no English"]


def test_keys_do_nothing_while_somebody_types_or_a_dialog_is_open(
    site: str, alone: Workbench, open_page: OpenPage
) -> None:
    page = open_page(site)
    press(page, "m 1 2 Enter")
    assert page.locator("#memo").input_value() == "12\n"
    press(page, "Escape ? 1 2 Escape")
    assert page.locator(".crumb").count() == 0
    assert said(alone) == []


def test_with_ctrl_or_alt_keys_belong_to_the_browser(site: str, open_page: OpenPage) -> None:
    page = open_page(site)
    press(page, "Control+1 Alt+1 Meta+1 Control+Enter")
    assert page.locator(".crumb").count() == 0


def test_enter_on_a_button_does_what_the_button_says_only(site: str, alone: Workbench, open_page: OpenPage) -> None:
    page = open_page(site)
    press(page, "1 2 1")
    page.locator("#unsure").focus()
    press(page, "Enter")
    assert page.locator("#unsure").get_attribute("aria-pressed") == "true"
    assert said(alone) == []


def test_capitals_by_caps_lock_are_still_commands(site: str, open_page: OpenPage) -> None:
    page = open_page(site)
    page.evaluate(
        """() => document.querySelector('#unit').dispatchEvent(new KeyboardEvent(
            'keydown', {key: 'U', code: 'KeyU', bubbles: true, modifierCapsLock: true}))"""
    )
    assert page.locator("#unsure").get_attribute("aria-pressed") == "true"


def test_keys_can_be_changed_and_a_changed_key_is_no_longer_a_codes(site: str, open_page: OpenPage) -> None:
    page = open_page(site)
    press(page, "?")
    page.get_by_label("Change the key of: Mark as unsure").click()
    press(page, "1")
    press(page, "Escape")
    assert page.locator(".option kbd").all_text_contents() == ["2", "3"]
    press(page, "1")
    assert page.locator("#unsure").get_attribute("aria-pressed") == "true"
    page.reload()
    page.wait_for_selector(".option")
    press(page, "1")
    assert page.locator("#unsure").get_attribute("aria-pressed") == "false"  # as it was left, and pressed once more
    press(page, "?")
    page.get_by_label("Change the key of: Mark as unsure").click()
    press(page, "f")
    assert "taken: flag" in page.locator("#key-fault").text_content()


def test_keys_can_be_switched_off_and_on(site: str, open_page: OpenPage) -> None:
    page = open_page(site)
    press(page, "Escape 1 u Enter")
    assert page.locator(".crumb").count() == 0
    assert page.locator("#unsure").get_attribute("aria-pressed") == "false"
    assert "Keys are off" in page.locator("#notice").text_content()
    press(page, "Escape 1")
    assert page.locator(".crumb").text_content() == "keep"


def test_one_key_can_answer_and_go_on(site: str, alone: Workbench, open_page: OpenPage) -> None:
    page = open_page(site)
    wait_until_ahead(page)
    press(page, "?")
    page.locator("#auto-submit").check()
    press(page, "Escape")
    first = title(page)
    press(page, "1 2 1")
    assert title(page) != first
    wait_until_saved(page)
    assert said(alone) == [{"relevance": "keep", "theme": "B.1"}]


def test_a_code_is_found_by_words(site: str, open_page: OpenPage) -> None:
    page = open_page(site)
    press(page, "1 /")
    page.keyboard.type("crash")
    assert page.locator("#find-list li").count() == 1
    press(page, "Enter")
    assert page.locator(".trail").last.text_content() == "B bugB.1 crash"


def test_what_the_looked_at_code_means_stands_beside_it(site: str, open_page: OpenPage) -> None:
    page = open_page(site)
    press(page, "1 2")
    page.locator(".option", has_text="crash").hover()
    assert page.locator("#about h2").text_content() == "B.1 crash"
    press(page, "ArrowLeft ArrowDown")
    assert page.locator("#about h2").text_content() == "A question"
    press(page, "ArrowRight")
    assert page.locator(".crumb").last.text_content() == "A question"


def test_the_pointer_alone_is_enough(site: str, alone: Workbench, open_page: OpenPage) -> None:
    page = open_page(site)
    for name in ("keep", "bug", "crash"):
        page.locator(".active .option", has_text=name).click()
    page.get_by_role("button", name="Submit").click()
    wait_until_saved(page)
    assert said(alone) == [{"relevance": "keep", "theme": "B.1"}]


def test_folded_parts_unfold_with_a_key(site: str, open_page: OpenPage) -> None:
    page = open_page(site)
    page.evaluate("document.querySelectorAll('details.fold').forEach((fold) => (fold.open = false))")
    press(page, "x")
    assert page.locator("details.fold[open]").count() == page.locator("details.fold").count() > 0


def test_nothing_moves_when_the_report_changes(site: str, open_page: OpenPage) -> None:
    page = open_page(site)
    wait_until_ahead(page)
    places = """() => ['#codes', '#about', '#memo', '#submit', '#help', '#saved', '.top nav']
        .map((at) => Object.values(document.querySelector(at).getBoundingClientRect().toJSON()).slice(0, 2))"""
    page.evaluate(
        """() => { window.shift = 0; new PerformanceObserver((list) => list.getEntries()
            .forEach((entry) => { window.shift += entry.value; })).observe({type: 'layout-shift', buffered: true}); }"""
    )
    before = page.evaluate(places)
    for _ in range(5):
        press(page, "1 2 1 Enter")
        page.wait_for_timeout(50)
        assert page.evaluate(places) == before
    assert page.evaluate("window.shift") < 0.01


def test_the_end_is_told(site: str, alone: Workbench, open_page: OpenPage) -> None:
    page = open_page(site)
    for _ in range(11):
        before = title(page)
        press(page, "1 2 1 Enter")
        expect(page.locator("#unit h1")).not_to_have_text(before)
    press(page, "1 2 1 Enter")
    page.wait_for_selector("text=Nothing to label now")
    assert len(said(alone)) == 12
    assert len({event.unit for event in events(alone, Rated)}) == 12


def test_an_earlier_report_can_be_changed_from_the_list_of_the_last_ones(
    site: str, alone: Workbench, open_page: OpenPage
) -> None:
    page = open_page(site)
    first = title(page)
    press(page, "1 2 1 Enter")
    wait_until_saved(page)
    page.goto(f"{site}/label/recent")
    page.get_by_role("link", name=first).click()
    assert "B.1" in page.locator(".trail").last.text_content()
    press(page, "ArrowLeft 1 1 Enter")
    wait_until_saved(page)
    assert [answers["theme"] for answers in said(alone)] == ["B.1", "A.1"]
