"""``issuebook proposals import | export``: BERTopic's tables of topics and documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from issuebook.cli.codebook.options import opened
from issuebook.cli.options import Folder
from issuebook.cli.proposals.show import ScopeName


def import_topics(
    study: Folder,
    topics: Annotated[Path, typer.Argument(metavar="TOPICS", help="A table: Topic, Count, Name, Representation.")],
    documents: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A table with a report (id or url) and its Topic a row.")
    ] = None,
    scope: Annotated[str, typer.Option("--scope", metavar="NAME", help="What the proposals are called.")] = "topics",
) -> None:
    """Take topics of another program as proposals.

    They are walked, accepted and merged like others.
    """
    from issuebook.adapters.files import read_files
    from issuebook.app.exchange_topics import import_topic_tables

    contents = read_files([topics])
    placed = read_files([documents]) if documents is not None else {}
    found = import_topic_tables(opened(study), contents, placed, scope)
    typer.echo(f"{len(found.proposals):,} proposals of {len(found.reports):,} reports in scope {found.scope.name}")


def export_topics(
    study: Folder,
    topics: Annotated[Path, typer.Argument(metavar="TOPICS", help="The file (CSV) that the topics go to.")],
    documents: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also the topic of every report, as CSV.")
    ] = None,
    scope: ScopeName = None,
) -> None:
    """Write proposals as a table of topics, as BERTopic does.

    The columns are those of its get_topic_info, and of get_document_info with --documents.
    """
    from issuebook.adapters.replacing import write_file
    from issuebook.app.proposals import state_of
    from issuebook.codebook.proposals.topic_table import topic_table

    table, placed = topic_table(state_of(opened(study), scope))
    write_file(topics, table.write_csv().encode())
    if documents is not None:
        write_file(documents, placed.write_csv().encode())
    typer.echo(f"Written to {topics}", err=True)
