import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib import resources
from itertools import pairwise

import polars as pl
import pytest
from tests.fakes import study

from issuebook.report.book import Book
from issuebook.report.facts import Facts
from issuebook.report.html.render import render_report
from issuebook.report.tables import all_tables

TEMPLATES = [
    f for f in resources.files("issuebook.report.html").joinpath("templates").iterdir() if f.name.endswith(".j2")
]


class Page(HTMLParser):
    """What tests look for: ids, links into the page, data elements with the link around them, tags, text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.data: list[tuple[str, str]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._around: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if tag == "a":
            self._around.append(given.get("href") or "")
        if tag == "tr":
            self._around.append(f"#{given.get('id') or ''}")
        if tag == "data":
            self.data.append((str(given.get("value")), self._around[-1] if self._around else ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("a", "tr"):
            self._around.pop()

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def page_of(facts: Facts) -> tuple[Page, str]:
    book = Book(facts)
    text = render_report(book, study.verdicts(book), {}, study.run_info())
    return Page(text), text


@pytest.fixture(scope="module")
def page() -> Page:
    return page_of(study.facts())[0]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda file: file.name)
def test_a_template_holds_no_bare_number(template: resources.abc.Traversable) -> None:
    source = template.read_text(encoding="utf-8")
    without_code = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", "", source, flags=re.DOTALL)
    texts = re.sub(r"<[^>]*>", "\n", without_code)
    assert re.findall(r"\d+", texts) == []


def test_every_number_leads_to_what_it_was_computed_from(page: Page) -> None:
    assert len(page.data) > 200
    assert {around[1:] for _, around in page.data} <= set(page.ids)
    assert all(re.fullmatch(r"#q\d+", around) for _, around in page.data)


def test_no_two_elements_share_an_id(page: Page) -> None:
    assert len(page.ids) == len(set(page.ids))


def test_links_into_the_page_lead_somewhere(page: Page) -> None:
    targets = {str(given["href"])[1:] for tag, given in page.tags if tag == "a" and str(given["href"]).startswith("#")}
    assert targets <= set(page.ids)


def test_headings_start_at_one_and_skip_no_level(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_table_has_a_caption_and_headers_with_scope(page: Page) -> None:
    tags = [tag for tag, _ in page.tags]
    assert tags.count("table") == tags.count("caption") > 5
    assert all(given.get("scope") for tag, given in page.tags if tag == "th")


def test_the_page_asks_for_nothing_from_outside(page: Page) -> None:
    loading = {"script", "img", "iframe", "object", "embed", "source", "audio", "video"}
    assert [given for tag, given in page.tags if tag in loading and given] == []
    assert [given["href"] for tag, given in page.tags if tag == "link"] == ["data:,"]
    policy = next(given["content"] for tag, given in page.tags if given.get("http-equiv"))
    assert str(policy).startswith("default-src 'none';")


def test_the_first_screen_counts_every_verdict(page: Page) -> None:
    words = " ".join(" ".join(page.words).split())
    assert "1 of 6 hold" in words
    assert re.search(
        r"✓ holds 1 ≠ differs 1 ⇄ matches another quantity 1 ⊘ impossible 1 \? cannot be computed 2", words
    )


def test_a_file_that_the_page_names_is_among_the_outputs() -> None:
    book = Book(study.facts())
    text = render_report(book, study.verdicts(book), {}, study.run_info())
    written = {f"tables/{table.name}.csv" for table in all_tables(book, study.verdicts(book))}
    named = set(re.findall(r"tables/[a-z0-9-]+\.csv", text))
    assert len(named) > 8
    assert named <= written


def test_an_undefined_value_says_why(page: Page) -> None:
    assert "A dash stands where there is no value: no annotator gave this code." in page.words


def test_rows_left_out_stand_with_place_and_reason(page: Page) -> None:
    words = " ".join(" ".join(page.words).split())
    assert "code 'X' is not in the codebook" in words
    assert "read 22 = kept 20 + excluded 1 + quarantined 1" in words


def test_names_from_outside_are_escaped_everywhere() -> None:
    page, text = page_of(study.hostile_facts())
    scripts = [given for tag, given in page.tags if tag == "script"]
    assert scripts == [{}]
    assert study.HOSTILE not in text
    assert "{{ 1 }}" in text  # shown as it is, not evaluated


def test_an_example_links_only_to_web_addresses() -> None:
    page, _ = page_of(study.hostile_facts())
    links = {str(given["href"]) for tag, given in page.tags if tag == "a" and not str(given["href"]).startswith("#")}
    assert links == {"https://example.org/1"}


def test_a_study_without_claims_agreement_and_projects_still_has_a_report() -> None:
    plain = study.facts()
    units = plain.units.with_columns(pl.lit(None, pl.String).alias("project"), pl.lit(None, pl.String).alias("group"))
    book = Book(replace(plain, units=units, groups={}, agreement={}, by_code=()))
    page = Page(render_report(book, (), {}, study.run_info()))
    assert "Agreement was not computed." in page.words
    assert "The study states no numbers." in page.words


def test_a_comparison_shows_its_verdict_its_words_and_what_must_be_known(page: Page) -> None:
    shown = " ".join(" ".join(page.words).split())
    assert "alpha against beta: ≠ different" in shown
    assert "The codes of alpha (300 units) and beta (300 units) are distributed differently" in shown
    assert "One unit has no consensus and is left out." in shown
    assert "comparison-alpha-beta" in page.ids


def test_the_audit_is_worded_neutrally_and_names_every_check(page: Page) -> None:
    shown = " ".join(" ".join(page.words).split())
    assert "No check speaks of intent" in shown
    assert all(title in shown for title in ("C1 No-majority deficit", "C9 Repeated units", "C8 File order"))
    assert "not run: no unit occurs twice" in shown


def test_without_comparisons_and_audit_their_sections_are_absent() -> None:
    bare = page_of(replace(study.facts(), comparisons=(), audit=None, confusion=None))[0]
    assert not {"comparisons", "audit"} & set(bare.ids)
    assert not {"#comparisons", "#audit"} & {str(given.get("href")) for tag, given in bare.tags if tag == "a"}
