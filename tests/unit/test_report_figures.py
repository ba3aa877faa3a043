import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import pytest
from tests.fakes import study

from issuebook.adapters import charts
from issuebook.report.book import Book
from issuebook.report.figures import Figure, all_figures, described
from issuebook.report.palette import LIGHT, themed


@pytest.fixture(scope="module")
def figures() -> dict[str, Figure]:
    return {figure.name: figure for figure in all_figures(Book(study.facts()))}


def colours_in(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for value in part.values():
            yield from colours_in(value)
    elif isinstance(part, list):
        for value in part:
            yield from colours_in(value)
    elif isinstance(part, str) and part.startswith("#"):
        yield part


def test_a_study_has_its_four_figures(figures: dict[str, Figure]) -> None:
    assert list(figures) == ["theme-shares", "theme-by-project", "agreement", "agreement-by-code"]


def test_figures_use_the_colours_of_the_palette_only(figures: dict[str, Figure]) -> None:
    used = {colour for figure in figures.values() for colour in colours_in(figure.spec)}
    assert used <= set(LIGHT.values())


def test_the_text_of_a_figure_says_its_numbers(figures: dict[str, Figure]) -> None:
    assert "D.1 Speed is the most frequent with 55.00 % (interval" in figures["theme-shares"].text
    assert "alpha: D.1 Speed, 56.25 %" in figures["theme-by-project"].text
    assert "all ratings 0.750 (interval 0.710 to 0.790), over annotators 0.600 to 0.900" in figures["agreement"].text
    assert "D.2 Size undefined" in figures["agreement-by-code"].text


def test_codes_stand_in_the_order_of_the_codebook(figures: dict[str, Figure]) -> None:
    values = figures["theme-shares"].spec["data"]["values"]
    assert [value["label"] for value in values] == ["Q.1 Usage", "D.1 Speed", "D.2 Size"]


def test_the_forest_has_both_intervals_of_each_scope(figures: dict[str, Figure]) -> None:
    values = figures["agreement"].spec["data"]["values"]
    assert {value["over"] for value in values} == {"other reports", "other annotators"}
    assert len(values) == 2 * len(study.facts().agreement)


def test_a_drawn_figure_carries_title_and_text_and_can_follow_dark_mode(figures: dict[str, Figure]) -> None:
    figure = figures["theme-shares"]
    svg = described(charts.render(figure.spec), figure)
    root = ET.fromstring(svg)  # noqa: S314 - drawn here
    assert root.get("role") == "img"
    assert root[0].text == figure.title
    assert root[1].text == figure.text
    assert "var(--code-1)" in themed(svg)
    assert "#" not in themed(svg).replace("url(#", "")


def test_a_png_is_twice_the_size_of_its_svg(figures: dict[str, Figure]) -> None:
    svg = charts.render(figures["agreement"].spec)
    image = charts.png(svg)
    assert image.startswith(b"\x89PNG")
    assert int.from_bytes(image[16:20], "big") == round(2 * float(ET.fromstring(svg).attrib["width"]))  # noqa: S314


def test_hostile_names_cannot_break_out_of_a_figure() -> None:
    for figure in all_figures(Book(study.hostile_facts())):
        svg = described(charts.render(figure.spec), figure)
        ET.fromstring(svg)  # noqa: S314 - drawn here; parsing proves that it is well formed
        assert "<script" not in svg


def test_a_chart_never_fetches_data() -> None:
    with pytest.raises(ValueError, match=r"example\.org"):
        charts.render({"data": {"url": "https://example.org/x.csv"}, "mark": "point", "encoding": {}})
