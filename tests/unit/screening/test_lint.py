from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from issuebook.screening.columns import hits_frame
from issuebook.screening.keywords import Keyword, KeywordList, parse_keyword_list
from issuebook.screening.lint import Remark, lint_hits, lint_list
from issuebook.screening.matcher import Matcher
from issuebook.screening.ordinary import split_words, words_of


def list_of(*keywords: str | Keyword) -> KeywordList:
    return KeywordList(keyword=tuple(k if isinstance(k, Keyword) else Keyword(text=k) for k in keywords))


def remarks(found: tuple[Remark, ...], kind: str) -> dict[str, tuple[str, ...]]:
    return {one.keyword: one.related for one in found if one.kind == kind}


PYTORCH_REPEATS = [
    *("transformer", "transformers", "Megatron", "DeepSpeed", "vLLM", "FSDP", "LoRA", "QLoRA"),
    *("gradient checkpointing", "quantization", "mixed precision", "pipeline parallel", "tensor parallel", "torchrun"),
]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "repeats", "twins", "n_contained", "contained"),
    [
        (
            "pytorch",
            PYTORCH_REPEATS,
            {"llm": ("LLM",), "llama": ("LLaMA",), "gpt": ("GPT",), "Triton kernel": ("triton kernel",)},
            11,
            [("vLLM", "llm"), ("QLoRA", "LoRA"), ("ZeroRedundancyOptimizer", "OPT")],
        ),
        ("tensorflow", [], {"llm": ("LLM",), "gpt": ("GPT",)}, 12, [("mt5-xxl", "T5")]),
        ("mindspore", ["bfloat16"], {"llm": ("LLM",), "gpt": ("GPT",)}, 4, [("bfloat16", "float16")]),
    ],
)
def test_the_three_lists_raise_the_published_doubts(
    shared: Path,
    name: str,
    repeats: list[str],
    twins: dict[str, tuple[str, ...]],
    n_contained: int,
    contained: list[tuple[str, str]],
) -> None:
    text = (shared / "data" / "mu2025" / "keywords" / f"{name}.txt").read_text()
    found = lint_list(parse_keyword_list(text, f"{name}.txt"))
    assert list(remarks(found, "duplicate")) == repeats
    assert remarks(found, "case twin") == twins
    pairs = [(one.keyword, one.related[0]) for one in found if one.kind == "contained"]
    assert len(pairs) == len(set(pairs)) == n_contained
    assert set(contained) <= set(pairs)
    assert remarks(found, "lost comma") == {"text generationglm": ("text generation", "glm")}
    variants = remarks(found, "missing variant")
    assert variants["finetuning"] == ("fine tuning", "fine-tuning")
    assert variants["few shot"] == ("few-shot",)
    assert variants.get("FlashAttention", ("flash attention", "flash-attention")) == (
        "flash attention",
        "flash-attention",
    )
    assert ("FlashAttention" in variants) == (name != "tensorflow")
    assert "yi" in remarks(found, "ordinary word")


@pytest.mark.shared
def test_ordinary_phrases_of_the_mindspore_list_are_told(shared: Path) -> None:
    text = (shared / "data" / "mu2025" / "keywords" / "mindspore.txt").read_text()
    phrases = remarks(lint_list(parse_keyword_list(text, "mindspore.txt")), "ordinary phrase")
    assert {"runtime error", "graph mode", "dynamic shape", "Ascend"} <= set(phrases)
    assert not {"LoRA", "qwen", "HCCL error", "modelarts"} & set(phrases)


def test_a_clean_list_raises_no_doubt() -> None:
    assert lint_list(list_of("vllm", "qwen", "torch.compile", "c++")) == ()


def test_words_that_hide_a_keyword_come_from_the_corpus_given() -> None:
    words = words_of(["The OUTPUT of an input pipeline_output", "tpus, tpu"])
    found = lint_list(list_of("tpu", Keyword(text="put", left="any")), words)
    assert remarks(found, "ordinary word") == {"tpu": ("output", "tpus"), "put": ("input", "output")}
    messages = [one.message for one in found if one.kind == "ordinary word"]
    assert messages == [
        "stands inside 2 ordinary words ('output', 'tpus'). Keep its edges.",
        "hits inside 2 ordinary words ('input', 'output'). Give it word edges.",
    ]


def test_whether_a_keyword_makes_another_needless_depends_on_its_rule() -> None:
    strict = lint_list(list_of("gpt", "gpt2-xl"))
    loose = lint_list(list_of(Keyword(text="gpt", right="digits"), "gpt2-xl"))
    assert [one.message for one in (*strict, *loose) if one.kind == "contained"] == [
        "holds 'gpt': a search for substrings would find 'gpt' in it; by its rule it does not.",
        "holds 'gpt': every report it hits 'gpt' hits too, by its rule.",
    ]


@pytest.mark.parametrize(
    ("keywords", "lost"),
    [
        (("text generationglm",), {"text generationglm": ("text generation", "glm")}),
        (("glmlarge models",), {"glmlarge models": ("glm", "large models")}),
        (("qwenllama", "qwen", "llama"), {"qwenllama": ("qwen", "llama")}),
        (("gradient checkpointing", "pipeline parallelism", "modelarts", "deepspeed", "model sharding"), {}),
    ],
)
def test_lost_commas_are_told_from_compounds(keywords: tuple[str, ...], lost: dict[str, tuple[str, ...]]) -> None:
    assert remarks(lint_list(list_of(*keywords)), "lost comma") == lost


def test_a_variant_that_another_keyword_hits_is_not_missing() -> None:
    assert remarks(lint_list(list_of("few shot", "few-shot")), "missing variant") == {}


def test_capitals_start_words_except_in_names() -> None:
    assert split_words("FlashAttention") == ("flash", "attention")
    assert split_words("vLLM LoRA few-shot") == ("vllm", "lora", "few", "shot")


def test_keywords_that_never_hit_or_keep_nothing_alone_are_told() -> None:
    keywords = list_of("llm", "llm server", "gpu", "absent", "pod")
    reports = [("llm server", None), ("llm", "gpu"), ("pod gpu", None), ("pod llm", None), ("gpu", None)]
    hits = hits_frame(Matcher(keywords.keyword).screen_rows(reports))
    assert lint_hits(keywords, hits) == (
        Remark(
            "redundant",
            "llm",
            (),
            "every report it hits (3) is hit by several others together too: without it nothing is lost.",
        ),
        Remark(
            "redundant",
            "llm server",
            ("llm",),
            "every report it hits (1) is hit by 'llm' alone too: without it nothing is lost.",
        ),
        Remark("never hits", "absent", (), "hits no report. Is it spelled as reporters spell it?"),
        Remark(
            "redundant",
            "pod",
            (),
            "every report it hits (2) is hit by several others together too: without it nothing is lost.",
        ),
    )


def test_without_hits_every_keyword_never_hits() -> None:
    empty = pl.DataFrame(schema={"row": pl.UInt32, "keyword": pl.UInt32})
    assert [one.kind for one in lint_hits(list_of("a", "b"), empty)] == ["never hits", "never hits"]


def test_a_keyword_in_han_has_no_other_spelling() -> None:
    assert not lint_list(KeywordList(keyword=(Keyword(text="语料"),)))
