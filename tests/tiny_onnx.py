"""The smallest sentence model: each token's vector is a row of a table. Written by hand, as Protocol Buffers are."""

from __future__ import annotations

from pathlib import Path

import numpy as np

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "leak", "memory", "token", "server", "crash")
_FLOAT, _INT64 = 1, 7


def _varint(number: int) -> bytes:
    parts = []
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def _field(number: int, value: bytes | str | int) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _value(name: str, kind: int, axes: tuple[str, ...]) -> bytes:
    shape = b"".join(_field(1, _field(2, axis)) for axis in axes)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def write_model(folder: Path, width: int = 4) -> Path:
    """Write model.onnx (one Gather) and vocab.txt to a folder, and return it."""
    table = np.random.default_rng(0).standard_normal((len(WORDS), width)).astype("<f4")
    weights = _field(1, len(WORDS)) + _field(1, width) + _field(2, _FLOAT) + _field(8, "table")
    weights += _field(9, table.tobytes())
    node = _field(1, "table") + _field(1, "input_ids") + _field(2, "vectors") + _field(4, "Gather")
    graph = _field(1, node) + _field(2, "tiny") + _field(5, weights)
    graph += _field(11, _value("input_ids", _INT64, ("batch", "tokens")))
    graph += _field(12, _value("vectors", _FLOAT, ("batch", "tokens", "width")))
    model = _field(1, 8) + _field(7, graph) + _field(8, _field(2, 13))
    folder.mkdir(exist_ok=True)
    (folder / "model.onnx").write_bytes(model)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    return folder
