"""The use case that takes topics of another program as proposals."""

from __future__ import annotations

from collections.abc import Mapping

from issuebook.app.judged_reports import NAMES, id_of
from issuebook.app.proposals import load_set, read_log, save_set
from issuebook.app.services import Services
from issuebook.codebook.proposals.decisions import in_force
from issuebook.codebook.proposals.topic_table import from_topic_table
from issuebook.codebook.proposals.values import ProposalSet
from issuebook.errors import Fault, InputError
from issuebook.sources.tabular import read_tables


def import_topic_tables(
    services: Services, topics: Mapping[str, bytes], documents: Mapping[str, bytes], scope: str
) -> ProposalSet:
    """Save the topics in a table as the proposals of a scope of their own, and return them.

    Args:
        services: the study.
        topics: one file, by name: Topic, Count, Name, Representation.
        documents: files with a column ``id``, ``url`` or ``report``, and ``Topic``; none where only topics are known.
        scope: what the proposals are called.

    Raises:
        InputError: a column is missing, a topic is not as it must be, the scope has proposals of its own, or decisions
            hold about other topics that were imported as that scope.
    """
    last = load_set(services.workspace, scope)
    if last is not None and "imported" not in last.made.settings:
        raise InputError(Fault("--scope", f"{scope!r} has proposals that were made here.", "Choose another name."))
    placed: dict[str, int] = {}
    faults: list[Fault] = []
    for table in read_tables(documents.items()):
        name = next((column for column in NAMES if column in table.frame.columns), None)
        if name is None or "Topic" not in table.frame.columns:
            faults.append(Fault(table.source, f"it needs a column {' or '.join(NAMES)}, and a column Topic."))
            continue
        for line, (report, topic) in zip(table.lines, table.frame.select(name, "Topic").iter_rows(), strict=True):
            if report is None or topic is None or not str(topic).lstrip("-").isdigit():
                faults.append(Fault(f"{table.source}: line {line}", f"topic {topic!r} of {report!r} is no number."))
            elif placed.setdefault(id_of(report), int(topic)) != int(topic):
                faults.append(Fault(f"{table.source}: line {line}", f"{report!r} has two topics."))
    if faults:
        raise InputError(faults)
    table = next(iter(read_tables(topics.items())))
    with services.workspace.lock():
        found = from_topic_table(table.frame, placed, scope, table.source)
        decided = in_force([one for one in read_log(services.workspace) if one.scope == scope])
        if decided and last is not None and (last.run, last.proposals) != (found.run, found.proposals):
            what = "people decided about the topics of that name, and these are others."
            raise InputError(Fault("--scope", what, "Choose another name: both stay."))
        save_set(services.workspace, found)
    return found
