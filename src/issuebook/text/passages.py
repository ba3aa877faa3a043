"""Runs of lines: what a line is, given the lines before it; and the label of fenced and quoted passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from issuebook.text.normalise import form_key
from issuebook.text.shapes import Label, Shape, shape

FORM = Shape("form line", "template")
PROSE = Shape("text", "prose")
QUOTE = Shape("quote", "quote")
_ANSWERED = Shape("output of a command", "log")
_BY_LABEL: dict[Label, Shape] = {
    "log": Shape("fence, by what is said around it", "log"),
    "code": Shape("fence, by what is said around it", "code"),
    "environment": Shape("fence, by what is said around it", "environment"),
}
ASKS = frozenset({"prompt", "command", "shell"})  # rules of lines whose output may follow
_NO_ANSWER = frozenset({"n/a", "na", "none", "no", "-", "not applicable", ".", "..."})
_FORM_FENCE = 8  # lines; a longer fence holds more than the form's own example
_VERSION_FENCE = 30  # lines; a longer answer to "which version" is a log that names the version too
_VERSION = re.compile(r"\s--version\s*$|^version: ")
SAME_START = 10  # characters; a line that begins like the log line above it is one too

# Which rules end a run of another label at once, and which do after a blank line or a command's output may begin.
_AT_ONCE: dict[tuple[Label, Label], frozenset[str]] = {
    ("log", "environment"): frozenset({"collect_env", "lscpu", "pip_list"}),
    ("log", "code"): frozenset({"prompt"}),
    ("environment", "log"): frozenset({"timestamp", "level", "traceback", "exception"}),
    ("environment", "code"): frozenset(),
    ("code", "log"): frozenset({"timestamp", "level", "traceback", "exception", "compiler", "output"}),
    ("code", "environment"): frozenset({"collect_env", "lscpu", "gpu_table", "build"}),
}
_AFTER_A_BREAK: dict[tuple[Label, Label], frozenset[str]] = {
    ("log", "environment"): frozenset({"collect_env", "lscpu", "pip_list", "gpu_table"}),
    ("log", "code"): frozenset({"prompt", "command", "shell", "source"}),
    ("environment", "log"): frozenset(
        {"timestamp", "level", "traceback", "exception", "compiler", "output", "response"}
    ),
    ("environment", "code"): frozenset({"prompt", "command", "shell", "source"}),
    ("code", "log"): frozenset(
        {"timestamp", "level", "traceback", "exception", "compiler", "output", "response", "tag", "name"}
    ),
    ("code", "environment"): frozenset({"collect_env", "lscpu", "gpu_table", "build", "pip_list", "pip_columns"}),
}

_SECTIONS: tuple[tuple[Label, re.Pattern[str]], ...] = (
    ("log", re.compile(r"\blogs?\b|output|traceback|stack ?trace|\berrors?\b")),
    (
        "environment",
        re.compile(r"environment|operating system|version|hardware|backends|git commit|system info|\bsetup\b|specs\b"),
    ),
    ("code", re.compile(r"command|reproduc|\bcode\b|script|\bexample\b")),
)
_SAYS_LOG = re.compile(
    r"error|output|\blogs?\b|result|trace|crash|fail|\bgot\b|\bget\b|\bgives?\b|says|print|response|messag|produc"
)
_SAYS_CODE = re.compile(r"command|\brun|\bcode\b|script|reproduc|snippet|config|launch|start|patch|example|\buse")
_SOURCE_LANGUAGE = frozenset(
    """
    py python python3 cpp c++ c cuda cu rust go java js javascript ts typescript json yaml yml toml diff patch cmake
    dockerfile sql swift html xml objc metal make makefile ini jinja
    """.split()  # noqa: SIM905 - as words
)


def section_of(heading: str) -> Label | None:
    """Return what a section with this heading is for: log, environment or code; None when it does not say."""
    words = heading.lower()
    return next((label for label, pattern in _SECTIONS if pattern.search(words)), None)


def follow(state: Shape | None, seen: Shape | None, after_break: bool) -> Shape | None:
    """Return what a line is after a run in ``state``, given what it looks like and whether a break is before it.

    A line that looks like nothing goes with its run; one that looks like something else ends the run only when its
    rule is strong enough: source lines inside a traceback and versions inside a log change nothing.
    """
    if seen is None or state is None or seen.label == state.label:
        return seen or state
    rules = (_AFTER_A_BREAK if after_break else _AT_ONCE).get((state.label, seen.label))
    return seen if rules is None or seen.rule in rules else state


def run(text: Sequence[str]) -> list[Shape | None]:
    """Return what each line of one passage is; None for blank lines and for lines before anything is recognised."""
    marks: list[Shape | None] = []
    state: Shape | None = None
    after_break = False
    continued = False
    start = "\n"
    for line in text:
        if line.startswith(start):
            marks.append(state)
            continue
        if line.isspace() or not line:
            after_break = True
            marks.append(None)
            continue
        seen = state if continued else follow(state, shape(line), after_break)
        marks.append(seen)
        continued = seen is not None and seen.label == "code" and line.rstrip().endswith("\\")
        after_break = False
        state = seen
        start = "\n"
        if seen is None:
            continue
        if seen.rule in ASKS:
            after_break = not continued
            state = _ANSWERED if seen.rule == "prompt" and not continued else seen
        elif seen.label != "code" and line[0] != " " and len(line) > SAME_START:
            start = line[:SAME_START]
    return marks


def fenced(
    text: Sequence[str], info: str, templates: AbstractSet[str], said: tuple[Label | None, str]
) -> list[Shape | None]:
    """Return what each line of a closed fenced block is, its two marks included.

    Args:
        text: the lines of the block, marks included.
        info: what stands behind the opening mark: a language, or text that was meant to be the first line.
        templates: lines of the issue form; a short block that holds nothing else is the form's own example.
        said: the label of the section around the block, if its heading says one, and the line above the block.
    """
    inner = text[1:-1]
    filled = [line for line in inner if not line.isspace()]
    if len(text) <= _FORM_FENCE:
        if all(form_key(line) in templates for line in filled):
            return [FORM] * len(text)
        if len(filled) == 1 and filled[0].strip().lower() in _NO_ANSWER:
            return [PROSE] * len(text)
    if said[0] == "environment" and len(filled) <= _VERSION_FENCE and any(_VERSION.search(line) for line in filled):
        return [_BY_LABEL["environment"]] * len(text)
    marks = run(inner)
    known = [mark for mark in marks if mark is not None]
    first = known[0] if known else (shape(info) or _BY_LABEL[_likely(info, said)])
    if first.rule == "prompt" and marks and marks[0] is None:
        first = _ANSWERED
    leading = next((index for index, mark in enumerate(marks) if mark is not None), len(marks))
    marks[:leading] = [first] * leading
    last = known[-1] if known else first
    return [marks[0] or first, *marks, last]


def _likely(info: str, said: tuple[Label | None, str]) -> Label:
    """Return the label of a block whose lines say nothing, from its language, its section and the line above it."""
    section, above = said
    if info.lower() in _SOURCE_LANGUAGE:
        return "code"
    if section in {"environment", "log"}:
        return section
    words = above.lower()
    if _SAYS_LOG.search(words):
        return "log"
    if section == "code" or _SAYS_CODE.search(words) or info.lower() in ("bash", "sh", "shell", "console"):
        return "code"
    return "log"


def quoted(text: Sequence[str]) -> Shape:
    """Return what a run of quoted lines is: a log, code or environment when most lines are, else a quote."""
    inner = [line.lstrip().removeprefix(">").removeprefix(" ") for line in text]
    marks = [mark for mark in run(inner) if mark is not None]
    for label in ("log", "code", "environment"):
        of_label = [mark for mark in marks if mark.label == label]
        if len(of_label) * 2 > sum(not line.isspace() for line in inner):
            return of_label[0]
    return QUOTE
