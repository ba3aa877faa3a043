import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import pytest
from tests.fakes import study

from issuebook.adapters import charts
from issuebook.report.book import Book
from issuebook.report.drawing import Figure, described
from issuebook.report.figures import all_figures
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


def test_a_study_has_its_figures(figures: dict[str, Figure]) -> None:
    assert list(figures) == [
        "funnel",
        "theme-shares",
        "theme-by-project",
        "agreement",
        "agreement-by-code",
        "confusion",
        "comparison-alpha-beta",
        "dissents",
    ]


def test_figures_use_the_colours_of_the_palette_only(figures: dict[str, Figure]) -> None:
    used = {colour for figure in figures.values() for colour in colours_in(figure.spec)}
    assert used <= set(LIGHT.values())


def test_the_text_of_a_figure_says_its_numbers(figures: dict[str, Figure]) -> None:
    assert "D.1 Speed is the most frequent with 55.00 % (interval" in figures["theme-shares"].text
    assert "alpha: D.1 Speed, 56.25 %" in figures["theme-by-project"].text
    assert "all ratings 0.750 (interval 0.710 to 0.790), over annotators 0.600 to 0.900" in figures["agreement"].text
    assert "D.2 Size undefined" in figures["agreement-by-code"].text


def test_the_texts_of_comparison_confusion_and_dissents_say_their_numbers(figures: dict[str, Figure]) -> None:
    forest, confusion, dissents = (figures[name].text for name in ("comparison-alpha-beta", "confusion", "dissents"))
    assert "D.1: the shares differ by 30.0 pp [" in forest
    assert "D.2: the shares agree within the margin of ±2.0 pp" in forest
    assert "the same code: Q.1 95.24 %; D.1 96.77 %. Most confused: Q.1 beside D.1 4.76 %" in confusion
    pairs = re.findall(r"\d: (\d+) against (\d+)", dissents)
    seen, expected = (sum(int(pair[side]) for pair in pairs) for side in (0, 1))
    assert 50 < seen <= 60  # ties have no consensus to dissent from
    assert abs(seen - expected) <= len(pairs) / 2  # each is rounded


def test_the_forest_of_a_comparison_tells_verdicts_by_shape_and_colour(figures: dict[str, Figure]) -> None:
    spec = figures["comparison-alpha-beta"].spec
    values = {value["label"]: value["verdict"] for value in spec["data"]["values"]}
    assert values == {"Q.1 Usage": "different", "D.1 Speed": "different", "D.2 Size": "equivalent"}
    shapes, colours = (spec["layer"][-1]["encoding"][by]["scale"]["range"] for by in ("shape", "color"))
    assert len(set(shapes)) == len(set(colours)) == 4


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
