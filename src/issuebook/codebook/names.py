"""Checks of the names that texts use for codes and projects: each thing by one name, the one that the tree has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from issuebook.codebook.code_ids import ids_in, shape
from issuebook.codebook.criteria import content_words, plain
from issuebook.codebook.finding import Finding
from issuebook.model.codebook import Code, Facet

NEAR = 0.5
"""Share of common words (Dice) from which a phrase is taken for a name that was meant; two words at least."""

MOST_NEAR = 3
"""So many names that a phrase may have meant are told."""

LEAST_LETTERS = 6
"""A shorter word is not taken for a slip of a project's name."""

_CAPITAL = r"[A-Z][\w’'-]*"
_JOIN = r"(?:[ \t]*\n[ \t]*|[ \t]+|[ \t]*[、/&][ \t]*)(?:(?:and|of|for|in|on|the|to|with|a|an|or)[ \t\n]+|&[ \t]*)*"
_PHRASE = re.compile(rf"{_CAPITAL}(?:{_JOIN}{_CAPITAL})+")
_ID = r"(?<![\w.])(?P<id>\w+(?:[._-]\w+)+)(?![\w])"
_BESIDE = (
    re.compile(rf"(?P<phrase>{_PHRASE.pattern})\s*\({_ID}\)"),
    re.compile(rf"{_ID}[ \t]*[:–-]?[ \t]*(?P<phrase>{_PHRASE.pattern})"),
)


@dataclass(frozen=True)
class Names:
    """What things are called.

    Attributes:
        facet: the facet whose names are used.
        projects: names of the projects.
        former: other codes' ids by a name that they had in an earlier version.
        gone: what became of codes that are no longer in the tree, by id, in words.
    """

    facet: Facet
    projects: Sequence[str] = ()
    former: Mapping[str, str] = field(default_factory=dict)
    gone: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def codes(self) -> dict[str, Code]:
        """Codes by id."""
        return {code: node.code for code, node in self.facet.nodes.items()}

    @cached_property
    def proper(self) -> dict[str, str]:
        """Codes by the plain form of their name."""
        return {plain(code.name): code.id for code in self.codes.values() if code.status != "unnamed"}

    @cached_property
    def other(self) -> dict[str, str]:
        """Codes by the plain form of another name, or of one that they had; names of the tree are not among them."""
        also = {plain(name): code.id for code in self.codes.values() for name in code.also}
        had = {plain(name): code for name, code in self.former.items() if code in self.codes}
        return {name: code for name, code in (had | also).items() if name not in self.proper and " " in name}


def check_names(text: str, file: str, names: Names) -> list[Finding]:
    """Return where a text names a code or project otherwise than the study does.

    Found are: ids that no code has, or (for information) one whose name was never published; another or former name of
    a code; a phrase beside an id that is not the name of that code; a phrase that is nearly a name; a word that is one
    slip away from a project's name. A phrase is a run of words with capitals; one that is nearly a name fails only when
    it has three words of meaning or more, and half of those of the name.

    Args:
        text: any text: a manuscript, claims, an interview table.
        file: its name.
        names: what things are called.
    """
    found = [*_stray_ids(text, names), *_beside_ids(text, names)]
    rest = _without(text, [name for name in names.proper if " " in name])
    aliases, rest = _other_names(rest, names)
    known = {at for at, _ in found}
    found += aliases
    found += [(at, finding) for at, finding in _near_names(rest, names) if at not in known]
    found += _slips(text, names.projects)
    return _told(text, file, found)


def check_other_names(facet: Facet) -> list[Finding]:
    """Return the codes that go by several names, for information: the study itself does not call them one thing."""
    return [
        Finding(
            "names",
            node.code.id,
            f"“{node.code.name}” also goes by {' and '.join(f'“{name}”' for name in node.code.also)}.",
            "Use one name in every text; --text FILE finds where another stands.",
            fails=False,
        )
        for node in facet.walk()
        if node.code.also and node.code.status != "retired"
    ]


_Found = tuple[int, Finding]
"""Where in the text something begins, and a finding whose place is still to be told."""


