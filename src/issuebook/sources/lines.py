"""Bytes to numbered lines of text: byte order marks, UTF-16, bytes that are no text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from issuebook.sources.unreadable import Unreadable


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a text file.

    Attributes:
        texts: String; line 1 is at index 0. Line ends are removed.
        damaged: why a line cannot be used, by its number from 1.
        torn: the last line where the file broke off, already left out of ``texts``; None for a whole file.
    """

    texts: pl.Series
    damaged: Mapping[int, str]
    torn: Unreadable | None


def read_lines(data: bytes, broken: str | None = None) -> Lines:
    """Return the lines of a text file.

    UTF-8 with or without byte order mark, UTF-16 of either order with one; line ends LF, CR LF or CR.

    Args:
        data: the file, decompressed.
        broken: why the end of the file is missing, as ``gunzip`` says; its last, partial line is then ``torn``.
    """
    text, damaged = decode(data)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\n" not in text:
            text = text.replace("\r", "\n")
    torn = None
    if broken is not None:
        whole, _, partial = text.rpartition("\n")
        number = whole.count("\n") + 2 if whole else 1
        torn = Unreadable(number, broken, partial)
        text = whole
    if "\0" in text:
        damaged |= dict.fromkeys(_lines_matching("\0", text), "holds a NUL character")
    texts = pl.Series("text", [text.removesuffix("\n")], dtype=pl.String).str.split("\n").explode()
    return Lines(texts, damaged, torn)


def decode(data: bytes) -> tuple[str, dict[int, str]]:
    """Return the text, and for each line that is not valid in its encoding the reason, by its number from 1.

    UTF-8 with or without byte order mark, UTF-16 of either order with one.
    """
    encoding, mark = "utf-8", b""
    for name, sign in (
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
    ):
        if data.startswith(sign):
            encoding, mark = name, sign
    body = data[len(mark) :]
    try:
        return body.decode(encoding), {}
    except UnicodeDecodeError:
        text = body.decode(encoding, errors="replace")
    reason = f"is not valid {encoding[:6].rstrip('-').upper()}: save the file as UTF-8"
    suspects = _lines_matching("\ufffd", text)
    if encoding == "utf-8":  # the line ends are plain bytes, so each line can be tried by itself
        raw = re.split(rb"\r\n|\n", body) if b"\n" in body else body.split(b"\r")
        suspects = [number for number in suspects if not _is_utf8(raw[number - 1])]
    return text, dict.fromkeys(suspects, reason)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _lines_matching(sign: str, text: str) -> list[int]:
    ends = text if "\n" in text else text.replace("\r", "\n")
    return [number for number, line in enumerate(ends.split("\n"), start=1) if sign in line]
