"""Coordinator and adjudicator at work: people, rounds, dashboard, decisions, search."""

from typing import Any

import pytest
from tests.journeys.annotation.conftest import OpenPage
from tests.journeys.annotation.test_labelling import events, press, wait_until_saved
from tests.web_site import PASSWORD
from tests.workbench_study import choice, label

from issuebook.annotation.events import Adjudicated, Rated
from issuebook.app.annotate.labelling import submit
from issuebook.app.annotate.workbench import Workbench

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect
pytestmark = pytest.mark.browser


def disputed(bench: Workbench, count: int) -> None:
    for _ in range(count):
        label(bench, "ann", "A.1", "reads like a question")
        label(bench, "bob", "B.1", "there is a traceback")


def test_from_the_first_visit_to_a_team_that_signs_in(site: str, open_page: OpenPage) -> None:
    page = open_page(site, "/people")
    page.get_by_label("Id, as it stands in exports").fill("dana")
    page.get_by_role("button", name="Add", exact=True).click()
    assert "dana" in page.locator("table").text_content()
    page.get_by_role("link", name="set your own password").click()
    page.get_by_label("New password, 10 characters or more").fill(PASSWORD)
    page.get_by_label("The same again").fill(PASSWORD)
    page.get_by_role("button", name="Set it").click()
    assert page.url.startswith(f"{site}/sign-in")
    sign_in(page, "me", PASSWORD)
    page.get_by_role("link", name="People").click()
    page.locator("tr", has_text="dana").locator("summary").click()
    page.get_by_label("New password of dana").fill("another password")
    page.locator("tr", has_text="dana").get_by_role("button", name="Set", exact=True).click()
    page.get_by_role("button", name="Sign out").click()
    sign_in(page, "dana", "wrong password")
    assert "do not fit" in page.locator(".fault").text_content()
    sign_in(page, "dana", "another password")
    expect(page.get_by_role("link", name="Label")).to_be_visible()
    assert not page.get_by_role("link", name="People").count()


