from __future__ import annotations

import numpy as np
import pytest

from issuebook.codebook.candidates import candidate_groups
from issuebook.codebook.novelty import centroid_novelty, novelty
from issuebook.stats.linear_codes import code_probabilities
from issuebook.text.lexical_features import unit_rows
from issuebook.text.terms import count_terms


def topic(direction: int, number: int, seed: int, dimensions: int = 12) -> np.ndarray:
    points = np.random.default_rng([seed, direction]).normal(0, 0.25, (number, dimensions))
    points[:, direction] += 1
    return unit_rows(points)


def accepted(seed: int = 0) -> tuple[np.ndarray, list[str]]:
    parts = [topic(direction, 30, seed) for direction in range(5)]
    return np.vstack(parts), [f"C.{direction}" for direction in range(5) for _ in range(30)]


def test_a_topic_that_no_code_covers_is_flagged() -> None:
    vectors, codes = accepted()
    found = novelty(vectors, codes, topic(9, 20, 1), 0.05)

    assert found is not None
    assert found.flagged.mean() > 0.9
    assert found.codes == ("C.0", "C.1", "C.2", "C.3", "C.4")


def test_reports_of_known_codes_are_flagged_at_most_at_the_stated_rate() -> None:
    flagged = []
    for seed in range(12):
        vectors, codes = accepted(seed)
        found = novelty(vectors, codes, np.vstack([topic(d, 20, 100 + seed) for d in range(5)]), 0.05)
        assert found is not None
        flagged.append(found.flagged.mean())

    assert np.mean(flagged) <= 0.05


def test_a_higher_rate_flags_no_fewer() -> None:
    vectors, codes = accepted()
    new = np.vstack([topic(2, 30, 5), topic(9, 5, 5)])
    strict, loose = (novelty(vectors, codes, new, rate) for rate in (0.01, 0.2))

    assert strict is not None
    assert loose is not None
    assert not (strict.flagged & ~loose.flagged).any()


def test_each_report_is_judged_on_its_own() -> None:
    vectors, codes = accepted()
    new = np.vstack([topic(2, 8, 5), topic(9, 8, 5)])
    whole = novelty(vectors, codes, new, 0.05)
    halves = [novelty(vectors, codes, part, 0.05) for part in (new[:5], new[5:])]

    assert whole is not None
    assert np.concatenate([half.score for half in halves if half is not None]) == pytest.approx(whole.score)


def test_a_report_without_a_known_word_is_never_flagged() -> None:
    vectors, codes = accepted()
    found = novelty(vectors, codes, np.zeros((3, 12)), 0.5)

    assert found is not None
    assert not found.flagged.any()


def test_codes_of_few_reports_are_not_learnt_and_counted() -> None:
    vectors, codes = accepted()
    found = novelty(vectors, [*codes[:-3], "C.9", "C.9", "C.9"], topic(1, 2, 3), 0.05)

    assert found is not None
    assert "C.9" not in found.codes
    assert found.left_out == 3


def test_one_code_is_too_little_to_learn_from() -> None:
    assert novelty(topic(0, 30, 1), ["C.1"] * 30, topic(1, 2, 1), 0.05) is None


def test_no_new_reports_are_no_mistake() -> None:
    vectors, codes = accepted()
    found = novelty(vectors, codes, np.zeros((0, 12)), 0.05)

    assert found is not None
    assert found.score.shape == (0,)


def test_vectors_and_codes_must_fit() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        novelty(topic(0, 3, 1), ["a"], topic(0, 1, 1), 0.05)


def test_the_plain_measure_is_the_distance_to_the_nearest_centroid() -> None:
    known = np.array([[1.0, 0.0], [0.0, 1.0]])

    assert centroid_novelty(known, ["a", "b"], np.array([[0.6, 0.8]])) == pytest.approx([0.2])


def test_probabilities_add_up_and_follow_the_codes() -> None:
    vectors, codes = accepted()
    found = code_probabilities(vectors, codes, vectors[[0, 149]])

    assert found.sum(axis=1) == pytest.approx([1, 1], abs=1e-8)
    assert found.argmax(axis=1).tolist() == [0, 4]
    assert code_probabilities(vectors, codes, np.zeros((0, 12))).shape == (0, 5)


def test_two_new_topics_are_two_candidates_and_small_ones_are_none() -> None:
    vectors = np.vstack([accepted()[0], topic(8, 9, 1), topic(10, 6, 1), topic(11, 3, 1)])
    words = [["common"]] * 150 + [["common", "router"]] * 9 + [["common", "webgpu"]] * 6 + [["common", "rare"]] * 3
    found = candidate_groups(vectors, range(150, 168), [1.9] * 18, count_terms(words))

    assert [one.name for one in found] == ["router", "webgpu"]
    assert all(
        set(one.rows) <= set(topic) for one, topic in zip(found, (range(150, 159), range(159, 165)), strict=True)
    )
    assert all(len(one.rows) >= 5 for one in found)
    assert found[0].rank == pytest.approx(found[0].novelty * found[0].cohesion * len(found[0].rows) ** 0.5)


def test_four_reports_are_no_candidate() -> None:
    assert candidate_groups(topic(1, 4, 1), [0, 1, 2, 3], [2.0] * 4, count_terms([["a"]] * 4)) == ()
