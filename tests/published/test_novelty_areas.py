"""The promise of novelty on real reports: areas held out one at a time are told from known ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.novelty import area_reports, held_out, stable_stream


@pytest.mark.shared
@pytest.mark.slow
def test_areas_that_no_code_covers_are_found_and_a_stable_stream_is_left_alone(shared: Path) -> None:
    vectors, areas = area_reports(shared / "data")
    found = held_out(vectors, areas)
    flagged, asked = stable_stream(vectors, areas, splits=3)

    assert len(areas) == 536
    assert len(found) == 20
    assert np.mean([one.auroc for one in found.values()]) >= 0.80
    assert flagged / asked <= 0.05
