"""Two people edit one codebook at the same moment, and a release that was cut short."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.codebook_models import START

from issuebook.app.codebook import Author, edit, history_of, release
from issuebook.app.services import Services
from issuebook.bootstrap import open_study
from issuebook.cli.progress import StageLines
from issuebook.codebook.yaml_text import to_yaml
from issuebook.errors import ConflictError


class ContestedLog:
    """A log in memory; before the first append, somebody else appends."""

    def __init__(self, other: Sequence[str]) -> None:
        self.texts: list[str] = []
        self._other = list(other)

    def read(self) -> Sequence[str]:
        return list(self.texts)

    def append(self, number: int, texts: Sequence[str]) -> bool:
        if self._other:
            self.texts, self._other = self._other, []
        if number != len(self.texts):
            return False
        self.texts.extend(texts)
        return True


@pytest.fixture
def services(tmp_path: Path) -> Services:
    (tmp_path / "codebook.yaml").write_text(to_yaml(START))
    return open_study(tmp_path, None, None, StageLines(quiet=True))


def contested(services: Services, code: str) -> Services:
    """The same study, where somebody else renames a code between our reading and our writing."""
    base = START.model_dump_json(exclude_defaults=True)
    said = {"kind": "rename", "id": "x", "who": "zoe", "when": "2026", "on": 0, "facet": "theme"}
    values = {name: getattr(services, name) for name in Services.__slots__}
    return Services(**{**values, "codebook": ContestedLog([base, json.dumps({**said, "code": code, "name": "Other"})])})


def rename(services: Services, code: str) -> int:
    return edit(services, {"kind": "rename", "code": code, "name": "Mine"}, Author("ann")).number


def test_an_edit_of_another_code_at_the_same_moment_is_kept_beside_ours(services: Services) -> None:
    both = contested(services, "A")
    assert rename(both, "B") == 2
    assert [code.name for code in history_of(both).head.facet("theme").codes] == ["Other", "Mine"]


def test_an_edit_of_the_same_code_at_the_same_moment_is_a_conflict_and_theirs_stays(services: Services) -> None:
    theirs = contested(services, "A")
    with pytest.raises(ConflictError, match="zoe renamed A to “Other”"):
        rename(theirs, "A")
    assert [entry.who for entry in history_of(theirs).entries] == ["zoe"]


def test_a_release_that_was_cut_short_before_the_file_was_written_is_finished_by_doing_it_again(
    services: Services, tmp_path: Path
) -> None:
    before = (tmp_path / "codebook.yaml").read_text()
    rename(services, "B")
    release(services, "v2", Author("ann"))
    after = (tmp_path / "codebook.yaml").read_text()
    (tmp_path / "codebook.yaml").write_text(before)
    assert release(services, "v2", Author("ann")).version == "v2"
    assert (tmp_path / "codebook.yaml").read_text() == after
    assert len(history_of(services).entries) == 2
