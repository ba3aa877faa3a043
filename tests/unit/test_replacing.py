"""Outputs are replaced whole or not at all."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from issuebook.adapters.replacing import write_file, write_folder
from issuebook.adapters.workspace import FolderWorkspace
from issuebook.errors import OutputError


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_folder_is_replaced_by_exactly_the_new_files(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_folder(folder, {"a.txt": b"1", "deep/b.txt": b"2"})
    write_folder(folder, {"a.txt": b"3"})
    assert content(folder) == {"a.txt": b"3"}
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_files_that_others_put_into_the_report_folder_stay(tmp_path: Path) -> None:
    workspace = FolderWorkspace(tmp_path)
    workspace.publish({"index.html": b"one", "tables/codes.csv": b"x"})
    (tmp_path / "out" / "tables" / "notes.txt").write_text("mine")
    workspace.publish({"index.html": b"two"})
    found = content(tmp_path / "out")
    assert found["index.html"] == b"two"
    assert found["tables/notes.txt"] == b"mine"
    assert "tables/codes.csv" not in found
    assert set(workspace.published()) == {"index.html"}


def test_a_folder_is_replaced_in_two_steps_where_the_kernel_cannot_exchange(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # patched because a file system without renameat2 cannot be made at will
    monkeypatch.setattr("issuebook.adapters.replacing._exchange_in_kernel", lambda one, other: False)
    folder = tmp_path / "out"
    write_folder(folder, {"a": b"1"})
    write_folder(folder, {"a": b"2"})
    assert content(folder) == {"a": b"2"}
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


CROWDED = """
import resource, sys
from pathlib import Path
from issuebook.adapters.replacing import write_file, write_folder
from issuebook.errors import OutputError
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
folder, large = Path(sys.argv[1]), b"y" * 5000
for write in (lambda: write_file(folder / "one", large), lambda: write_folder(folder / "out", {"a": b"y", "b": large})):
    try:
        write()
    except OutputError as error:
        print(error)
"""


def test_a_full_disk_leaves_the_old_content(tmp_path: Path) -> None:
    write_file(tmp_path / "one", b"old")
    write_folder(tmp_path / "out", {"a": b"old"})
    environment = {**os.environ, "PYTHONPATH": "src"}
    run = subprocess.run(
        [sys.executable, "-c", CROWDED, str(tmp_path)], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.count("the disk is full; the old content is unchanged. Make room and run again.") == 2
    assert content(tmp_path) == {"one": b"old", "out/a": b"old"}
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 1000


def test_a_path_through_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="a part of this path is a file"):
        write_file(tmp_path / "file" / "below", b"")
