"""REFI-QDA projects (T13): what other programs write, what is refused, what they changed, and that ours are valid."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest
import xmlschema
from hypothesis import given, settings
from tests.exchange_parcels import BOOK, one_label, parcel_of, parcels, read_back, written

from issuebook.codebook.refi_qda import guid
from issuebook.errors import InputError
from issuebook.exchange import archives
from issuebook.exchange.parcel import Arrived, Parcel, blank_row
from issuebook.exchange.qdpx import unit_text, write_qdpx
from issuebook.model.unit import Unit
from issuebook.schemas import LABELS

SCHEMA = xmlschema.XMLSchema(str(Path(__file__).parents[2] / "data" / "refi_qda" / "project.xsd"))
G = "4b1d0f0a-7c1e-4c55-9b58-0a6f7c2a1e"
ADA, BEN, BUG, CRASH, SOURCE, OTHER = (f"{G}{n:02}" for n in range(6))
TEXT = "It fails \U0001f600 at once.\r\nThen again."
USERS = f'<Users><User guid="{ADA}" name="Ada" id="AA"/><User guid="{BEN}" name="Ben"/></Users>'
CODES = (
    f'<CodeBook><Codes><Code guid="{BUG}" name="bug" isCodable="true"><Code guid="{CRASH}" name="Crash" '
    'isCodable="true"/></Code></Codes></CodeBook>'
)


def coding(code: str = CRASH, user: str = ADA, number: int = 0, at: str = "2025-01-01T10:00:00Z") -> str:
    made = f'creatingUser="{user}" creationDateTime="{at}"'
    return f'<Coding guid="{G}{number + 50:02}" {made}><CodeRef targetGUID="{code}"/></Coding>'


def source(inside: str, path: str = "internal://a.txt", name: str = "one", at: str = SOURCE) -> str:
    return f'<TextSource guid="{at}" name="{name}" plainTextPath="{path}">{inside}</TextSource>'


def qde(
    sources: str, before: str = "", codes: str = CODES, space: str = "urn:QDA-XML:project:1.0", after: str = ""
) -> str:
    head = f'<?xml version="1.0" encoding="utf-8"?>\n{before}<Project name="p" origin="Other 1.0" xmlns="{space}">'
    return f"{head}{USERS}{codes}<Sources>{sources}</Sources>{after}</Project>"


def zipped(project: str | bytes, files: Mapping[str, str | bytes] | None = None, name: str = "project.qde") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, project)
        for entry, content in ({"sources/a.txt": TEXT} if files is None else files).items():
            archive.writestr(entry, content)
    return buffer.getvalue()


def told(found: Arrived) -> str:
    return "\n".join(map(str, found.notes))


def span(start: int, end: int, name: str = "", inside: str = "", number: int = 0) -> str:
    place = f'startPosition="{start}" endPosition="{end}"'
    return f'<PlainTextSelection guid="{G}{number + 80:02}" name="{name}" {place}>{inside}</PlainTextSelection>'


ONE = source(coding())
UPPER = qde(ONE).replace(CRASH, "{" + CRASH.upper() + "}", 1)
ACCEPTED = {
    "minimal": (zipped(qde(ONE)), ""),
    "a name of its own": (zipped(qde(ONE), name="My study.qde"), ""),
    "Project.qde": (zipped(qde(ONE), name="Project.qde"), ""),
    "the project file alone": (qde(ONE).encode(), "is not in the archive"),
    "Sources": (zipped(qde(ONE), {"Sources/a.txt": TEXT}), ""),
    "another case of a name": (zipped(qde(ONE), {"sources/A.TXT": TEXT}), ""),
    "internal://sources/": (zipped(qde(source(coding(), "internal://sources/a.txt"))), ""),
    "relative path": (zipped(qde(source(coding(), "relative:///texts/a.txt"))), ""),
    "absolute path": (zipped(qde(source(coding(), "absolute://C:\\Users\\x\\a.txt"))), ""),
    "byte-order mark in the project": (zipped(b"\xef\xbb\xbf" + qde(ONE).encode()), ""),
    "byte-order mark in a text": (zipped(qde(ONE), {"sources/a.txt": "\ufeff" + TEXT}), ""),
    "a text in UTF-16": (zipped(qde(ONE), {"sources/a.txt": TEXT.encode("utf-16")}), ""),
    "namespace 1.5": (zipped(qde(ONE, space="urn:QDA-XML:project:1.5")), "the namespace is urn:QDA-XML:project:1.5"),
    "namespace 1:0": (zipped(qde(ONE, space="urn:QDA-XML:project:1:0")), "the namespace is urn:QDA-XML:project:1:0"),
    "braces and upper case": (zipped(UPPER), ""),
    "missing text": (zipped(qde(ONE), {}), "the text of 'one' is not in the archive"),
    "text outside the archive": (
        zipped(qde(source(coding(), "internal://../../../../etc/passwd"))),
        "the text of 'one' is not in the archive",
    ),
    "text in the file itself": (
        zipped(
            qde(
                f'<TextSource guid="{SOURCE}" name="one"><PlainTextContent>{TEXT}</PlainTextContent>'
                f"{coding()}</TextSource>"
            ),
            {},
        ),
        "",
    ),
    "unknown elements": (zipped(qde(source(f"<Colour/>{coding()}"))), "Colour is not known"),
    "cases, links and graphs": (
        zipped(qde(ONE, after=f'<Links><Link guid="{G}77"><NoteRef targetGUID="{G}78"/></Link></Links><Graphs/>')),
        "Links are not kept",
    ),
    "values after notes": (
        zipped(
            qde(
                source(
                    f'{coding()}<VariableValue><VariableRef targetGUID="{OTHER}"/><TextValue>v</TextValue>'
                    f'</VariableValue><NoteRef targetGUID="{OTHER}"/>'
                )
            )
        ),
        "",
    ),
    "a time with a blank": (zipped(qde(source(coding(at="2025-01-01 10:00:00")))), ""),
    "a time that is none": (zipped(qde(source(coding(at="yesterday")))), "the time 'yesterday' is none"),
    "the same guid twice": (
        zipped(qde(ONE, codes=CODES.replace("</Codes>", f'<Code guid="{CRASH}" name="x" isCodable="true"/></Codes>'))),
        "is that of another code",
    ),
    "positions that mean nothing": (zipped(qde(source(span(9, 3, "", coding())))), "ends before it begins"),
    "positions beyond the text": (zipped(qde(source(span(900, 999, "fails", coding())))), "do not fit the text"),
    "a picture": (zipped(qde(ONE.replace("TextSource", "PictureSource"))), ""),
}  # fmt: skip

BOMB = '<!DOCTYPE b [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
DEEP = "".join(f'<Code guid="4b1d0f0a-7c1e-4c55-9b58-{n:012x}" name="n{n}" isCodable="true">\n' for n in range(10_000))
REFUSED = {
    "no project": (zipped("x", name="a.txt"), "holds no project files"),
    "two projects": (zipped(qde(ONE), {"other.qde": "x"}, name="a.qde"), "holds 2 project files"),
    "no archive": (b"PK\x03\x04 and no more", "no archive that can be read"),
    "a codebook": (zipped('<CodeBook xmlns="urn:QDA-XML:codebook:1.0"/>'), "begins with CodeBook, not with Project"),
    "entity bomb": (zipped(qde(ONE, BOMB)), "line 2: the file declares a document type"),
    "external entity": (zipped(qde(ONE, '<!DOCTYPE b SYSTEM "file:///etc/passwd">\n')), "declares a document type"),
    "10,000 deep": (
        zipped(qde(ONE, codes=f"<CodeBook><Codes>{DEEP}{'</Code>' * 10_000}</Codes></CodeBook>")),
        "line 34: codes lie more than 32 deep",
    ),
    "10,000 elements deep": (zipped(qde("<x>" * 10_000 + "</x>" * 10_000)), "elements lie more than 100 deep"),
    "cut short": (zipped(qde(ONE)[:-5]), "not well-formed XML"),
    "an unknown encoding": (zipped('<?xml version="1.0" encoding="klingon"?><Project/>'), "line 1: "),
    "zip slip": (zipped(qde(ONE), {"../../evil.txt": "x"}), "leads out of the archive"),
    "zip slip with backslashes": (zipped(qde(ONE), {"sources\\..\\..\\evil.txt": "x"}), "leads out of the archive"),
    "an absolute entry": (zipped(qde(ONE), {"/etc/cron.d/evil": "x"}), "leads out of the archive"),
    "zip bomb": (zipped(qde(ONE), {"sources/a.txt": b"\0" * 20_000_000}), "looks like an attack"),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_other_programs_write_is_read_and_what_is_odd_is_told(name: str) -> None:
    content, odd = ACCEPTED[name]
    found = read_back("qdpx", content, file="their.qdpx")
    row = found.labels.row(0, named=True)
    assert (found.labels.height, found.quarantined.height) == (1, 0)
    assert (row["annotator"], row["unit"], row["facet"], row["code"]) == ("Ada", "one", "theme", "B.1")
    assert odd in told(found)
    assert bool(found.notes) == bool(odd)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_trusted_is_refused(name: str) -> None:
    content, reason = REFUSED[name]
    with pytest.raises(InputError, match=reason):
        read_back("qdpx", content, file="their.qdpx")


def test_an_entry_that_lies_about_its_size_is_read_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    with archives.open_archive(zipped("x" * 5_000), "a") as archive, pytest.raises(InputError, match="more than 1,000"):
        b"".join(archives.chunks(archive, "project.qde", 1_000))


def test_a_damaged_entry_is_told() -> None:
    content = bytearray(zipped(qde(ONE)))
    content[80:90] = b"\xff" * 10
    with pytest.raises(InputError, match=r"cannot be unpacked|no archive"):
        read_back("qdpx", bytes(content))


UNIX = TEXT.replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("start", "end", "way"),
    [
        (TEXT.index("Then"), len(TEXT), "code points, CR LF as two"),
        (UNIX.index("Then"), len(UNIX), "code points, CR LF as one"),
        (TEXT.index("Then") + 1, len(TEXT) + 1, "UTF-16, CR LF as two"),
        (UNIX.index("Then") + 1, len(UNIX) + 1, "UTF-16, CR LF as one"),
    ],
)
def test_a_selection_after_emoji_and_line_ends_is_found_however_it_is_counted(start: int, end: int, way: str) -> None:
    found = read_back("qdpx", zipped(qde(source(span(start, end, "Then again.", coding())))))
    assert found.labels["memo"].to_list() == [f"B.1: “Then again.” ({start}–{end})"], way
    assert not found.notes


def test_several_codes_of_one_user_are_one_rating_and_other_users_have_their_own() -> None:
    inside = coding(BUG, ADA, 0) + coding(CRASH, ADA, 1) + coding(CRASH, ADA, 2) + coding(BUG, BEN, 3)
    found = read_back("qdpx", zipped(qde(source(inside))))
    rows = found.labels.select("annotator", "code", "secondary", "per_unit").rows()
    assert rows == [("Ada", "B", '["B.1"]', 2), ("Ben", "B", "", 2)]
    assert found.excluded["reason"].to_list() == ["the same code of the same user once more"]


def test_who_is_not_told_is_unknown_and_users_of_one_name_stay_apart() -> None:
    """T5."""
    users = f'<User guid="{OTHER}" name="Ada"/></Users>'
    inside = (
        coding(user=ADA) + coding(user=OTHER, number=1) + coding(user="", number=2) + coding(user=G + "99", number=3)
    )
    found = read_back("qdpx", zipped(qde(source(inside)).replace("</Users>", users)))
    assert found.labels["annotator"].to_list() == ["Ada", f"Ada ({OTHER})", "unknown annotator", f"user {G}99"]
    assert "users share the name 'Ada'" in told(found)


def test_sources_of_one_name_are_units_of_their_own() -> None:
    found = read_back("qdpx", zipped(qde(ONE + source(coding(number=1), at=OTHER))))
    assert found.labels["unit"].to_list() == ["one", f"one ({OTHER})"]
    assert "sources share the name 'one'" in told(found)


def test_a_source_named_by_an_address_is_that_report() -> None:
    found = read_back("qdpx", zipped(qde(source(coding(), name="https://github.com/larkloom/core/issues/7#x"))))
    assert found.labels["unit"].to_list() == ["github:larkloom/core#7"]


def test_codes_that_mean_nothing_are_set_aside_with_their_line() -> None:
    unknown = CODES.replace('name="bug"', 'name="oddity"')
    inside = coding(BUG) + "\n" + coding(OTHER, number=1)
    found = read_back("qdpx", zipped(qde(source(inside), codes=unknown)), file="their.qdpx")
    assert found.labels.is_empty()
    assert found.quarantined["text"].to_list() == ["Ada: oddity", f"Ada: no code of the file: {OTHER}"]
    assert found.quarantined["line"].to_list() == [2, 3]


def test_comments_without_a_code_are_accounted_for() -> None:
    found = read_back("qdpx", zipped(qde(source(span(0, 2, "It", "<Description>why?</Description>") + coding()))))
    assert found.excluded.select("reason", "text").rows() == [("a comment without a code", "“It”: why?")]


def test_notes_of_a_coding_are_its_memo() -> None:
    noted = coding().replace("</Coding>", f'<NoteRef targetGUID="{OTHER}"/></Coding>')
    note = f'<Notes><Note guid="{OTHER}" name="n"><PlainTextContent>so &lt;it&gt; is</PlainTextContent></Note></Notes>'
    found = read_back("qdpx", zipped(qde(source(noted), after=note)))
    assert found.labels["memo"].to_list() == ["so <it> is"]


def labels() -> pl.DataFrame:
    base = {**blank_row(), "round": "main", "unit": "u", "at": "2026-01-01T09:00:00+00:00", "codebook": "3"}
    ada = {"place": 1, "annotator": "ada", "name": "Ada", "unsure": True}
    said = [
        {**ada, "facet": "theme", "code": "B.1", "secondary": '["A.1"]'},
        {**ada, "facet": "relevance", "code": "keep"},
        {"place": 2, "annotator": "ben", "name": "Ben", "facet": "theme", "code": "A.2", "memo": "hm"},
        {"place": 3, "annotator": "cy", "name": "Cy", "kind": "skip", "memo": "no idea"},
        {"place": 4, "annotator": "jo", "name": "Jo", "facet": "theme", "code": "B.1", "kind": "decision", "seen": 3},
    ]  # fmt: skip
    return pl.DataFrame([{**base, "per_unit": 3, **row} for row in said], schema=LABELS)


def changed(old: str, new: str, table: pl.DataFrame | None = None) -> Arrived:
    """What comes back after another program replaced a text in the project file."""
    content = written("qdpx", parcel_of(labels() if table is None else table))
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(buffer, "w") as after:
        for entry in before.namelist():
            data = before.read(entry).decode()
            assert old in data or entry != "project.qde"
            after.writestr(entry, data.replace(old, new) if entry == "project.qde" else data)
    return read_back("qdpx", buffer.getvalue())


def test_a_code_that_another_program_changed_holds_and_what_it_has_no_place_for_is_kept() -> None:
    found = changed(
        f'<CodeRef targetGUID="{guid("theme", "A.2")}"/>', f'<CodeRef targetGUID="{guid("theme", "A.1")}"/>'
    )
    ben = found.labels.filter(annotator="ben").row(0, named=True)
    assert (ben["code"], ben["memo"], ben["codebook"], ben["round"]) == ("A.1", "hm", "3", "main")
    assert found.labels.height == 5


def test_a_memo_that_another_program_changed_holds() -> None:
    assert changed(">hm<", ">aha<").labels.filter(annotator="ben")["memo"].to_list() == ["aha"]


def test_a_coding_that_another_program_took_out_is_told_as_excluded() -> None:
    content = written("qdpx", parcel_of(labels()))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        lines = archive.read("project.qde").decode().splitlines()
    gone = next(line for line in lines if line.startswith("<Coding") and guid("theme", "A.2") in line)
    found = changed(gone, "")
    assert "ben" not in found.labels["annotator"].to_list()
    assert found.excluded["reason"].to_list() == ["its coding was taken out or given to somebody else"]


def test_a_decision_is_of_the_user_consensus_and_comes_back_to_who_decided() -> None:
    content = written("qdpx", parcel_of(labels()))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        project = archive.read("project.qde").decode()
    assert 'name="consensus"' in project
    assert read_back("qdpx", content).labels.filter(kind="decision")["annotator"].to_list() == ["jo"]


def test_whole_text_selections_are_written_when_asked_and_count_once() -> None:
    units = [Unit("u", "A \U0001f600 title", "body\r\nend")]
    parcel = Parcel("s", "issuebook 0", BOOK, labels(), units)
    content = write_qdpx(parcel, selections=True).content(".qdpx")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        project = archive.read("project.qde")
        [text] = [archive.read(name) for name in archive.namelist() if b"title" in archive.read(name)[:20]]
    assert text.decode() == unit_text(units[0]) == "A \U0001f600 title\n\nbody\nend"
    assert b'startPosition="0" endPosition="19"' in project
    SCHEMA.validate(project.decode().encode())
    found = read_back("qdpx", content)
    assert found.labels.sort("place", "facet").equals(labels().sort("place", "facet"))
    assert found.excluded.is_empty()


def test_codes_that_the_codebook_lacks_are_in_the_project_so_that_nothing_dangles() -> None:
    odd = labels().with_columns(code=pl.when(pl.col("code") == "A.2").then(pl.lit("Z")).otherwise("code"))
    content = written("qdpx", parcel_of(odd))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        project = archive.read("project.qde").decode()
    assert f'<Code guid="{guid("theme", "Z")}" name="Z" isCodable="true"/>' in project
    assert read_back("qdpx", content).labels.equals(odd)


@settings(max_examples=40, deadline=None)
@given(parcel=parcels())
def test_every_export_is_valid_and_no_reference_dangles(parcel: Parcel) -> None:
    with zipfile.ZipFile(io.BytesIO(written("qdpx", parcel))) as archive:
        project = archive.read("project.qde").decode()
        names = set(archive.namelist())
    SCHEMA.validate(project.encode())
    elements = xmlschema.XMLResource(project).root.iter()
    made, meant, paths = [], set(), set()
    for element in elements:
        made += [value for key, value in element.attrib.items() if key == "guid"]
        meant |= {value for key, value in element.attrib.items() if key in ("targetGUID", "creatingUser")}
        paths |= {f"sources/{value[11:]}" for key, value in element.attrib.items() if key == "plainTextPath"}
    assert len(made) == len(set(made))
    assert meant <= set(made)
    assert paths == names - {"project.qde"}


def test_a_text_with_what_xml_cannot_hold_is_kept_beside_it_and_told() -> None:
    parcel = parcel_of(one_label("a\x07b"))
    out = write_qdpx(Parcel("s", "issuebook 0", BOOK, labels().with_columns(memo=pl.lit("a\x07b")), parcel.units))
    assert set(read_back("qdpx", out.content(".qdpx")).labels["memo"]) == {"a\x07b"}
    assert any("XML cannot hold" in loss.what for loss in out.losses)
