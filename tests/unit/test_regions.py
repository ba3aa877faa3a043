"""What regions make of bodies in the shapes that trackers hold; all texts are made up."""

import pytest

from issuebook.text.regions import Span, regions


def labels(body: str, templates: frozenset[str] = frozenset()) -> list[tuple[str, str]]:
    return [(span.label, body[span.start : span.end].strip()) for span in regions(body, templates)]


def test_the_empty_body_has_no_span() -> None:
    assert regions("") == []


def test_a_body_without_any_shape_is_one_span_of_prose() -> None:
    assert regions("Could you add this model?\r\nThanks") == [Span(0, 33, "prose", "text")]


def test_a_blank_body_is_prose_so_that_spans_always_tile() -> None:
    assert regions("\n \n") == [Span(0, 3, "prose", "text")]


def test_offsets_count_carriage_returns_and_nuls_of_the_untouched_body() -> None:
    body = "It fails when I run it.\r\n\r\nTraceback (most recent call last):\r\nValueError: \0\r\n"
    assert [(span.start, span.end, span.label) for span in regions(body)] == [(0, 27, "prose"), (27, len(body), "log")]


def test_source_lines_inside_an_unfenced_traceback_are_log_up_to_the_next_words() -> None:
    trace = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    x = load("x")\nValueError: no'
    assert labels(f"I see this when I start it:\n{trace}\n\nIs there a way to fix it?") == [
        ("prose", "I see this when I start it:"),
        ("log", trace),
        ("prose", "Is there a way to fix it?"),
    ]


def test_shapeless_lines_between_log_lines_belong_to_the_log() -> None:
    body = "INFO 01-01 10:00:00 a.py:1] one\n\nn_parts done\n\nINFO 01-01 10:00:01 a.py:2] two\n"
    assert labels(body) == [("log", body.strip())]


def test_a_sentence_between_two_logs_stays_prose() -> None:
    body = "INFO 01-01 10:00:00 one\n\nand then it is stuck for an hour\n\nINFO 01-01 11:00:00 two\n"
    assert [label for label, _ in labels(body)] == ["log", "prose", "log"]


def test_a_command_in_a_fence_is_code_and_its_output_log() -> None:
    body = "```\n$ ./main -m model.gguf\nmain: build = 1000\nllama_model_load: loading\n```\n"
    assert labels(body) == [
        ("code", "```\n$ ./main -m model.gguf"),
        ("log", "main: build = 1000\nllama_model_load: loading\n```"),
    ]


def test_a_command_that_goes_on_over_lines_is_code_to_its_end() -> None:
    body = "```bash\npython -m toolkit.serve \\\n    --model x/y \\\n    --port 8000\n```\n"
    assert labels(body) == [("code", body.strip())]


def test_a_fence_without_any_shape_goes_by_what_is_said_above_it() -> None:
    assert labels("It gives this error:\n```\nview size is not compatible\n```\n")[1][0] == "log"
    assert labels("I use this prompt in the script:\n```\nanswer shortly\n```\n")[1][0] == "code"


def test_a_fence_that_is_never_closed_does_not_swallow_the_form_below_it() -> None:
    body = "```text\nINFO 01-01 10:00:00 one\n\n### Describe the bug\n\nThe server stops after an hour of work.\n"
    assert labels(body, frozenset({"### describe the bug"})) == [
        ("log", "```text\nINFO 01-01 10:00:00 one"),
        ("template", "### Describe the bug"),
        ("prose", "The server stops after an hour of work."),
    ]


def test_a_dump_pasted_below_the_forms_own_fence_is_environment() -> None:
    body = (
        "### Your environment\n\n```text\nYour output of `python collect_env.py` here\n```\n"
        "PyTorch version: 2.4.0+cu121\nIs debug build: False\n\nOS: Ubuntu 22.04.4 LTS (x86_64)\n[pip3] numpy==1.26.4\n"
    )
    form = frozenset({"### your environment", "your output of `python collect_env.py` here"})
    assert [label for label, _ in labels(body, form)] == ["template", "environment"]


def test_a_bare_value_under_an_environment_heading_is_environment_and_a_sentence_is_not() -> None:
    form = frozenset({"### operating systems"})
    assert labels("### Operating systems\n\nWindows\n", form)[1] == ("environment", "Windows")
    assert labels("### Operating systems\n\nIt is the same on all of them\n", form)[1][0] == "prose"


def test_the_answer_to_a_version_question_is_environment_with_the_command_that_asked() -> None:
    answer = "```\n$ llama-cli --version\nggml_cuda_init: found 1 devices\nversion: 4000 (0a1b2c3d)\n```"
    body = f"### Name and Version\n\n{answer}\n"
    assert labels(body, frozenset({"### name and version"}))[1] == ("environment", answer)


def test_quoted_words_are_a_quote_and_a_quoted_traceback_is_a_log() -> None:
    assert labels("> the docs say that it is on by default\n")[0][0] == "quote"
    trace = '> Traceback (most recent call last):\n>   File "a.py", line 1, in f\n> KeyError: 1\n'
    assert labels(trace)[0][0] == "log"


@pytest.mark.parametrize("line", ["_No response_", "<details>", "</details>", "<!-- tell us more -->", "<br>"])
def test_markup_that_only_forms_write_is_template_without_any_learning(line: str) -> None:
    assert labels(f"{line}\n")[0][0] == "template"


def test_an_answer_of_no_content_in_a_forms_fence_is_prose() -> None:
    assert labels("```shell\nN/A\n```\n") == [("prose", "```shell\nN/A\n```")]


def test_a_short_fence_that_holds_only_form_lines_or_nothing_is_template() -> None:
    assert labels("```shell\n\n```\n") == [("template", "```shell\n\n```")]


def test_a_template_line_is_found_whatever_its_case_digits_and_ticks() -> None:
    form = frozenset({"- [ ] 0. i searched the tracker."})
    assert [
        labels(line, form)[0][0] for line in ("- [X] 2. I searched the tracker.", "- [ ] 7. i SEARCHED the tracker.")
    ] == [
        "template",
        "template",
    ]


def test_the_rule_of_a_span_names_what_its_first_line_looked_like() -> None:
    assert regions("ValueError: it is not a number\n")[0].rule == "exception"


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "`",
        " ",
        "> ",
        "[",
        "```\nx\n",
        "<!--\n",
        "\0\n",
        "Aa.",
        "A=B ",
        ": ",
        "> a\n",
        "a\r",
        "- a\n",
        "|" * 200 + "\n",
    ],
)
def test_a_megabyte_of_anything_is_labelled_in_seconds_and_tiled(piece: str) -> None:
    body = piece * (1_000_000 // len(piece))
    spans = regions(body)
    assert spans[0].start == 0
    assert spans[-1].end == len(body)
