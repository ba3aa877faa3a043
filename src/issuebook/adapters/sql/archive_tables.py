"""The hours of GH Archive; reports and comments stand in the tables of the trackers, as ``gharchive:owner/name``."""

from __future__ import annotations

from sqlalchemy import Column, Integer, MetaData, String, Table, Text, UniqueConstraint

from issuebook.adapters.sql.tables import METADATA

ARCHIVE_METADATA = MetaData(naming_convention=METADATA.naming_convention)

HOURS = Table(
    "archive_hours",
    ARCHIVE_METADATA,
    Column("id", Integer, primary_key=True),
    Column("source", Text, nullable=False),
    Column("hour", String(13), nullable=False),
    Column("state", String(7), nullable=False),  # read, broken, missing
    Column("size", Integer, nullable=False),  # of the file, which is not kept
    Column("sha256", String(64), nullable=False),
    Column("lines", Integer, nullable=False),
    Column("damaged", Integer, nullable=False),
    Column("damage", Text, nullable=False),  # JSON: line, offset, length and reason of the first damaged places
    Column("events", Integer, nullable=False),
    Column("kept", String(64)),  # the events, in data/raw; null for none
    Column("elsewhere", Integer, nullable=False),
    Column("unread", Text, nullable=False),  # JSON: reasons
    Column("repository_id", Text),
    Column("read_at", Text, nullable=False),
    UniqueConstraint("source", "hour"),
)
