from __future__ import annotations

import numpy as np

from issuebook.text.lexical_features import LexicalSettings, learn_lexical_space
from issuebook.text.terms import count_terms, project_words, terms, words


def test_a_name_is_the_same_words_however_it_is_spelt() -> None:
    spelt = [[word for word in words(text) if word] for text in ("flash_attn", "flash-attn", "Flash attn")]
    assert spelt == [["flash", "attn"]] * 3


def test_pairs_go_across_neither_stop_words_nor_clauses() -> None:
    assert terms("the kernel crashes. memory of the cache") == [
        "kernel",
        "crashes",
        "memory",
        "cache",
        "kernel crashes",
    ]


def test_numbers_hashes_and_single_letters_are_no_words() -> None:
    assert terms("0xdeadbeef 3f2a99c1 1234 x int8 h100") == ["int8", "h100", "int8 h100"]


def test_han_text_gives_overlapping_pairs_of_characters() -> None:
    assert terms("显存不足 on qwen模型") == [
        "显存",
        "存不",
        "不足",
        "qwen",
        "模型",
        "显存 存不",
        "存不 不足",
        "qwen 模型",
    ]


def test_words_of_the_project_are_left_out() -> None:
    assert terms("sglang server hangs", project_words("sgl-project/sglang")) == ["server", "hangs", "server hangs"]


def test_terms_of_too_few_or_too_many_texts_do_not_count() -> None:
    texts = [["all", "one"], ["all", "two", "two"], ["all", "two"]]
    counted = count_terms(texts, least=2, most=0.9)
    assert counted.terms == ("two",)
    assert counted.counts.toarray().ravel().tolist() == [0, 2, 1]


def _texts(number: int, seed: int = 0) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [[f"w{theme}{rng.integers(9)}" for _ in range(12)] for theme in rng.integers(6, size=number)]


def test_vectors_have_length_one_and_new_texts_get_those_of_the_space() -> None:
    texts = _texts(80)
    space, vectors = learn_lexical_space(texts)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(space.vectors(texts), vectors)
    assert not space.vectors([["never seen"], []]).any()


def test_directions_are_the_strongest_ones_exactly() -> None:
    texts = _texts(60)
    space, _ = learn_lexical_space(texts, LexicalSettings(dimensions=5))
    whole, _ = learn_lexical_space(texts, LexicalSettings(dimensions=100))
    assert np.allclose(space.directions, whole.directions[:5], atol=1e-4)
    assert np.allclose(space.directions @ space.directions.T, np.eye(5), atol=1e-9)


def test_texts_that_share_nothing_have_no_vector() -> None:
    space, vectors = learn_lexical_space([["a"], ["b"], []])
    assert space.terms == ()
    assert vectors.shape == (3, 0)
