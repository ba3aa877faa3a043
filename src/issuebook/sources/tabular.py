"""The bytes of a tabular file to a table of text, whatever its format."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from issuebook.errors import Fault, InputError
from issuebook.model.table import Table
from issuebook.sources.compression import gunzip
from issuebook.sources.delimited import read_delimited
from issuebook.sources.json_lines import read_json_lines
from issuebook.sources.lines import read_lines
from issuebook.sources.parquet import read_parquet
from issuebook.sources.workbook import read_workbook

_SIGNED = {b"PK\x03\x04": "workbook", b"PAR1": "parquet"}
_NAMED = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".xlsx": "workbook",
    ".xlsm": "workbook",
    ".parquet": "parquet",
    ".pq": "parquet",
}
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


def read_table(data: bytes, name: str, sheet: str | None = None, broken: str | None = None) -> Table:
    """Return the table in a file, every cell as text and every unreadable row quarantined.

    Args:
        data: the file as it is on disk, compressed by gzip or not.
        name: its name, which says the format; where it does not, the content does.
        sheet: the sheet of a workbook that has several.
        broken: why the end is missing, of a file that is decompressed already.

    Raises:
        InputError: nothing of the file can be read, it has no rows, or its header leaves open what is meant.
    """
    if not data:
        raise InputError(Fault(name, "the file is empty."))
    if broken is None:
        data, broken = gunzip(data)
    content = data
    if not content:
        raise InputError(Fault(name, f"nothing can be decompressed: {broken}." if broken else "the file is empty."))
    table = _read(content, broken, name, sheet)
    if not table.read:
        raise InputError(Fault(name, "there is a header and no row.", "Remove the file, or fill it."))
    return table


def _read(content: bytes, broken: str | None, name: str, sheet: str | None) -> Table:
    form = form_of(content, name)
    if form in ("workbook", "parquet"):
        if broken is not None:
            raise InputError(Fault(name, f"{broken}, and a {form} is of use only as a whole."))
        return read_workbook(content, name, sheet) if form == "workbook" else read_parquet(content, name)
    lines = read_lines(content, broken)
    if lines.torn is not None and lines.torn.line == 1:
        raise InputError(Fault(name, f"not even the first line is whole: {broken}."))
    return read_json_lines(lines, name) if form == "json" else read_delimited(lines, name, _DELIMITERS.get(form))


def form_of(content: bytes, name: str) -> str:
    """Return the format: ``workbook``, ``parquet``, ``json``, ``csv`` or ``tsv``.

    Binary ones sign their content; of the others the name says it, or the first character.
    """
    for sign, form in _SIGNED.items():
        if content.startswith(sign):
            return form
    suffix = PurePosixPath(name.lower().removesuffix(".gz")).suffix
    guess = "json" if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "csv"
    return _NAMED.get(suffix, guess)
