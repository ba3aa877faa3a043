"""The tables of what was collected from trackers. All but two can be made again from ``answers``."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Connection, Index, Integer, MetaData, String, Table, Text, inspect, text
from sqlalchemy.schema import CreateColumn

from issuebook.adapters.sql.tables import METADATA

TRACKER_METADATA = MetaData(naming_convention=METADATA.naming_convention)

TRACKERS = Table(
    "trackers",
    TRACKER_METADATA,
    Column("source", Text, primary_key=True),
    Column("state", Text, nullable=False),  # how far the collection is; stored together with the rows of each page
)

ANSWERS = Table(
    "answers",
    TRACKER_METADATA,
    Column("id", Integer, primary_key=True),
    Column("source", Text, nullable=False),
    Column("target", Text, nullable=False),  # path and query, never a token
    Column("task", Text, nullable=False),  # what was asked, as needed to read the answer again
    Column("status", Integer, nullable=False),
    Column("headers", Text, nullable=False),
    Column("sha256", String(64), nullable=False),  # the content, in data/raw
    Column("fetched_at", Text, nullable=False),
    Index("ix_answers_source_target", "source", "target"),
)

ITEMS = Table(
    "tracker_items",
    TRACKER_METADATA,
    Column("source", Text, primary_key=True),
    Column("number", Text, primary_key=True),
    Column("native_id", Text),
    Column("pull_request", Boolean, nullable=False),
    Column("updated_at", Text),
    Column("comments", Integer, nullable=False),  # how many the tracker says it has
    Column("seen_in", Integer, nullable=False),  # the last full walk that met it
    Column("comments_listed", Text),  # its updated_at when its comments were listed one report at a time
    Column("events_listed", Text),
    Column("loss", Text),  # null while it is there
    Column("moved_to", Text),
    Column("answer_id", Integer, nullable=False),
    Column("payload", Text),  # null for a number that never led to a report; last, so that the rest is read without it
    Index("ix_tracker_items_source_loss", "source", "loss", "pull_request"),
)

COMMENTS = Table(
    "tracker_comments",
    TRACKER_METADATA,
    Column("source", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("number", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("gone", Boolean, nullable=False),
    Column("answer_id", Integer, nullable=False),
    Column("parent", Text),  # the comment that it replies to, where replies are not among the report's count
    Column("replies", Integer, nullable=False, server_default="0"),  # how many the tracker says it has
    Index("ix_tracker_comments_source_number", "source", "number"),
)

TRACKER_EVENTS = Table(
    "tracker_events",
    TRACKER_METADATA,
    Column("source", Text, primary_key=True),
    Column("number", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("payload", Text, nullable=False),
    Column("gone", Boolean, nullable=False),
    Column("answer_id", Integer, nullable=False),
)

LABELS = Table(
    "tracker_labels",
    TRACKER_METADATA,
    Column("source", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("payload", Text, nullable=False),
    Column("answer_id", Integer, nullable=False),
)

ADDED = (COMMENTS.c.parent, COMMENTS.c.replies)
"""Columns that databases of the first version lack."""
DERIVED = (ITEMS, COMMENTS, TRACKER_EVENTS, LABELS)


def make_tracker_tables(connection: Connection) -> None:
    """Make the tables, or add the columns that an older version's lack; each has a value for the rows there are."""
    TRACKER_METADATA.create_all(connection, checkfirst=True)
    for column in ADDED:
        there = {one["name"] for one in inspect(connection).get_columns(column.table.name)}
        if column.name not in there:
            told = CreateColumn(column).compile(dialect=connection.dialect)
            connection.execute(text(f"ALTER TABLE {column.table.name} ADD COLUMN {told}"))
