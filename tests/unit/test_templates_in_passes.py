"""Template lines learnt from reports that are read twice instead of held."""

from __future__ import annotations

from collections.abc import Iterator

from issuebook.text.templates import Written, learn_in_passes, learn_templates

FORMS = ("### Old form\n", "### New form\n")


def reports() -> Iterator[Written]:
    for n in range(60):
        form = FORMS[n >= 30]
        yield Written(f"own/{'ab'[n % 2]}", f"2024-{1 + n // 6:02}-01", f"{form}a line of its own, number {'x' * n}\n")
    yield Written("own/a", "2025-01-01", None)


def test_two_passes_learn_what_one_does() -> None:
    once = learn_templates(reports(), window=10)
    assert learn_in_passes(reports, window=10) == once
    assert once.at("own/a", "2024-01-15") == {"### old form"}
    assert once.at("own/b", "2024-12-15") == {"### new form"}


def test_no_report_teaches_nothing() -> None:
    assert learn_in_passes(lambda: ()).windows == {}
    assert learn_templates([Written("own/a", "", None)]).at("own/a", "") == frozenset()
