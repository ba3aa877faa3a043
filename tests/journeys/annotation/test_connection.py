"""Lost connections and lost servers: every answer arrives once."""

from collections import Counter
from typing import Any
from unittest.mock import Mock

import pytest
from tests.journeys.annotation.conftest import OpenPage
from tests.journeys.annotation.test_labelling import events, press, title, wait_until_ahead, wait_until_saved
from tests.web_site import PASSWORD, running, start

from issuebook.annotation.events import Rated, Released
from issuebook.app.annotate.workbench import Workbench
from issuebook.errors import Fault, OutputError

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect
pytestmark = pytest.mark.browser


def kept(page: Any) -> int:
    names = page.evaluate("Object.keys(localStorage).filter((name) => name.includes('.out.'))")
    return len(names)


def test_answers_given_without_a_connection_wait_and_are_sent_once(
    site: str, alone: Workbench, open_page: OpenPage
) -> None:
    page = open_page(site)
    wait_until_ahead(page)
    page.context.set_offline(True)
    first = title(page)
    press(page, "1 2 1 Enter")
    assert title(page) != first
    press(page, "1 1 1 Enter")
    expect(page.locator("#saved")).to_contain_text("2 answers wait")
    assert (kept(page), events(alone, Rated)) == (2, [])
    page.context.set_offline(False)
    wait_until_saved(page)
    assert kept(page) == 0
    assert [event.answers[1].code for event in events(alone, Rated)] == ["B.1", "A.1"]


def test_labelling_goes_on_by_itself_when_the_connection_is_back(
    site: str, alone: Workbench, open_page: OpenPage
) -> None:
    page = open_page(site)
    wait_until_ahead(page)
    page.context.set_offline(True)
    for _ in range(3):
        press(page, "1 2 1 Enter")
    expect(page.locator("#unit")).to_contain_text("No connection")
    press(page, "1 2 1 Enter")  # there is no report to say it of
    page.context.set_offline(False)
    page.wait_for_selector("#unit h1")
    wait_until_saved(page)
    assert len(events(alone, Rated)) == 3
    press(page, "1 2 1 Enter")
    wait_until_saved(page)
    assert set(Counter(event.unit for event in events(alone, Rated)).values()) == {1}


def test_answers_survive_a_closed_page(site: str, alone: Workbench, open_page: OpenPage) -> None:
    page = open_page(site)
    wait_until_ahead(page)
    page.context.set_offline(True)
    press(page, "1 2 1 Enter")
    expect(page.locator("#saved")).to_contain_text("1 answer waits")
    other = page.context.new_page()
    page.close()
    page.context.set_offline(False)
    other.goto(f"{site}/label")
    wait_until_saved(other)
    assert len(events(alone, Rated)) == 1


def test_an_answer_whose_acknowledgement_is_lost_counts_once(site: str, alone: Workbench, open_page: OpenPage) -> None:
    page = open_page(site)
    lost: list[str] = []

    def lose_first(route: Any) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.request.url)
            route.fetch()
            route.abort()

    page.route("**/label/choices", lose_first)
    press(page, "1 2 1 Enter")
    page.wait_for_timeout(300)
    wait_until_saved(page)
    assert lost
    assert len(events(alone, Rated)) == 1


def test_a_server_that_dies_and_comes_back_gets_every_answer_once(alone: Workbench, open_page: OpenPage) -> None:
    server = start(alone)
    page = open_page(server.address)
    wait_until_ahead(page)
    server.stop()
    press(page, "1 2 1 Enter")
    expect(page.locator("#saved")).to_contain_text("1 answer waits")
    again = start(alone, int(server.address.rpartition(":")[2]))
    wait_until_saved(page)
    press(page, "1 1 1 Enter")
    wait_until_saved(page)
    again.stop()
    assert [event.answers[1].code for event in events(alone, Rated)] == ["B.1", "A.1"]


def test_an_answer_that_cannot_be_written_down_is_told_and_does_not_stop_the_others(
    site: str, alone: Workbench, open_page: OpenPage
) -> None:
    page = open_page(site)

    def spoil(route: Any) -> None:
        route.continue_(post_data=route.request.post_data.replace("B.1", "gone"))

    page.route("**/label/choices", spoil)
    press(page, "1 2 1 Enter")
    expect(page.locator("#notice")).to_contain_text("1 of your answers was not accepted")
    press(page, "1 1 1 Enter")
    wait_until_saved(page)
    assert [event.answers[1].code for event in events(alone, Rated)] == ["A.1"]
    page.reload()
    expect(page.locator("#notice")).to_contain_text("kept in this browser")


def refuse_one(page: Any, memo: str) -> None:
    """Let the server refuse one answer, whose code it does not know."""
    page.route("**/label/choices", lambda route: route.continue_(post_data=route.request.post_data.replace("B.1", "x")))
    page.locator("#memo").fill(memo)
    page.keyboard.press("Escape")
    press(page, "1 2 1 Enter")
    expect(page.locator("#notice")).to_contain_text("not accepted")
    wait_until_saved(page)
    page.unroute("**/label/choices")


