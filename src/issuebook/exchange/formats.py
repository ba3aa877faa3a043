"""The formats that labels go out and come in by, under the names that commands and pages have for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from issuebook.exchange.argilla import write_argilla
from issuebook.exchange.argilla_reader import read_argilla
from issuebook.exchange.json_lines import read_json_lines, write_json_lines
from issuebook.exchange.label_studio import write_label_studio
from issuebook.exchange.label_studio_reader import read_label_studio
from issuebook.exchange.label_table import read_csv, read_xlsx, write_csv, write_xlsx
from issuebook.exchange.parcel import Arrived, Asked, Loss, Parcel, Written
from issuebook.exchange.qdpx import write_qdpx
from issuebook.exchange.qdpx_reader import read_qdpx

Format = Literal["csv", "xlsx", "label-studio", "qdpx", "doccano", "prodigy", "argilla"]
FORMATS: tuple[Format, ...] = get_args(Format)


def write(form: Format, parcel: Parcel, *, selections: bool = False) -> Written:
    """Return a parcel in a format; ``selections`` are whole-text selections of a ``.qdpx``."""
    written = _write(form, parcel, selections=selections)
    marked = sum(bool(unit.hits) or unit.comments is not None for unit in parcel.units)
    loss = Loss("units with keyword marks or a number of comments, which are not written", marked)
    unheld = parcel.machines.height if form in ("qdpx", "doccano", "prodigy") else 0
    more = (loss, Loss("answers of machines, which are not written", unheld))
    return replace(written, losses=(*written.losses, *(one for one in more if one.count)))


def read(form: Format, content: bytes, asked: Asked) -> Arrived:
    """Return what a file of a format holds.

    Raises:
        InputError: it is no such file, is damaged, or looks like an attack.
    """
    match form:
        case "csv":
            return read_csv(content, asked)
        case "xlsx":
            return read_xlsx(content, asked)
        case "label-studio":
            return read_label_studio(content, asked)
        case "qdpx":
            return read_qdpx(content, asked)
        case "doccano" | "prodigy":
            return read_json_lines(form, content, asked)
        case "argilla":
            return read_argilla(content, asked)


def _write(form: Format, parcel: Parcel, *, selections: bool) -> Written:
    match form:
        case "csv":
            return write_csv(parcel)
        case "xlsx":
            return write_xlsx(parcel)
        case "label-studio":
            return write_label_studio(parcel)
        case "qdpx":
            return write_qdpx(parcel, selections=selections)
        case "doccano" | "prodigy":
            return write_json_lines(form, parcel)
        case "argilla":
            return write_argilla(parcel)