def sign_in(page: Any, name: str, password: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_by_a_link_somebody_joins_a_team_and_labels_its_round(
    team: Workbench, team_site: str, open_page: OpenPage
) -> None:
    page = open_page(team_site, "/people", bench=team, person="cora")
    page.get_by_label("Team that they join, if any").fill("north")
    page.get_by_role("button", name="Make a link").click()
    link = page.locator("#link").text_content()
    page.goto(f"{team_site}/people")
    assert link.partition("#")[2] not in page.content()
    guest = open_page(team_site, link.removeprefix(team_site))
    asked: list[str] = []
    guest.on("request", lambda request: asked.append(request.url))
    expect(guest.get_by_label("Invitation: your link")).to_be_hidden()
    assert guest.url == f"{team_site}/join"
    guest.get_by_label("Your name").fill("dana")
    guest.get_by_label("Password, 10").fill("short enough")
    guest.get_by_label("The same again").fill("short of it!")
    guest.get_by_role("button", name="Join").click()
    assert "not the same" in guest.locator(".fault").text_content()
    expect(guest.get_by_label("Invitation: your link")).to_be_hidden()
    guest.get_by_label("Password, 10").fill(PASSWORD)
    guest.get_by_label("The same again").fill(PASSWORD)
    guest.get_by_role("button", name="Join").click()
    expect(guest.get_by_role("link", name="Label")).to_be_visible()
    assert not [url for url in asked if link.partition("#")[2] in url]
    page.goto(f"{team_site}/rounds")
    page.get_by_label("Name").fill("northern")
    page.get_by_label("Annotators a unit").fill("1")
    page.get_by_label("north", exact=True).check()
    page.get_by_role("button", name="Open it").click()
    assert "north: dana" in " ".join(page.locator("tr", has_text="northern").text_content().split())
    guest.goto(f"{team_site}/label?round=northern")
    press(guest, "1 2 1 Enter")
    wait_until_saved(guest)
    assert [(event.who, event.round) for event in events(team, Rated)] == [("dana", "northern")]


def test_a_role_is_given_and_the_last_coordinator_stays(team: Workbench, team_site: str, open_page: OpenPage) -> None:
    page = open_page(team_site, "/people", bench=team, person="cora")
    row = page.locator("tr", has=page.locator("input[value=rea]"))
    row.get_by_label("adjudicator").check()
    row.get_by_role("button", name="Save").click()
    assert row.get_by_label("adjudicator").is_checked()
    for name in ("me", "cora"):
        row = page.locator("tr", has=page.locator(f"input[value={name}]"))
        row.get_by_label("coordinator").uncheck()
        row.get_by_role("button", name="Save").click()
    assert "only coordinator" in page.locator(".fault").text_content()


def test_a_round_is_opened_labelled_and_closed(team: Workbench, team_site: str, open_page: OpenPage) -> None:
    page = open_page(team_site, "/rounds", bench=team, person="cora")
    page.get_by_role("button", name="Close main").click()
    page.get_by_label("Name").fill("second")
    page.get_by_label("Mode").select_option("calibration")
    page.get_by_label("Units").fill("3")
    page.get_by_label("Annotators a unit").fill("1")
    page.get_by_label("Ann", exact=True).check()
    page.get_by_role("button", name="Open it").click()
    assert "second" in page.locator("table").text_content()
    annotator = open_page(team_site, bench=team, person="ann")
    press(annotator, "1 2 1 Enter")
    wait_until_saved(annotator)
    assert [event.round for event in events(team, Rated)] == ["second"]
    page.get_by_label("Name").fill("second")
    page.get_by_role("button", name="Open it").click()
    assert page.locator(".fault").is_visible()
    page.goto(f"{team_site}/dashboard?round=second")
    assert "1 of 3" in page.locator(".tiles").first.text_content()


def test_a_meeting_decides_one_screen_after_the_other(team: Workbench, team_site: str, open_page: OpenPage) -> None:
    disputed(team, 3)
    page = open_page(team_site, "/adjudicate", bench=team, person="jo", viewport={"width": 1920, "height": 1080})
    desk = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.lead')).fontSize)")
    page.get_by_role("link", name="Decide together").click()
    assert "3 wait" in page.locator(".meeting-acts").text_content()
    assert page.evaluate("parseFloat(getComputedStyle(document.querySelector('.memo')).fontSize)") > desk
    first = page.locator("input[name=unit]").input_value()
    page.get_by_role("link", name="Later: the next one").click()
    second = page.locator("input[name=unit]").input_value()
    assert second != first
    page.get_by_label("Code").select_option("B.1")
    page.get_by_label("Reason").fill("We agreed that it is a crash.")
    page.get_by_role("button", name="Decide").click()
    assert "2 wait" in page.locator(".meeting-acts").text_content()
    assert [event.unit for event in events(team, Adjudicated)] == [second]
    page.get_by_role("link", name="End the meeting").click()
    assert "2 wait for a decision" in page.locator(".lead").text_content()


def test_disputes_are_decided_one_after_the_other(team: Workbench, team_site: str, open_page: OpenPage) -> None:
    disputed(team, 2)
    page = open_page(team_site, "/adjudicate", bench=team, person="jo")
    assert "2 wait for a decision" in page.locator(".lead").text_content()
    page.locator(".queue a").first.click()
    sides = page.locator(".sides").text_content()
    assert "reads like a question" in sides
    assert "there is a traceback" in sides
    first = page.locator("input[name=unit]").input_value()
    page.get_by_role("button", name="Decide").click()
    assert events(team, Adjudicated) == []  # code and reason are required
    page.get_by_label("Code").select_option("B.1")
    page.get_by_label("Reason").fill("The traceback shows a crash.")
    page.get_by_role("button", name="Decide").click()
    assert page.locator("input[name=unit]").input_value() != first
    (decision,) = events(team, Adjudicated)
    assert (decision.unit, decision.answer.code, decision.reason) == (first, "B.1", "The traceback shows a crash.")
    assert {event.answers[1].code for event in events(team, Rated)} == {"A.1", "B.1"}


def test_a_rating_after_the_decision_is_new_evidence(team: Workbench, team_site: str, open_page: OpenPage) -> None:
    disputed(team, 1)
    page = open_page(team_site, "/adjudicate", bench=team, person="jo")
    page.locator(".queue a").first.click()
    unit = page.locator("input[name=unit]").input_value()
    page.get_by_label("Code").select_option("B.1")
    page.get_by_label("Reason").fill("a crash")
    page.get_by_role("button", name="Decide").click()
    submit(team, "ann", "main", unit, choice("A.2", "now I see it"), "late key")
    page.goto(f"{team_site}/adjudicate")
    assert "new evidence" in page.locator(".queue").text_content()
    page.locator(".queue a").first.click()
    assert "now I see it" in page.locator(".sides").text_content()
    assert "reads like a question" in page.locator("details ul.history").text_content()
    assert page.locator(".history .holds").text_content().startswith("B.1")


def test_a_decision_sent_twice_counts_once(team: Workbench, team_site: str, open_page: OpenPage) -> None:
    disputed(team, 1)
    page = open_page(team_site, "/adjudicate", bench=team, person="jo")
    page.locator(".queue a").first.click()
    page.get_by_label("Code").select_option("B.1")
    page.get_by_label("Reason").fill("a crash")
    page.evaluate(
        "fetch('/adjudicate/unit', {method: 'POST', body: new URLSearchParams(new FormData(document.forms[1]))})"
    )
    page.get_by_role("button", name="Decide").click()
    page.wait_for_url("**/adjudicate?**")
    assert len(events(team, Adjudicated)) == 1


def test_the_dashboard_shows_agreement_by_code_confusion_and_pace(
    team: Workbench, team_site: str, open_page: OpenPage
) -> None:
    disputed(team, 6)
    page = open_page(team_site, "/dashboard", bench=team, person="rea")
    assert "12 of 24" in page.locator(".tiles").first.text_content()
    text = page.locator("main").text_content()
    assert "Krippendorff" in text
    assert "A.1 setup" in " ".join(page.locator(".by-code").last.text_content().split())
    assert "6" in page.get_by_role("region", name="Confused codes, theme, theme").text_content()
    assert "3 s" in page.get_by_role("region", name="Annotators").text_content()


def test_search_finds_titles_memos_and_codes_and_opens_what_may_be_labelled(
    team: Workbench, team_site: str, open_page: OpenPage
) -> None:
    unit, _ = label(team, "ann", "B.1", "a flaky test")
    page = open_page(team_site, "/search", bench=team, person="ann")
    page.get_by_label("Words to find").fill("memo:flaky")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".found li")).to_have_count(1)
    assert unit in page.locator(".found").text_content()
    page.locator(".found a").click()
    assert "B.1" in page.locator(".trail").last.text_content()
    page.goto(f"{team_site}/search?q=%22open")
    assert page.locator(".fault").is_visible() or page.locator(".none").is_visible()


def test_a_reader_reads_and_changes_nothing(team: Workbench, team_site: str, open_page: OpenPage) -> None:
    page = open_page(team_site, "/dashboard", bench=team, person="rea")
    assert page.locator(".top nav a").all_text_contents() == ["Dashboard", "Codebook", "Search"]