def test_what_was_refused_is_shown_with_the_reason_and_can_be_sent_again(
    site: str, alone: Workbench, open_page: OpenPage, axe: str
) -> None:
    page = open_page(site)
    refused = title(page)
    refuse_one(page, "it hangs <b>here</b>\nand there")
    page.get_by_role("link", name="See which, and why").click()
    card = page.locator("article.unsaved")
    expect(card.locator("h3")).to_have_text(refused)
    expect(card).to_contain_text("no code 'x'")
    expect(card).to_contain_text("it hangs <b>here</b>")
    expect(card).to_contain_text("B.1")
    page.evaluate(axe)
    assert page.evaluate("axe.run().then((found) => found.violations.map((one) => one.id))") == []
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save all as a text file").click()
    text = saved.value.path().read_text()
    assert refused in text
    assert "memo: it hangs <b>here</b>" in text
    page.reload()
    page.get_by_role("button", name="Send again").click()
    expect(page.locator("#nothing")).to_be_visible()
    assert [(event.answers[1].code, event.memo) for event in events(alone, Rated)] == [
        ("B.1", "it hangs <b>here</b>\nand there")
    ]


def test_what_was_refused_can_be_corrected_and_is_lost_only_when_it_is_thrown_away(
    site: str, alone: Workbench, open_page: OpenPage
) -> None:
    page = open_page(site)
    refused = title(page)
    refuse_one(page, "a thought")
    page.goto(f"{site}/label/unsaved")
    page.get_by_role("button", name="Correct it").click()
    page.wait_for_selector(".option")
    assert (title(page), page.locator("#memo").input_value()) == (refused, "a thought")
    press(page, "Enter")
    wait_until_saved(page)
    assert [event.memo for event in events(alone, Rated)] == ["a thought"]
    page.goto(f"{site}/label/unsaved")
    expect(page.locator("article.unsaved")).to_contain_text("something else of this report since")
    page.get_by_role("button", name="Throw away").click()
    expect(page.locator("article.unsaved")).to_be_visible()
    page.get_by_role("button", name="Throw away for good").click()
    expect(page.locator("#nothing")).to_be_visible()


def test_what_was_begun_is_kept_when_the_page_is_loaded_anew(site: str, open_page: OpenPage) -> None:
    page = open_page(site)
    press(page, "1 2")
    page.locator("#memo").fill("half a thought")
    page.reload()
    assert page.locator("#memo").input_value() == "half a thought"
    assert page.locator(".crumb").all_text_contents() == ["keep", "B bug"]


def test_answers_of_one_person_are_not_sent_as_anothers(team: Workbench, open_page: OpenPage) -> None:
    with running(team) as address:
        page = open_page(address, bench=team, person="ann")
        wait_until_ahead(page)
        page.context.set_offline(True)
        press(page, "1 2 1 Enter")
        expect(page.locator("#saved")).to_contain_text("1 answer waits")
        held = page.evaluate("JSON.stringify(localStorage)")
        page.context.set_offline(False)
        page.evaluate("localStorage.clear()")
        other = open_page(address, bench=team, person="bob")
        other.evaluate(
            "(held) => Object.entries(JSON.parse(held)).forEach(([k, v]) => localStorage.setItem(k, v))", held
        )
        other.reload()
        wait_until_saved(other)
        assert [event for event in events(team, Rated) if event.who == "bob"] == []


def test_reports_that_were_fetched_ahead_are_given_back_when_the_page_is_left(
    site: str, alone: Workbench, open_page: OpenPage
) -> None:
    page = open_page(site)
    wait_until_ahead(page)
    page.goto(f"{site}/codebook")
    for _ in range(100):
        if len(events(alone, Released)) == 2:
            break
        page.wait_for_timeout(50)
    assert len(events(alone, Released)) == 2


def test_a_session_that_ended_is_told_and_the_answer_is_sent_after_signing_in(
    team: Workbench, team_site: str, open_page: OpenPage
) -> None:
    page = open_page(team_site, bench=team, person="ann")
    wait_until_ahead(page)
    page.context.clear_cookies()
    press(page, "1 2 1 Enter")
    expect(page.locator("#saved")).to_contain_text("1 answer waits")
    page.get_by_role("link", name="Sign in again").click()
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    wait_until_saved(page)
    assert [event.answers[1].code for event in events(team, Rated)] == ["B.1"]


def test_an_answer_waits_while_the_disk_is_full(
    site: str, alone: Workbench, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page(site)
    wait_until_ahead(page)
    full = OutputError(Fault("issuebook.db", "the disk is full."))
    with monkeypatch.context() as patch:  # a disk that is full cannot be had otherwise
        patch.setattr(alone, "write", Mock(side_effect=full))
        press(page, "1 2 1 Enter")
        expect(page.locator("#saved")).to_contain_text("1 answer waits")
    wait_until_saved(page)
    assert len(events(alone, Rated)) == 1
