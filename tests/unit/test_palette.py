import itertools

import pytest

from issuebook.report import palette

MODES = pytest.mark.parametrize("colours", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
TEXTS = ["ink", "muted", "accent", "good", "bad", "warn", *(f"code-{k}" for k in range(1, 9))]


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@MODES
@pytest.mark.parametrize("text", TEXTS)
def test_text_stands_out_from_page_and_panel(colours: dict[str, str], text: str) -> None:
    assert contrast(colours[text], colours["page"]) >= 4.5
    assert contrast(colours[text], colours["panel"]) >= 4.5


@MODES
@pytest.mark.parametrize("step", range(1, 7))
def test_numbers_are_readable_on_every_heat_step(colours: dict[str, str], step: int) -> None:
    assert contrast(colours[f"heat-{step}"], colours[palette.heat_ink(step)]) >= 4.5


@MODES
def test_heat_steps_go_one_way_in_lightness(colours: dict[str, str]) -> None:
    steps = [luminance(colours["page"]), *(luminance(colours[f"heat-{k}"]) for k in range(1, 7))]
    assert steps in (sorted(steps), sorted(steps, reverse=True))


def test_light_and_dark_name_the_same_colours_and_no_light_colour_twice() -> None:
    assert list(palette.LIGHT) == list(palette.DARK)
    assert all(one != other for one, other in itertools.combinations(palette.LIGHT.values(), 2))


def test_a_themed_figure_has_no_colour_of_its_own() -> None:
    svg = '<rect fill="#1A1E23"/><text fill="#57606a">#123456</text>'
    assert palette.themed(svg) == '<rect fill="var(--ink)"/><text fill="var(--muted)">#123456</text>'


def test_only_a_share_above_zero_is_coloured() -> None:
    assert [palette.heat_step(share) for share in (None, 0.0, 1e-6, 0.01, 0.0101, 0.2, 0.21, 1.0)] == [
        0,
        0,
        1,
        1,
        2,
        5,
        6,
        6,
    ]
