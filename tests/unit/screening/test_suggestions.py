from __future__ import annotations

import math

import numpy as np
import pytest

from issuebook.errors import StatisticsError
from issuebook.model.estimate import Estimate
from issuebook.screening.keywords import Keyword
from issuebook.screening.matcher import Matcher
from issuebook.screening.suggestions import Example, SuggestionSettings, suggest_keywords
from issuebook.stats.log_odds import log_odds_with_prior

MATCHER = Matcher([Keyword(text="llm")])
FILLER = [f"word{n} crash in build" for n in range(40)]
TEXTS = [
    *("the llm crashes on flash attention" for _ in range(6)),
    *("Flash Attention breaks the KV-cache" for _ in range(4)),
    *("the llm docs are wrong" for _ in range(2)),
    *FILLER,
]
RELEVANT = np.array([True] * 10 + [False] * 42)


def test_log_odds_follow_the_formula_of_monroe_and_others() -> None:
    ratio, z = log_odds_with_prior(np.array([8, 2, 10]), np.array([1, 9, 20]), prior_size=5)
    prior = [5 * 9 / 50, 5 * 11 / 50, 5 * 30 / 50]
    first, other = [8 + prior[0], 25 - 8 - prior[0]], [1 + prior[0], 35 - 1 - prior[0]]
    delta = math.log(first[0] / first[1]) - math.log(other[0] / other[1])
    assert ratio[0] == pytest.approx(delta, abs=1e-12)
    assert z[0] == pytest.approx(delta / math.sqrt(1 / (8 + prior[0]) + 1 / (1 + prior[0])), abs=1e-12)


def test_a_word_as_frequent_in_both_groups_has_no_log_odds() -> None:
    ratio, z = log_odds_with_prior(np.array([3, 7]), np.array([3, 7]), prior_size=10)
    assert np.abs(ratio).max() < 1e-12
    assert np.abs(z).max() < 1e-12


def test_words_of_relevant_reports_in_no_list_are_suggested() -> None:
    found = suggest_keywords(TEXTS, RELEVANT, MATCHER, settings=SuggestionSettings(prior_size=10))
    words = {one.word: one for one in found}
    assert {"flash", "attention", "flash attention"} <= set(words)
    assert not {"llm", "the llm", "crash", "build"} & set(words)
    assert words["flash attention"].n_relevant == 10
    assert words["flash attention"].n_other == 0
    assert [one.z for one in found] == sorted((one.z for one in found), reverse=True)


def test_gain_and_loss_are_those_of_the_list_with_the_word() -> None:
    found = suggest_keywords(TEXTS, RELEVANT, MATCHER, settings=SuggestionSettings(prior_size=10))
    flash = next(one for one in found if one.word == "flash attention")
    assert flash.recall_gain == Estimate(0.4)  # 6 of 10 relevant are kept; the word keeps 4 more
    assert flash.precision_loss.value == pytest.approx(6 / 8 - 10 / 12, abs=1e-12)  # it only adds relevant ones


def test_weights_say_how_many_reports_each_stands_for() -> None:
    weights = np.array([1.0] * 6 + [9.0] * 4 + [1.0] * 42)
    settings = SuggestionSettings(prior_size=10)
    flash = next(
        s for s in suggest_keywords(TEXTS, RELEVANT, MATCHER, weights, settings) if s.word == "flash attention"
    )
    assert flash.recall_gain.value == pytest.approx(36 / 42, abs=1e-12)
    assert flash.precision_loss.value == pytest.approx(6 / 8 - 42 / 44, abs=1e-12)


def test_examples_show_missed_reports_first_with_the_word_in_place() -> None:
    found = suggest_keywords(TEXTS, RELEVANT, MATCHER, settings=SuggestionSettings(prior_size=10, n_examples=5))
    flash = next(one for one in found if one.word == "flash attention")
    assert flash.examples[0] == Example(6, "Flash Attention breaks the KV-cache")
    assert [example.row for example in flash.examples] == [6, 7, 8, 9, 0]


def test_a_list_that_keeps_nothing_has_no_precision_to_lose() -> None:
    found = suggest_keywords(TEXTS, RELEVANT, Matcher([]), settings=SuggestionSettings(prior_size=10))
    assert found[0].precision_loss.value is None
    assert found[0].precision_loss.undefined == (
        "the list keeps none of the inspected reports, so it has no precision yet"
    )


def test_words_beyond_ascii_are_words_and_han_is_not() -> None:
    texts = ["größe 微调flash"] * 6 + ["nichts hier"] * 6
    settings = SuggestionSettings(prior_size=2)
    found = suggest_keywords(texts, np.array([True] * 6 + [False] * 6), MATCHER, settings=settings)
    assert {one.word for one in found} == {"größe", "flash"}


@pytest.mark.parametrize("relevant", [True, False])
def test_reports_of_one_kind_cannot_be_told_apart(relevant: bool) -> None:
    with pytest.raises(StatisticsError, match="Inspect reports of both kinds"):
        suggest_keywords(["a", "b"], np.array([relevant, relevant]), MATCHER)


def test_arguments_must_have_one_length() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        suggest_keywords(["a", "b"], np.array([True]), MATCHER)


def test_too_few_words_give_no_suggestion() -> None:
    assert suggest_keywords(["", "a"], np.array([True, False]), MATCHER) == ()
