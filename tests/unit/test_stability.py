"""What a second team keeps of the first team's labels."""

import pytest

from issuebook.errors import StatisticsError
from issuebook.stats.stability import stability

TYPE_OF = {"A.1": "A", "A.2": "A", "B.1": "B", "B.2": "B"}
FIRST = ["A.1", "A.1", "A.1", "A.2", "B.1", "B.1", None, "B.1"]
SECOND = ["A.1", "A.2", "B.1", "A.2", "B.1", "B.1", "A.1", None]


def test_themes_and_types_kept_are_shares_of_the_units_that_both_teams_labelled() -> None:
    result = stability(FIRST, SECOND, TYPE_OF)
    assert (result.units, result.excluded) == (6, 2)
    assert result.units + result.excluded == len(FIRST)
    assert result.themes_kept.value == pytest.approx(4 / 6)
    assert result.types_kept.value == pytest.approx(5 / 6)
    assert result.kept_of_theme["A.1"].value == pytest.approx(1 / 3)
    assert result.kept_of_type["A"].value == pytest.approx(3 / 4)
    assert result.moved == (("A.1", "A.2", 1), ("A.1", "B.1", 1))


def test_a_theme_that_the_first_team_never_gave_has_no_share_and_a_reason() -> None:
    assert stability(FIRST, SECOND, TYPE_OF).kept_of_theme["B.2"].undefined == "there are no units to take a share of"


def test_types_are_kept_at_least_as_often_as_themes_and_a_finite_population_narrows() -> None:
    free, finite = stability(FIRST, SECOND, TYPE_OF), stability(FIRST, SECOND, TYPE_OF, population=10)
    assert (free.types_kept.value or 0) >= (free.themes_kept.value or 0)
    assert (finite.themes_kept.low or 0) > (free.themes_kept.low or 0)


def test_labels_of_unlike_number_or_outside_the_codebook_are_refused_together() -> None:
    with pytest.raises(StatisticsError) as caught:
        stability(["A.9"], ["A.1", "C"], TYPE_OF)
    assert len(caught.value.faults) == 3
