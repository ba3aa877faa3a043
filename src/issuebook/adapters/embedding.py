"""Models that turn texts into vectors, from a folder that the user names. Nothing is fetched from anywhere."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from issuebook.app.embeddings import Embedder
from issuebook.errors import Fault, InputError

TOKENS = 128
"""So many tokens of a text are read: more gave no better groups of cleaned prose."""
_BATCH = 32
_MODELS = ("model.onnx", "onnx/model.onnx")
_TOKENIZERS = ("tokenizer.json", "vocab.txt")


def open_embedder(folder: Path) -> Embedder:
    """Return the model in a folder: ``model.onnx`` with ``tokenizer.json`` or ``vocab.txt``, or sentence-transformers'.

    Raises:
        InputError: the folder holds neither, or what reads it is not installed.
    """
    model = next((folder / name for name in _MODELS if (folder / name).is_file()), None)
    if model is None and (folder / "modules.json").is_file():
        return SentenceTransformersFolder(folder)
    words = next((folder / name for name in _TOKENIZERS if (folder / name).is_file()), None)
    if model is None or words is None:
        what = f"it needs {_MODELS[0]} and one of {', '.join(_TOKENIZERS)}, or what sentence-transformers saves."
        raise InputError(Fault(str(folder), what, "Nothing is fetched: put the model there."))
    return OnnxFolder(model, words)


class OnnxFolder:
    """An ONNX model with its vocabulary: the mean of the token vectors (mean pooling), of length 1.

    Each text is read alone, on as many threads as there are processors: nothing is spent on padding, and a vector
    depends on its text only, whatever was asked with it.
    """

    def __init__(self, model: Path, words: Path) -> None:
        """Load the model.

        Raises:
            InputError: onnxruntime or tokenizers is missing, or a file is not what it must be.
        """
        try:
            import onnxruntime  # noqa: PLC0415 - an extra, and 0.2 s
            import tokenizers  # noqa: PLC0415
        except ImportError as error:
            what = f"{error.name} is not installed."
            raise InputError(Fault(str(model), what, "Install the extra: pip install 'issuebook[embed]'")) from None
        self.key = _hash(b"mean 128 alone", model, words)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # two texts side by side take less than one text on two threads
        options.enable_mem_pattern = False  # plans are kept for each length of text
        try:
            self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
            self._tokenizer = _tokenizer(tokenizers, words)
        except Exception as error:  # noqa: BLE001 - both raise types of their own, some bare Exception
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(Fault(str(model.parent), f"cannot be loaded: {first}.")) from None
        self._tokenizer.enable_truncation(TOKENS)
        self._tokenizer.no_padding()
        self._asked = {one.name for one in self._session.get_inputs()}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row of length 1 for each text."""
        read = self._tokenizer.encode_batch(list(texts))
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            rows = list(pool.map(self._mean, (one.ids for one in read)))
        return _unit(np.stack(rows)) if rows else np.zeros((0, 0), np.float32)

    def _mean(self, ids: Sequence[int]) -> NDArray[np.float32]:
        row = np.array([ids], np.int64)
        given = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
        tokens = self._session.run(None, {name: value for name, value in given.items() if name in self._asked})[0]
        if tokens.ndim != 3:
            raise InputError(Fault("--embeddings", "the model's first output is not a vector a token."))
        return np.asarray(tokens[0].mean(axis=0), np.float32)


class SentenceTransformersFolder:
    """A folder that sentence-transformers saved, read by that package where it is installed."""

    def __init__(self, folder: Path) -> None:
        """Load the model.

        Raises:
            InputError: the package is missing.
        """
        try:
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds
        except ImportError:
            what = "sentence-transformers is not installed."
            raise InputError(Fault(str(folder), what, "Install it, or give an ONNX model.")) from None
        weights = sorted(path for path in folder.rglob("*") if path.is_file())
        self.key = _hash(b"sentence-transformers 128", *weights)
        self._model: Any = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        self._model.max_seq_length = min(TOKENS, self._model.max_seq_length or TOKENS)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row of length 1 for each text."""
        return _unit(
            np.asarray(self._model.encode(list(texts), batch_size=_BATCH, show_progress_bar=False), np.float32)
        )


def _tokenizer(tokenizers: Any, words: Path) -> Any:
    if words.suffix == ".json":
        return tokenizers.Tokenizer.from_file(str(words))
    return tokenizers.BertWordPieceTokenizer(str(words), lowercase=True)


def _hash(how: bytes, *paths: Path) -> str:
    digest = hashlib.sha256(how)
    for path in paths:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(length > 0, length, 1), np.float32)
