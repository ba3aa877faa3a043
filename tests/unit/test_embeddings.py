"""Embeddings of a model in a folder: asked once a text, found by content, and never fetched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.tiny_onnx import write_model

from issuebook.adapters.embedding import open_embedder
from issuebook.adapters.workspace import FolderWorkspace
from issuebook.app.embeddings import cached
from issuebook.cli.progress import StageLines
from issuebook.errors import InputError


class Counting:
    """A model that remembers what it was asked."""

    key = "a" * 64

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.array([[1.0, 0.0] if "a" in text else [0.0, 1.0] for text in texts], np.float32)


def test_a_text_is_asked_once_and_the_empty_one_never(tmp_path: Path) -> None:
    workspace, model, quiet = FolderWorkspace(tmp_path), Counting(), StageLines(quiet=True)
    first = cached(workspace, quiet, model, ["a", "b", "", "a"])
    assert sorted(model.asked) == ["a", "b"]
    assert first.tolist() == [[1, 0], [0, 1], [0, 0], [1, 0]]
    second = cached(workspace, quiet, model, ["b", "aa"])
    assert sorted(model.asked) == ["a", "aa", "b"]
    assert second.tolist() == [[0, 1], [1, 0]]


def test_a_damaged_store_is_asked_again(tmp_path: Path) -> None:
    workspace, model, quiet = FolderWorkspace(tmp_path), Counting(), StageLines(quiet=True)
    cached(workspace, quiet, model, ["a"])
    next((tmp_path / "data" / "embeddings").iterdir()).write_bytes(b"PK damaged")
    assert cached(workspace, quiet, model, ["a"]).tolist() == [[1, 0]]
    assert model.asked == ["a", "a"]


@pytest.mark.parametrize("files", [(), ("model.onnx",), ("vocab.txt",)])
def test_a_folder_without_a_model_says_what_it_needs(tmp_path: Path, files: tuple[str, ...]) -> None:
    for name in files:
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(InputError, match=r"needs model\.onnx"):
        open_embedder(tmp_path)


def test_an_onnx_folder_gives_the_mean_of_its_tokens_whatever_stands_beside(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="the extra 'embed' is not installed")
    model = open_embedder(write_model(tmp_path / "model"))
    rows = model.embed(["memory leak", "server", "memory leak token crash"])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert np.array_equal(model.embed(["memory leak"])[0], rows[0])
    assert open_embedder(tmp_path / "model").key == model.key
    (tmp_path / "model" / "model.onnx").write_bytes(b"no model")
    with pytest.raises(InputError, match="cannot be loaded"):
        open_embedder(tmp_path / "model")
