"""One report has one id, however its address is spelt."""

from __future__ import annotations

import pytest

from issuebook.corpus.identity import identity_by_number, identity_of

SPELLINGS = {
    "github:owner/name#12": [
        "https://github.com/Owner/Name/issues/12",
        "http://www.github.com/owner/name/issues/12/",
        "HTTPS://GitHub.com/owner/name/issues/12#issuecomment-345",
        "https://github.com/owner/name/issues/12?notification_referrer_id=x#start-of-content",
        "https://api.github.com/repos/owner/name/issues/12",
        "https://api.github.com/repos/owner/name/issues/12/comments?page=2",
        "https://ann:secret@github.com/owner/name/issues/0012",
        "github.com/owner/name/issues/12",
        "  https://github.com/owner/name/issues/12 ",
    ],
    "gitee:owner/name#I1DACG": [
        "https://gitee.com/Owner/name/issues/I1DACG",
        "https://gitee.com/owner/name/issues/I1DACG?from=project-issue#note_1_link",
        "https://gitee.com/api/v5/repos/owner/name/issues/I1DACG?access_token=secret",
    ],
    "gitee:enterprises/ent#I1DACG": ["https://gitee.com/api/v5/enterprises/ent/issues/I1DACG"],
    "gitlab:group/sub/name#7": [
        "https://gitlab.com/group/sub/name/-/issues/7",
        "https://gitlab.com/Group/Sub/Name/issues/7",
        "https://gitlab.com/group/sub/name/-/work_items/7?show=x",
        "https://gitlab.com/group/sub/name/-/issues/incident/7",
        "https://gitlab.com/api/v4/projects/group%2Fsub%2Fname/issues/7",
    ],
    "gitlab:git.example.org/group/name#7": [
        "https://git.example.org/group/name/-/issues/7#note_1",
        "https://git.example.org/api/v4/projects/group%2Fname/issues/7",
    ],
    "other:ghe.example.com:8443/owner/name#7": [
        "https://ghe.example.com:8443/Owner/Name/issues/7",
        "https://ghe.example.com:8443/api/v3/repos/owner/name/issues/7",
    ],
    "other:bugs.example.org/show_bug.cgi?id=5": ["https://bugs.example.org/show_bug.cgi?id=5#c3"],
    "other:jira.example.org/browse/ABC-12": ["https://jira.example.org/browse/ABC-12/"],
}


@pytest.mark.parametrize(("report", "url"), [(report, url) for report, urls in SPELLINGS.items() for url in urls])
def test_spellings_of_an_address_are_one_report(report: str, url: str) -> None:
    found = identity_of(url)
    assert found is not None
    assert found.id == report
    assert found.kind == "report"
    assert "secret" not in found.url
    assert identity_of(found.url) == found


def test_the_address_keeps_upper_case_and_the_numbers_of_gitee_are_told_apart_by_it() -> None:
    found = identity_of("https://github.com/Owner/Name/issues/12#x")
    assert found is not None
    assert (found.project, found.number, found.url) == (
        "Owner/Name",
        "12",
        "https://github.com/Owner/Name/issues/12",
    )
    assert identity_of("https://gitee.com/o/n/issues/i1dacg") is None


@pytest.mark.parametrize(
    ("url", "kind", "report"),
    [
        ("https://github.com/o/n/pull/3/files", "pull request", "github:o/n#3"),
        ("https://api.github.com/repos/o/n/pulls/3", "pull request", "github:o/n#3"),
        ("https://gitee.com/o/n/pulls/3", "pull request", "gitee:o/n!3"),
        ("https://gitlab.com/o/n/-/merge_requests/3", "pull request", "gitlab:o/n!3"),
        ("https://github.com/o/n/discussions/3", "discussion", "github:o/n#3"),
    ],
)
def test_other_things_with_an_address_are_told(url: str, kind: str, report: str) -> None:
    found = identity_of(url)
    assert found is not None
    assert (found.kind, found.id) == (kind, report)
    assert identity_of(found.url) == found


@pytest.mark.parametrize(
    "url",
    [
        "",
        "12",
        "owner/name#12",
        "bugs.example.org/5",
        "ftp://github.com/o/n/issues/1",
        "https://github.com/o/n",
        "https://github.com/o/n/issues",
        "https://github.com/o/n/issues/new",
        "https://github.com/issues/12",
        "https://api.github.com/repos/o/n/issues/comments/12",
        "https://gitee.com/api/v5/repos/o/n/issues/comments/12",
        "https://gitlab.com/api/v4/projects/278964/issues/7",
    ],
)
def test_what_leads_to_no_report_has_no_identity(url: str) -> None:
    assert identity_of(url) is None


def test_a_number_gives_the_same_identity_as_the_address() -> None:
    assert identity_by_number("github", "Owner/Name", "12") == identity_of("https://github.com/Owner/Name/issues/12")
    assert identity_by_number("gitee", "o/n", "I1DACG") == identity_of("https://gitee.com/o/n/issues/I1DACG")
    assert identity_by_number("gitlab", "a/b/c", "7") == identity_of("https://gitlab.com/a/b/c/-/issues/7")
    assert identity_by_number("other", "Keras", "7")[:5] == ("other:keras#7", "other", "Keras", "7", "")
