"""Which lines are learned as a form's, for which project and when."""

from issuebook.text.templates import Written, learn_templates

FORM = "### Describe the bug\n\n{}\n\n### Environment\n\nOS: Ubuntu 22.04\n"


def reports(count: int, body: str, year: int = 2024, project: str = "toolkit") -> list[Written]:
    return [
        Written(project, f"{year}-01-01T00:00:{index:02}Z", body.format(f"words {index}")) for index in range(count)
    ]


def test_a_line_of_eight_reports_is_learned_and_of_seven_is_not() -> None:
    assert "### environment" in learn_templates(reports(8, FORM)).at("toolkit", "2024-06")
    assert learn_templates(reports(7, FORM)).at("toolkit", "2024-06") == frozenset()


def test_a_share_of_the_reports_is_asked_for_where_there_are_many() -> None:
    many = reports(8, FORM) + [Written("toolkit", "2024-01-02", None)] * 30
    assert learn_templates(many, share=0.5).at("toolkit", "2024-06") == frozenset()


def test_lines_of_environments_logs_and_thanks_are_not_learned() -> None:
    body = (
        "OS: Ubuntu 22.04\n\nTraceback (most recent call last):\n\nThanks a lot!\n\n```\nI am a line of a long log\n"
        + "x\n" * 9
        + "```\n"
    )
    assert learn_templates(reports(20, body)).at("toolkit", "2024-06") == frozenset()


def test_the_example_in_a_forms_own_fence_is_learned() -> None:
    body = "```text\nYour output of the version command here\n```\n"
    assert learn_templates(reports(9, body)).at("toolkit", "2024-06") == {"your output of the version command here"}


def test_one_projects_form_is_not_anothers() -> None:
    learned = learn_templates(reports(9, FORM))
    assert learned.at("other", "2024-06") == frozenset()


def test_a_form_of_long_ago_does_not_label_what_is_written_today() -> None:
    written = reports(20, "### Old\n", 2021) + reports(40, "words\n", 2022) + reports(20, "### New\n", 2024)
    learned = learn_templates(written, window=20)
    assert [learned.at("toolkit", when) for when in ("2020", "2021-02", "2023", "2024-02")] == [
        {"### old"},
        {"### old"},
        {"### new"},
        {"### new"},
    ]
