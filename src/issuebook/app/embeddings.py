"""Embeddings of texts: asked of a model once, then found by the content of text and model."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from issuebook.app.ports import Progress, Workspace
from issuebook.app.services import Services

_AT_ONCE = 256


class Embedder(Protocol):
    """A model in a folder that the user names."""

    @property
    def key(self) -> str:
        """The SHA-256 of the model and of all that decides what it makes of a text."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row of length 1 for each text.

        Raises:
            InputError: the model does not give what is expected.
        """
        ...


def embedded(services: Services, embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return a row of length 1 for each text, zeros for the empty ones; what was asked before is not asked again."""
    return cached(services.workspace, services.progress, embedder, texts)


def cached(workspace: Workspace, progress: Progress, embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return ``embedded`` of a workspace: ``data/embeddings/`` has a file a model, saved whole.

    A text is known by the SHA-256 of the model's key and the text.
    """
    name = f"embeddings/{embedder.key[:16]}.npz"
    known = _load(workspace.load(name))
    keys = [hashlib.sha256(f"{embedder.key}\n{text}".encode("utf-8", "replace")).digest() for text in texts]
    asked = {key: text for key, text in zip(keys, texts, strict=True) if text.strip() and key not in known}
    pending = list(asked)
    for begin in range(0, len(pending), _AT_ONCE):
        some = pending[begin : begin + _AT_ONCE]
        known |= dict(zip(some, embedder.embed([asked[key] for key in some]), strict=True))
        progress.step("embedded", min(begin + _AT_ONCE, len(pending)), len(pending))
    if pending:
        workspace.save(name, _saved(known))
    width = len(next(iter(known.values()), ()))
    empty = np.zeros(width, np.float32)
    rows = [known.get(key, empty) for key in keys]
    return np.stack(rows) if rows else np.zeros((0, width), np.float32)


def _load(content: bytes | None) -> dict[bytes, NDArray[np.float32]]:
    if content is None:
        return {}
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as held:
            keys, rows = held["keys"], held["rows"]
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile):
        return {}  # damaged: everything is asked again
    return {bytes(key): row for key, row in zip(keys, rows, strict=True)}


def _saved(known: dict[bytes, NDArray[np.float32]]) -> bytes:
    keys = sorted(known)
    buffer = io.BytesIO()
    np.savez(
        buffer,
        keys=np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), -1),
        rows=np.stack([known[key] for key in keys]),
    )
    return buffer.getvalue()
