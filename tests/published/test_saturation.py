"""Printed values of estimates of unseen classes."""

import pytest

from issuebook.stats.saturation import chao2


def test_chao2_of_the_barro_colorado_plots_is_what_the_vegan_manual_prints() -> None:
    """``specpool(BCI)`` prints Species 225, chao 236.3732, chao.se 6.54361, jack1 245.58, jack2 247.8722 for 50 plots.

    From its two jackknives, 21 species occur in one plot and 19 in two.
    """
    seen, plots, once, twice = 225, 50, 21, 19
    assert seen + once * (plots - 1) / plots == pytest.approx(245.58, abs=5e-3)
    jack2 = seen + once * (2 * plots - 3) / plots - twice * (plots - 2) ** 2 / (plots * (plots - 1))
    assert jack2 == pytest.approx(247.8722, abs=5e-5)
    found = chao2(seen, once, twice, plots)
    assert found.value == pytest.approx(236.3732, abs=5e-5)
    assert found.se == pytest.approx(6.54361, abs=5e-6)
