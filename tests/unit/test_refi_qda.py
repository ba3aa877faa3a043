"""REFI-QDA codebooks (T12): what other programs write, what is refused with its line, and that ours are valid."""

from pathlib import Path

import pytest
import xmlschema
from hypothesis import given, settings
from tests.laws.test_codebook_exchange import CODEBOOKS

from issuebook.app.study_files import read_codebook
from issuebook.codebook.refi_qda import guid, to_qdc
from issuebook.codebook.refi_qda_reader import DEEPEST, from_qdc
from issuebook.errors import EditError, InputError
from issuebook.model.codebook import Code, Codebook, Facet

SCHEMA = xmlschema.XMLSchema(str(Path(__file__).parents[1] / "data" / "refi_qda" / "codebook.xsd"))
ROOT = Path(__file__).parents[2]
G = "4b1d0f0a-7c1e-4c55-9b58-0a6f7c2a1e0"
ONE = f'<Code guid="{G}1" name="bug" isCodable="true"/>'


def book(codes: str, after: str = "", space: str = "urn:QDA-XML:codebook:1.0", before: str = "") -> bytes:
    declared = '<?xml version="1.0" encoding="utf-8"?>\n'
    return f'{declared}{before}<CodeBook xmlns="{space}">\n<Codes>\n{codes}\n</Codes>\n{after}</CodeBook>'.encode()


def described(inside: str) -> str:
    return f'<Code guid="{G}1" name="bug" isCodable="true">{inside}</Code>'


BOMB = '<!DOCTYPE b [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
DEEP = "".join(f'<Code guid="4b1d0f0a-7c1e-4c55-9b58-{n:012x}" name="n{n}" isCodable="true">\n' for n in range(2000))

ACCEPTED = {
    "minimal": (book(ONE), ""),
    "namespace 0:4": (book(ONE, space="urn:QDA-XML:codebook:0:4"), "the namespace is urn:QDA-XML:codebook:0:4"),
    "namespace 1:0": (book(ONE, space="urn:QDA-XML:codebook:1:0"), "the namespace is urn:QDA-XML:codebook:1:0"),
    "no namespace": (book(ONE, space=""), "the namespace is missing"),
    "empty sets": (book(ONE, "<Sets/>"), "line 6: sets are not kept"),
    "targetGUID in a set": (
        book(ONE, f'<Sets>\n<Set guid="{G}9" name="s"><Description/><MemberCode targetGUID="{G}1"/></Set></Sets>'),
        "line 7: MemberCode has targetGUID",
    ),
    "a set that names no code": (
        book(ONE, f'<Sets><Set guid="{G}9" name="s"><MemberCode guid="{G}8"/></Set></Sets>'),
        "a set names a code that the file does not have",
    ),
    "description after a child": (
        book(described(f'<Code guid="{G}2" name="crash" isCodable="1"/><Description>late</Description>')),
        "a Description stands after child codes",
    ),
    "note reference": (book(described(f'<NoteRef targetGUID="{G}3"/>')), "NoteRef is no part of a codebook file"),
    "isCodable missing": (book(f'<Code guid="{G}1" name="bug"/>'), "isCodable is missing: taken as true"),
    "isCodable false": (book(f'<Code guid="{G}1" name="bug" isCodable="0"/>'), "isCodable is false"),
    "isCodable 1": (book(f'<Code guid="{G}1" name="bug" isCodable="1"/>'), ""),
    "colour with alpha": (book(f'<Code guid="{G}1" name="bug" isCodable="1" color="#11223344"/>'), "344' is not #RGB"),
    "colour as rgb": (book(f'<Code guid="{G}1" name="bug" isCodable="1" color="rgb(1,2,3)"/>'), "is not #RGB"),
    "byte-order mark": (b"\xef\xbb\xbf" + book(ONE), ""),
    "UTF-16": (book(ONE).decode().replace("utf-8", "utf-16").encode("utf-16"), ""),
    "braced guid": (book(f'<Code guid="{{{G}1}}" name="bug" isCodable="true"/>'), ""),
    "same name twice": (
        book(f'{ONE}<Code guid="{G}2" name="Bug" isCodable="true"/>'),
        "a sibling is called 'Bug' too; this one is taken as 'Bug (2)'",
    ),
}  # fmt: skip