def _stray_ids(text: str, names: Names) -> Iterator[_Found]:
    shapes = {shape(code) for code in names.codes} | {shape(code) for code in names.gone}
    tops = {code.id for code in names.facet.codes}
    for match in ids_in(text, shapes):
        token = match[0]
        code = names.codes.get(token)
        if code is None and (token in names.gone or re.split(r"[._-]", token)[0] in tops):
            became = names.gone.get(token, "is no code of the tree")
            yield match.start(), Finding("id", "", f"{token} {became}.", "Name a code that exists.")
        elif code is None:
            continue  # H.264 and its like
        elif code.status == "unnamed":
            what = f"{token} has no name: the codebook marks it as unnamed."
            yield match.start(), Finding("id", "", what, "Rename it once its name is known.", fails=False)
        elif code.status == "retired":
            yield match.start(), Finding("id", "", f"{token} is retired.", "Name a code that may be given.")


def _beside_ids(text: str, names: Names) -> Iterator[_Found]:
    """Yield phrases with an id in parentheses behind them, or with an id before them, that are not that code's name."""
    for match in (match for pattern in _BESIDE for match in pattern.finditer(text)):
        code = names.codes.get(match["id"])
        if code is None or code.status == "unnamed":
            continue
        said = plain(match["phrase"])
        if not any(said.endswith(name) or said.startswith(name) for name in map(plain, (code.name, *code.also))):
            what = f"“{_shown(match['phrase'])}” stands with {code.id}, which is called “{code.name}”."
            yield match.start("phrase"), Finding("name", "", what, "Use one name.")


def _other_names(text: str, names: Names) -> tuple[list[_Found], str]:
    found = []
    for name in sorted(names.other, key=len, reverse=True):
        code = names.codes[names.other[name]]
        for match in _pattern(name).finditer(text):
            what = f"“{_shown(match[0])}” is another name of {code.id}, which the tree calls “{code.name}”."
            found.append((match.start(), Finding("name", "", what, "Use the name of the tree.")))
        text = _without(text, [name])
    return found, text


def _near_names(text: str, names: Names) -> Iterator[_Found]:
    words = {code: content_words(names.codes[code].name) for code in names.proper.values()}
    for match in _PHRASE.finditer(text):
        said = content_words(match[0])
        scores = {code: _dice(said, name) for code, name in words.items() if len(said & name) > 1}
        near = sorted((code for code, score in scores.items() if score >= NEAR), key=lambda code: -scores[code])
        if near:
            meant = ", ".join(f"{code} “{names.codes[code].name}”" for code in near[:MOST_NEAR])
            what = f"“{_shown(match[0])}” is no name of the tree; near it: {meant}."
            common = len(said & words[near[0]])
            sure = len(said) > 2 and 2 * common >= len(words[near[0]])
            yield match.start(), Finding("name", "", what, "Use the name of the tree, or add it as another name.", sure)


def _slips(text: str, projects: Iterable[str]) -> Iterator[_Found]:
    known = {project.casefold(): project for project in projects}
    for match in re.finditer(r"[A-Za-z][\w-]*[A-Za-z0-9]", text):
        word = match[0].casefold()
        if len(word) < LEAST_LETTERS or word in known or word.removesuffix("s") in known:
            continue
        for name, project in known.items():
            if len(name) >= LEAST_LETTERS and one_slip(word, name):
                yield match.start(), Finding("project", "", f"“{match[0]}” is nearly {project}.", "Is it a slip?")


def one_slip(one: str, other: str) -> bool:
    """Return whether one letter was left out, put in, exchanged, or swapped with the next."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[start:], other[start:]
    if len(one) == len(other):
        return a[1:] == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])
    return a[1:] == b if len(a) > len(b) else a == b[1:]


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


def _without(text: str, names: Sequence[str]) -> str:
    """Return the text with names blanked out, the longest first, so that places stay."""
    for name in sorted(names, key=len, reverse=True):
        text = _pattern(name).sub(lambda match: re.sub(r"\S", " ", match[0]), text)
    return text


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)" + r"[\W_]{1,4}".join(map(re.escape, name.split())) + r"(?!\w)", re.IGNORECASE)


def _shown(phrase: str) -> str:
    return " ".join(phrase.split())


def _told(text: str, file: str, found: Iterable[_Found]) -> list[Finding]:
    """Return findings with their lines; one that repeats is told once, with how often."""
    places: dict[Finding, list[int]] = {}
    for at, finding in sorted(found, key=lambda each: each[0]):
        places.setdefault(finding, []).append(text.count("\n", 0, at) + 1)
    return [
        Finding(
            finding.check,
            f"{file}, line {lines[0]}" + (f" and {len(lines) - 1} more" if len(lines) > 1 else ""),
            finding.what,
            finding.remedy,
            finding.fails,
        )
        for finding, lines in places.items()
    ]
