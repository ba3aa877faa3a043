"""One line or more for every rule of the table of shapes, and lines of prose that none may take."""

import re
from pathlib import Path

import pytest

import issuebook
from issuebook.text.shapes import is_sentence, shape


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("collect_env", "Is debug build: False"),
        ("pip_list", "[pip3] torch==2.4.0"),
        ("pip_list", "torch==2.4.0"),
        ("pip_columns", "torch                 2.4.0"),
        ("lscpu", "Thread(s) per core:   2"),
        ("gpu_table", "GPU0     X      NV18    NV18"),
        ("gpu_table", "GPU 0: NVIDIA H100 80GB HBM3"),
        ("package", "numpy: 1.26.4"),
        ("package", "flashinfer: Module Not Found"),
        ("build", "version: 4000 (0a1b2c3d)"),
        ("machine", "- **GPU**: RTX 4090"),
        ("traceback", "Traceback (most recent call last):"),
        ("traceback", '  File "run.py", line 3, in main'),
        ("traceback", "             ^^^^^^^"),
        ("exception", "torch.OutOfMemoryError: CUDA out of memory"),
        ("timestamp", "[2025-01-31 10:00:00 TP0] ready"),
        ("level", "INFO:     Started server process [1]"),
        ("level", "(Worker pid=17) loading"),
        ("tag", "llama_model_load: n_vocab = 32000"),
        ("tag", "srv  update_slots: all slots are idle"),
        ("name", "epoch_time: 3"),
        ("compiler", "main.cpp:10:5: error: no such name"),
        ("compiler", "make: *** [Makefile:1: all] Error 2"),
        ("output", "Segmentation fault (core dumped)"),
        ("output", "Mean TTFT (ms):                  64.4"),
        ("response", '{"id":"cmpl-1","usage":{}}'),
        ("aligned", "  Vendor Name:             AMD"),
        ("prompt", "$ ls"),
        ("prompt", "(base) user@host:~/work$ make"),
        ("command", "CUDA_VISIBLE_DEVICES=0 python -m toolkit.serve --port 8000"),
        ("command", "./main -m model.gguf"),
        ("command", "    --model x/y \\"),
        ("shell", "make -j8"),
        ("json", '  "temperature": 0.7,'),
        ("source", "from toolkit import Engine"),
        ("source", "+++ b/src/main.c"),
        ("syntax", "x = y[0]"),
        ("syntax", "}"),
        ("layout", "services:"),
    ],
)
def test_a_line_is_known_by_the_rule_for_its_kind(rule: str, line: str) -> None:
    found = shape(line)
    assert found is not None
    assert found.rule == rule


@pytest.mark.parametrize(
    "line",
    [
        "I think the server should not stop here.",
        "What would be the best way to do this?",
        "Thanks for the great work!",
        "The model answers with an empty line (see the picture below).",
        "这个模型的输出是空的",
        "[logs.txt](https://example.org/logs.txt)",
        "|---------------------|----|",
    ],
)
def test_a_line_of_prose_has_no_shape(line: str) -> None:
    assert shape(line) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [("it is the same on all of them", True), ("模型输出", True), ("n_parts done", False), ("RTX 4090 24 GB", False)],
)
def test_a_sentence_is_told_from_a_label(line: str, expected: bool) -> None:
    assert is_sentence(line) is expected


def test_no_pattern_rests_on_what_early_python_3_11_matches_wrongly() -> None:
    """A possessive group whose parts repeat matches too little before Python 3.11.5 (Debian 12 has 3.11.2)."""
    repeats = re.compile(r"\((?:\?:|(?!\?))[^()]*[+*?}][^()]*\)(?:[*+?]|\{\d*,?\d*\})\+")
    assert repeats.search(r"(?:[a-z]\w*+\.)*+")
    sources = Path(issuebook.__file__).parent.rglob("*.py")
    found = {path.name: match[0] for path in sources if (match := repeats.search(path.read_text(encoding="utf-8")))}
    assert found == {}
