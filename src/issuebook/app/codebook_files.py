"""A codebook from files, and as a file: YAML, REFI-QDA (``.qdc``), and tables with a column a level (CSV)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from issuebook.app.codebook import Author, adopt, facet_in, history_of
from issuebook.app.services import Services
from issuebook.app.study_files import CODEBOOK, read_codebook
from issuebook.codebook.edits import AnyEntry
from issuebook.codebook.level_table import LevelTables, facet_of_tables
from issuebook.codebook.refi_qda import to_qdc
from issuebook.codebook.refi_qda_reader import from_qdc
from issuebook.codebook.yaml_text import to_yaml
from issuebook.errors import Fault, InputError
from issuebook.model.codebook import Codebook, Facet

YAML, QDC, CSV = (".yaml", ".yml"), (".qdc",), (".csv",)


@dataclass(frozen=True, slots=True)
class Adopted:
    """What an import did: the edits that it made, and what a person should know of the reading."""

    edits: tuple[AnyEntry, ...]
    notes: tuple[Fault, ...]


def import_files(
    services: Services, contents: Mapping[str, bytes], tables: LevelTables | None, facet: str | None, author: Author
) -> Adopted:
    """Bring a codebook, or a facet of one, into the history as edits. A study without codebook.yaml begins with it.

    Args:
        services: the study.
        contents: bytes by file name: one YAML, one ``.qdc``, or CSV files that make one facet together.
        tables: how CSV files are read; their ``known`` is filled from the study's facets.
        facet: id of the facet of a ``.qdc``; None takes what the file says.
        author: who brings it.

    Raises:
        UserError: the files are of no such kind, cannot be read, or do not fit the codebook.
    """
    endings = {PurePath(name).suffix.lower() for name in contents}
    if endings <= set(CSV) and tables is not None:
        texts = {name: _text(content, name) for name, content in contents.items()}
        asked = replace(tables, known=_known_names(_present(services), tables.facet))
        made, notes = facet_of_tables(texts, asked)
        return _adopted(services, made, notes, author)
    if len(contents) != 1 or not endings <= {*YAML, *QDC, *CSV}:
        hint = "One .yaml or .qdc, or .csv files with --facet that make one facet together."
        raise InputError(Fault(", ".join(contents), "no files that a codebook is read from.", hint))
    name, content = next(iter(contents.items()))
    if endings <= set(QDC):
        read = from_qdc(content, name, facet)
        return _adopted(services, read.facet, read.warnings, author)
    if endings <= set(CSV):
        raise InputError(Fault(name, "the facet that it makes has no id.", "Name it with --facet."))
    codebook = read_codebook(_text(content, name), name)
    if not services.workspace.has_study_file(CODEBOOK):
        services.workspace.write_study_file(CODEBOOK, to_yaml(codebook))
        return Adopted((), ())
    here = services.workspace.has_study_file(CODEBOOK)
    by_hand = here and codebook == read_codebook(services.workspace.study_file(CODEBOOK), CODEBOOK)
    return Adopted(adopt(services, codebook, author, by_hand=by_hand), ())


def export_text(services: Services, name: str, facet: str | None, version: str) -> str:
    """Return a version of the codebook as the text of a file of that name: YAML whole, ``.qdc`` one facet.

    Raises:
        InputError: the name ends in neither.
    """
    history = history_of(services)
    codebook = history.at(history.number(version))
    ending = PurePath(name).suffix.lower()
    if ending in YAML:
        return to_yaml(codebook, header="")
    if ending in QDC:
        return to_qdc(facet_in(codebook, facet), codebook.version)
    raise InputError(Fault(name, "the ending says no format.", "Use .yaml (whole) or .qdc (REFI-QDA, one facet)."))


def _adopted(services: Services, made: Facet, notes: tuple[Fault, ...], author: Author) -> Adopted:
    present = _present(services)
    if present is None:
        codebook = Codebook(name=made.name or made.id, facets=(made,))
        services.workspace.write_study_file(CODEBOOK, to_yaml(codebook))
        return Adopted((), notes)
    others = [facet for facet in present.facets if facet.id != made.id]
    wanted = present.model_copy(update={"facets": (*others, made)})
    return Adopted(adopt(services, wanted, author), notes)


def _present(services: Services) -> Codebook | None:
    return history_of(services).head if services.workspace.has_study_file(CODEBOOK) else None


def _known_names(codebook: Codebook | None, facet: str) -> dict[str, str]:
    """Return the id of each name that one code alone has: in the facet itself, else among the other facets."""
    facets = codebook.facets if codebook is not None else ()
    others = _ids_by_name([each for each in facets if each.id != facet])
    return others | _ids_by_name([each for each in facets if each.id == facet])


def _ids_by_name(facets: Sequence[Facet]) -> dict[str, str]:
    named = [(node.code.name.casefold(), node.code.id) for facet in facets for node in facet.walk()]
    counts = Counter(name for name, _ in named)
    return {name: code for name, code in named if counts[name] == 1}


def _text(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(Fault(name, f"not UTF-8 text (byte {error.start}).", "Save it as UTF-8.")) from None
