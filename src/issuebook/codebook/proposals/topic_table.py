"""Topic tables as BERTopic writes them (Topic, Count, Name, Representation): from proposals, and to proposals."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import polars as pl

from issuebook.codebook.proposals.state import State
from issuebook.codebook.proposals.stored import new_id
from issuebook.codebook.proposals.values import NO_WORDS, Made, Placed, Proposal, ProposalSet, Scope, Theme
from issuebook.errors import Fault, InputError

TOPICS = ("Topic", "Count", "Name", "Representation")
OUTLIERS = -1
"""BERTopic's topic of what is in none."""


def topic_table(state: State) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the topics and the documents of what holds: BERTopic's ``get_topic_info`` and ``get_document_info``.

    Topics count from 0, the largest first; -1 has the reports that share no words with others, and is left out where
    there are none. Reports that have a code are in neither table. A representation is a list as Python writes it.

    Returns:
        Columns Topic, Count, Name, Representation, Representative_Docs; and Document, id, Topic, Name.
    """
    members = {name: state.members(name) for name in state.proposals}
    order = sorted(members, key=lambda name: (-len(members[name]), name))
    titles = {report.id: report.title for report in state.found.reports}
    without = [one.id for one in state.found.reports if one.id not in state.place and one.id not in state.coded]
    topics: list[tuple[int, int, str, str, str]] = []
    documents: list[tuple[str, str, int, str]] = []
    groups = [(OUTLIERS, "", without)] if without else []
    groups += [(number, name, list(members[name])) for number, name in enumerate(order)]
    for number, proposal, reports in groups:
        about = state.proposals.get(proposal)
        terms = list(about.terms or [about.name]) if about is not None else []
        name = "_".join([str(number), *(terms[:4] or ["unclear"])])
        shown = [titles[one.report] for one in about.exemplars if one.report in titles] if about is not None else []
        topics.append((number, len(reports), name, str(terms), str(shown)))
        documents += [(titles[report], report, number, name) for report in reports]
    return (
        pl.DataFrame(topics, schema=[*TOPICS, "Representative_Docs"], orient="row"),
        pl.DataFrame(documents, schema=["Document", "id", "Topic", "Name"], orient="row"),
    )


def from_topic_table(topics: pl.DataFrame, placed: Mapping[str, int], scope: str, source: str) -> ProposalSet:
    """Return the proposals that a topic table and the topic of each document are.

    Args:
        topics: text columns Topic, Name and Representation, and where there is one Count.
        placed: the topic of each report, by id; empty where only the topics are known.
        scope: name of the scope that they become.
        source: the file, for messages.

    Raises:
        InputError: a column is missing, a topic is no number, stands twice, or a report has one that the table lacks.
    """
    missing = [name for name in ("Topic", "Name", "Representation") if name not in topics.columns]
    if missing:
        raise InputError([Fault(source, f"no column {name!r}.", "See docs/how-to/cluster.md.") for name in missing])
    rows = topics.to_dicts()
    numbers = [_number(row["Topic"], source, line) for line, row in enumerate(rows, start=2)]
    twice = sorted({number for number in numbers if numbers.count(number) > 1})
    unknown = sorted(set(placed.values()) - set(numbers) - {OUTLIERS})
    faults = [Fault(source, f"topic {number} stands twice.") for number in twice]
    faults += [Fault(source, f"it has no topic {number}, which a document has.") for number in unknown]
    if faults:
        raise InputError(faults)
    members: dict[int, list[str]] = {number: [] for number in numbers}
    for report in sorted(placed):
        members.setdefault(placed[report], []).append(report)
    found: dict[int, Proposal] = {}
    for number, row in zip(numbers, rows, strict=True):
        if number == OUTLIERS:
            continue
        terms = _terms(str(row["Representation"] or ""))
        own = new_id(scope, [str(number), *members[number]], {one.id for one in found.values()})
        name = ", ".join(terms[:3]) or str(row["Name"])
        count = len(members[number]) if placed else int(row.get("Count") or 0)
        found[number] = Proposal(id=own, theme="topics", name=name, terms=tuple(terms), size=count)
    ordered = sorted(found.values(), key=lambda one: (-one.size, one.id))
    reports = (
        Placed(id=name, proposal=found[topic].id) if topic in found else Placed(id=name, unclear=NO_WORDS)
        for name, topic in sorted(placed.items())
    )
    themes = (Theme(id="topics", name=f"topics of {source}", proposals=tuple(one.id for one in ordered)),)
    made = Made(settings={"imported": source})
    return ProposalSet(
        scope=Scope(name=scope), made=made, themes=themes, proposals=tuple(ordered), reports=tuple(reports)
    )


def _number(text: object, source: str, line: int) -> int:
    try:
        return int(str(text))
    except ValueError:
        raise InputError(Fault(f"{source}, line {line}: Topic", f"{text!r} is no number.")) from None


def _terms(text: str) -> Sequence[str]:
    """Return the words of a representation: a list as Python or JSON writes it, or words with commas between."""
    inside = text.strip().removeprefix("[").removesuffix("]")
    if text.strip().startswith("["):
        try:
            return [str(word) for word in json.loads(text)]
        except ValueError:
            pass
    return [word.strip().strip("'\"") for word in inside.split(",") if word.strip().strip("'\"")]
