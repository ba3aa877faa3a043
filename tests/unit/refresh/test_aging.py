from __future__ import annotations

import math

import numpy as np
import pytest

from issuebook.screening.aging import AgingSettings, Texts, dead_keywords, new_terms, term_set
from issuebook.text.terms import count_terms

WORDS = [f"word{number}" for number in range(60)]


def stream(seed: int, size: int, since: int, planted: dict[str, tuple[float, float]]) -> Texts:
    """Reports of random words; a planted one stands in a share of those before and in another of those since."""
    generator = np.random.default_rng(seed)
    late = np.arange(size) >= size - since
    held = []
    for row in range(size):
        words = generator.choice(WORDS, 8, replace=False).tolist()
        words += [word for word, shares in planted.items() if generator.random() < shares[int(late[row])]]
        held.append(words)
    return Texts(count_terms(held, least=3, most=0.5), late, np.zeros(size, bool))


def test_a_term_that_rose_is_found_with_what_it_would_add() -> None:
    texts = stream(1, 400, 100, {"router": (0.01, 0.4)})
    found = new_terms(texts, frozenset(), AgingSettings())

    assert [one.term for one in found] == ["router"]
    assert found[0].z >= 4
    assert found[0].unhit == found[0].since > 25


def test_words_of_changed_forms_are_left_out() -> None:
    texts = stream(1, 400, 100, {"router": (0.01, 0.4)})

    assert new_terms(texts, frozenset({"router"}), AgingSettings()) == ()
    assert term_set(texts, frozenset({"router"}), AgingSettings()).terms == ()


def test_nothing_rises_in_a_stable_stream() -> None:
    assert [new_terms(stream(seed, 300, 60, {}), frozenset(), AgingSettings()) for seed in range(20)] == [()] * 20


def test_a_term_of_two_reports_is_not_new() -> None:
    held = [["old"]] * 40 + [["old", "rare"]] * 2
    texts = Texts(count_terms(held), np.arange(42) >= 40, None)

    assert new_terms(texts, frozenset(), AgingSettings(z=0.0)) == ()


def test_a_set_is_measured_on_the_half_that_it_was_not_chosen_on() -> None:
    texts = stream(3, 800, 200, {"router": (0.01, 0.4), "reasoning": (0.01, 0.4)})
    found = term_set(texts, frozenset(), AgingSettings())

    assert set(found.terms) == {"router", "reasoning"}
    assert found.held_out == 400
    assert found.precision.value is not None
    assert found.precision.value > 0.85
    assert found.recall.value is not None
    assert 0.45 < found.recall.value < 0.8  # 1 - 0.6 * 0.6 is 0.64


def test_without_reports_on_one_side_nothing_is_new() -> None:
    texts = Texts(count_terms([["one"], ["two"]]), np.zeros(2, bool), None)

    assert new_terms(texts, frozenset(), AgingSettings()) == ()
    assert term_set(texts, frozenset(), AgingSettings()).recall.undefined is not None


def test_a_keyword_is_dead_when_it_was_due_and_did_not_hit() -> None:
    rows = [("a", "gone", 30, 0), ("a", "rare", 5, 0), ("a", "alive", 30, 1)]
    (found,) = dead_keywords(rows, before=90, since=10, settings=AgingSettings())

    assert (found.keyword, found.before) == ("gone", 30)
    assert found.expected == pytest.approx(30 * 10 / 90)
    assert found.p == pytest.approx(math.comb(70, 10) / math.comb(100, 10), rel=1e-9)


def test_no_keyword_is_dead_without_reports_before() -> None:
    assert dead_keywords([("a", "new", 0, 0)], before=0, since=50, settings=AgingSettings()) == ()