REFUSED = {
    "empty codes": (book(""), "line 3: there is no code in it"),
    "duplicate guid": (book(f'{ONE}\n<Code guid="{G}1" name="x" isCodable="true"/>'), r"line 5: the guid .* in line 4"),
    "missing guid": (book('<Code name="x" isCodable="true"/>'), "line 4: a code whose guid is missing"),
    "broken guid": (book('<Code guid="12" name="x" isCodable="true"/>'), "line 4: a code whose guid is 12"),
    "missing name": (book(f'<Code guid="{G}1" isCodable="true"/>'), "line 4: a code without a name"),
    "entity bomb": (book(ONE, before=BOMB), "line 2: the file declares a document type"),
    "external entity": (
        book(ONE, before='<!DOCTYPE b SYSTEM "file:///etc/passwd">\n'),
        "line 2: the file declares a document type",
    ),
    "undeclared entity": (book(described("<Description>&b;</Description>")), "line 4: not well-formed XML"),
    "2,000 deep": (book(DEEP + "</Code>" * 2000), rf"line {4 + DEEPEST}: codes lie more than {DEEPEST} deep"),
    "cut short": (book(ONE)[:-5], "not well-formed XML"),
    "no XML": (b"name,definition\nbug,x", "line 1: not well-formed XML"),
    "a project": (b'<Project xmlns="urn:QDA-XML:project:1.0" name="p"/>', "begins with Project, not with CodeBook"),
    "an unknown encoding": (b'<?xml version="1.0" encoding="klingon"?><CodeBook/>', "line 1: "),
    "a wrong status": (book(described("<Description>Id: a\nStatus: gone</Description>")), "line 4: its description"),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_other_programs_write_is_read_and_what_is_odd_is_told(name: str) -> None:
    content, told = ACCEPTED[name]
    found = from_qdc(content, "their.qdc")
    assert found.facet.codes[0].name == "bug"
    assert told in "\n".join(map(str, found.warnings))
    assert bool(found.warnings) == bool(told)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_trusted_is_refused_with_its_line(name: str) -> None:
    content, told = REFUSED[name]
    with pytest.raises(InputError, match=told):
        from_qdc(content, "their.qdc")


def test_a_file_that_is_far_too_large_is_not_read() -> None:
    with pytest.raises(InputError, match="are more than a codebook has"):
        from_qdc(b" " * 20_000_001, "large.qdc")


def test_codes_of_other_programs_are_numbered_by_place_and_their_description_is_the_definition() -> None:
    inner = f'<Description>Any failure.\nWith a trace.</Description><Code guid="{G}2" name="crash" isCodable="true"/>'
    facet = from_qdc(book(described(inner)), "their.qdc").facet
    assert [(code, node.code.name) for code, node in facet.nodes.items()] == [("1", "bug"), ("1.1", "crash")]
    assert facet.nodes["1"].code.definition == "Any failure.\nWith a trace."
    assert (facet.id, facet.levels) == ("theme", ("level 1", "level 2"))


@settings(max_examples=60, deadline=None)
@given(CODEBOOKS)
def test_every_export_is_valid_and_export_import_export_is_identical(codebook: Codebook) -> None:
    text = to_qdc(codebook.facets[0], codebook.version)
    SCHEMA.validate(text.encode())
    back = from_qdc(text.encode(), "ours.qdc")
    assert back.facet == codebook.facets[0]
    assert back.warnings == ()
    assert to_qdc(back.facet, back.version) == text


@pytest.mark.parametrize("study", ["demo", "studies/mu2025"])
def test_shipped_codebooks_export_as_valid_files_and_come_back(study: str) -> None:
    codebook = read_codebook((ROOT / study / "codebook.yaml").read_text(), "codebook.yaml")
    for facet in codebook.facets:
        text = to_qdc(facet, codebook.version)
        SCHEMA.validate(text.encode())
        assert from_qdc(text.encode(), "ours.qdc").facet == facet


def test_a_guid_stays_when_name_and_place_change_and_differs_between_facets() -> None:
    assert len({guid("theme", "C.1"), guid("stage", "C.1"), guid("theme", "C.2")}) == 3
    assert guid("theme", "C.1") == "50a08d3c-ec61-5739-a608-67ac613a715b"


def test_a_character_that_xml_cannot_hold_is_refused_with_the_code() -> None:
    facet = Facet(id="f", codes=(Code(id="A", name="bell", note="a\x07b"), Code(id="B", name="fine")))
    with pytest.raises(EditError, match=r"^A: a text holds the character U\+0007"):
        to_qdc(facet, "1")
