"""Walking the proposals tree in the browser: accept, send, merge, split, move, reject, take back."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.codebook_site import CODEBOOK, STUDY
from tests.journeys.annotation.conftest import OpenPage
from tests.journeys.annotation.test_codebook_pages import words
from tests.journeys.annotation.test_looks import SIZES, violations
from tests.journeys.conftest import Program
from tests.model_endpoint import Waited, endpoint
from tests.unit.test_proposal_names import names
from tests.web_site import running
from tests.workbench_study import MovedClock, bench_of

from issuebook.adapters.chat_endpoint import ChatEndpoint
from issuebook.annotation.events import Rated
from issuebook.app.annotate.workbench import Workbench
from issuebook.app.codebook import history_of
from issuebook.app.machine_asking import Desk
from issuebook.app.name_proposals import name_proposals
from issuebook.app.proposals import read_log

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect
pytestmark = pytest.mark.browser

TOPICS = (
    ("memory grows until the device allocation fails", "allocation memory device exhausted buffer {} growing heap"),
    ("checkpoint cannot be loaded after conversion", "checkpoint loading conversion weights shard {} missing tensor"),
    ("tokenizer splits unicode text wrongly", "tokenizer unicode vocabulary splits text {} encoding special"),
)
OPEN = ".proposals tr:not(.rejected) th a"
WORDS = ("monday", "linear", "docker", "remote", "silent", "nested", "fresh", "late", "custom", "plain", "short")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, program: Program) -> Path:
    """A study of 66 reports on three topics that was clustered."""
    made = tmp_path_factory.mktemp("clustered")
    rated = '[[ratings]]\nfiles = "ratings.csv"\nunit = "report"\n'
    (made / "study.toml").write_text(f'{STUDY}\n{rated}[reports]\nfiles = "reports.jsonl"\n')
    (made / "codebook.yaml").write_text(CODEBOOK)
    lines = []
    for number in range(66):
        title, body = TOPICS[number % 3]
        more = " ".join(WORDS[(number * step) % len(WORDS)] for step in (1, 2, 3))
        address = f"https://github.com/larkloom/core/issues/{number + 1}"
        row = {"html_url": address, "title": f"{title} {more}", "body": f"{body.format(more)}. {body.format(number)}"}
        lines.append(json.dumps({**row, "state": "open", "created_at": "2025-05-01T00:00:00Z"}))
    (made / "reports.jsonl").write_text("\n".join(lines))
    urls = [json.loads(line)["html_url"] for line in lines[:4]]
    (made / "ratings.csv").write_text("report,ann,bob\n" + "".join(f"{url},N,N\n" for url in urls))
    program("run", made, "--only", "consensus", check=True)
    program("cluster", made, check=True)
    return made


@pytest.fixture
def clustered(folder: Path, tmp_path: Path, clock: MovedClock) -> Workbench:
    shutil.copytree(folder, tmp_path / "study")
    return bench_of(tmp_path / "study", clock)


@pytest.fixture
def clustered_site(clustered: Workbench) -> Iterator[str]:
    with running(clustered) as address:
        yield address


def named(page: Any) -> list[str]:
    """Return the open proposals by name."""
    return [each.inner_text() for each in page.locator(OPEN).all()]


def test_proposals_are_walked_and_decided_and_nothing_becomes_a_rating(
    clustered: Workbench, clustered_site: str, open_page: OpenPage
) -> None:
    page = open_page(clustered_site, "/codebook/proposals")
    before = named(page)
    assert len(before) >= 3
    page.locator(".proposals th a").first.click()
    expect(page.locator("#exemplars")).to_be_visible()
    page.get_by_label("Id, which never changes").fill("P1")
    page.get_by_label("Name", exact=True).fill("First find")
    page.get_by_role("button", name="Accept").click()
    assert page.url.endswith(page.url.rpartition("/")[2])  # the browser asks for the definition
    page.get_by_label("Definition").fill("What the first group is about.")
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("heading", name="Proposals", exact=True)).to_be_visible()
    expect(page.locator(OPEN)).to_have_count(len(before) - 1)
    assert "suggested for P1" in words(page, "main")
    page.goto(f"{clustered_site}/codebook/code?facet=theme&code=P1")
    text = words(page, "main")
    assert "What the first group is about." in text
    assert "github.com/larkloom" in text
    assert "No report has it by consensus" in text
    page.goto(f"{clustered_site}/codebook/proposals")
    page.get_by_role("button", name=re.compile("Take it back ?: accepted")).click()
    expect(page.locator(OPEN)).to_have_count(len(before))
    assert named(page) == before
    assert not any(isinstance(event, Rated) for event in clustered.services.history.since(0))


def test_proposals_are_merged_split_rejected_sent_and_reports_moved(
    clustered: Workbench, clustered_site: str, open_page: OpenPage
) -> None:
    page = open_page(clustered_site, "/codebook/proposals")
    before = named(page)
    page.locator(".proposals th a").first.click()
    page.get_by_label("Another proposal").select_option(index=1)
    page.get_by_role("button", name="Merge").click()
    expect(page.locator(OPEN)).to_have_count(len(before) - 1)
    page.locator(".proposals th a").first.click()
    page.get_by_role("button", name="Split them off").click()
    expect(page.get_by_role("alert")).to_contain_text("no report is ticked")
    for number in range(3):
        page.get_by_role("checkbox").nth(number).check()
    page.get_by_role("button", name="Split them off").click()
    expect(page.locator(OPEN)).to_have_count(len(before))
    page.locator(".proposals th a").first.click()
    page.get_by_role("checkbox").first.check()
    page.get_by_label("Move to").select_option("theme N")
    page.get_by_role("button", name="Move").click()
    page.get_by_role("link", name="Proposals").last.click()
    assert "1 suggested for N" in words(page, "main")
    page.locator(".proposals th a").last.click()
    page.get_by_role("button", name="Reject").click()
    expect(page.locator(".rejected")).to_have_count(1)
    page.locator(OPEN).first.click()
    page.get_by_label("Code", exact=True).select_option("theme N")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".story li")).to_have_count(5)
    kinds = [one.kind for one in read_log(clustered.services.workspace)]
    assert kinds == ["merge", "split", "move", "reject", "send"]


def test_the_slider_cuts_again_and_what_was_decided_stays(
    clustered: Workbench, clustered_site: str, open_page: OpenPage
) -> None:
    page = open_page(clustered_site, "/codebook/proposals")
    page.locator(".proposals th a").first.click()
    page.get_by_label("Code", exact=True).select_option("theme N")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("slider", name="Cut into")).to_be_visible()
    page.wait_for_load_state("load")
    told = words(page, "main").partition("suggested")[0]
    slider = page.get_by_role("slider", name="Cut into")
    slider.fill("5")
    expect(page.locator("#cut-to")).to_have_text("5 groups")
    page.get_by_role("button", name="Cut again").click()
    expect(page.get_by_role("slider", name="Cut into")).to_be_visible()
    assert words(page, "main").partition("suggested")[0].split()[-1] == told.split()[-1]


def drafted(clustered: Workbench) -> None:
    """Let a model of a long name name all proposals."""
    services = clustered.services.study
    with endpoint(names()) as server, ChatEndpoint(server.address, None, 5.0) as opened:
        desk = Desk(services.workspace, opened, services.clock, Waited())
        assert name_proposals(services, desk, "a-vendor/a-model-of-a-rather-long-name-0731-instruct", None).named


def test_a_models_name_is_shown_as_its_own_and_a_person_changes_the_draft(
    clustered: Workbench, clustered_site: str, open_page: OpenPage
) -> None:
    page = open_page(clustered_site, "/codebook/proposals")
    before = named(page)
    drafted(clustered)
    page.reload()
    assert all(name.startswith("Name ") for name in named(page))
    text = words(page, "main")
    assert text.count("named by a-vendor/a-model") == len(before)
    assert all(name.split(",")[0] in text for name in before)
    page.locator(OPEN).last.click()
    page.get_by_label("Call it").fill("What I call it")
    page.get_by_role("button", name="Rename").click()
    expect(page.locator(OPEN).last).to_have_text("What I call it")
    assert words(page, "main").count("named by a-vendor/a-model") == len(before) - 1
    page.locator(OPEN).first.click()
    assert "named by a-vendor/a-model" in words(page, ".head")
    assert "Name and criteria are a draft by the model" in words(page, "main")
    expect(page.get_by_label("What belongs here")).to_have_value("It fits.")
    expect(page.get_by_label("Definition")).to_have_value("")
    page.get_by_label("Id, which never changes").fill("P1")
    page.get_by_label("Name", exact=True).fill("First find")
    page.get_by_label("Definition").fill("What the first group is about.")
    page.get_by_label("What belongs here").fill("It runs out of memory.\n\nIt says so.")
    page.get_by_label("What does not").fill("")
    page.get_by_role("button", name="Accept").click()
    expect(page.locator(OPEN)).to_have_count(len(before) - 1)
    code = history_of(clustered.services.study).head.facets[0].nodes["P1"].code
    assert (code.name, code.include, code.exclude) == (
        "First find",
        ("It runs out of memory.", "It says so."),
        (),
    )
    assert "drafted by" not in code.origin  # nothing of the draft is left


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_of_proposals_violate_nothing(
    clustered: Workbench, clustered_site: str, open_page: OpenPage, scheme: str
) -> None:
    drafted(clustered)
    page = open_page(clustered_site, "/codebook/proposals", color_scheme=scheme, bypass_csp=True)
    links = [page.locator(".proposals th a").first.get_attribute("href"), "/codebook/proposals/group?scope=all"]
    for path in ("/codebook/proposals", *links):
        for width, height in SIZES.values():
            page.set_viewport_size({"width": width, "height": height})
            page.goto(clustered_site + path)
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
            assert violations(page) == [], path
