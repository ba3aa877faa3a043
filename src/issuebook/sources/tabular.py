"""The bytes of a tabular file to a table of text, whatever its format."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from issuebook.errors import Fault, InputError
from issuebook.model.table import Table
from issuebook.sources.delimited import read_delimited
from issuebook.sources.lines import gunzip, read_lines

_FORMATS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv"}
_DELIMITERS = {"csv": ",", "tsv": "\t"}


def read_tables(files: Iterable[tuple[str, bytes]], sheet: str | None = None) -> list[Table]:
    """Return the table of each file, given its name and bytes, in order.

    Raises:
        InputError: files cannot be read as tables, with the faults of all of them.
    """
    tables: list[Table] = []
    faults: list[Fault] = []
    for name, data in files:
        try:
            tables.append(read_table(data, name, sheet))
        except InputError as error:
            faults.extend(error.faults)
    if faults:
        raise InputError(faults)
    return tables


def read_table(data: bytes, name: str, sheet: str | None = None) -> Table:
    """Return the table in a file, every cell as text and every unreadable row quarantined.

    Args:
        data: the file as it is on disk, compressed by gzip or not.
        name: its name, which says the format; where it does not, the content does.
        sheet: the sheet of a workbook that has several.

    Raises:
        InputError: nothing of the file can be read, it has no rows, or its header leaves open what is meant.
    """
    if not data:
        raise InputError(Fault(name, "the file is empty."))
    content, broken = gunzip(data)
    if not content:
        raise InputError(Fault(name, f"nothing can be decompressed: {broken}." if broken else "the file is empty."))
    form = _format(name)
    table = read_delimited(read_lines(content, broken), name, _DELIMITERS.get(form))
    if not table.read:
        raise InputError(Fault(name, "there is a header and no row.", "Remove the file, or fill it."))
    return table


def _format(name: str) -> str:
    suffixes = [suffix.lower() for suffix in PurePosixPath(name).suffixes if suffix.lower() != ".gz"]
    return _FORMATS.get(suffixes[-1] if suffixes else "", "text")
