"""The tables of the study's database."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

BATCHES = Table(
    "batches",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("key", String(64), nullable=False),  # what was read and how; the same key gives the same rows
    Column("facet", Text, nullable=False),
    Column("read", Integer, nullable=False),
    Column("kept", Integer, nullable=False),
    Column("annotators", JSON, nullable=False),  # all of them, in their order, also one who rated nothing
    Column("appended_at", Text, nullable=False),
    Column("retired_by", ForeignKey("batches.id")),  # the batch that took its place; null while it holds
)

FILES = Table(
    "files",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("batch_id", ForeignKey("batches.id"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("rows", Integer, nullable=False),
)

ITEMS = Table(
    "items",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("batch_id", ForeignKey("batches.id"), nullable=False),
    Column("item", Integer, nullable=False),  # number within the batch
    Column("unit", Text, nullable=False),
    Column("project", Text),
    Column("group", Text),
    Column("source", Text, nullable=False),
    Column("line", Integer, nullable=False),
    Index("ix_items_batch_item", "batch_id", "item", unique=True),
)

EVENTS = Table(
    "rating_events",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("item_id", ForeignKey("items.id"), nullable=False, index=True),
    Column("kind", String(5), nullable=False),
    Column("annotator", Text),  # null for a released final code: nobody's rating
    Column("code", Text, nullable=False),
    CheckConstraint("kind IN ('rated', 'final')", name="kind"),
    CheckConstraint("(kind = 'rated') = (annotator IS NOT NULL)", name="annotator"),
)

SET_ASIDE = Table(
    "set_aside",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("batch_id", ForeignKey("batches.id"), nullable=False, index=True),
    Column("kind", String(11), nullable=False),
    Column("source", Text, nullable=False),
    Column("line", Integer),
    Column("unit", Text),
    Column("cell", Text),
    Column("reason", Text, nullable=False),
    Column("text", Text),
    CheckConstraint("kind IN ('excluded', 'quarantined')", name="kind"),
)

HISTORY = Table(
    "history",
    METADATA,
    Column("seq", Integer, primary_key=True, autoincrement=False),  # 1, 2, 3 ... without a gap
    Column("at", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("client_key", Text),  # null for what cannot be sent twice
    Column("payload", Text, nullable=False),  # JSON; what only this kind of event says
    UniqueConstraint("who", "client_key"),
)

UNITS = Table(
    "units",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("project", Text, nullable=False),
    Column("keywords", Text, nullable=False),  # the keywords that hit, a line each
    Column("facts", JSON, nullable=False),  # url, labels, state, created_at, comments, hits: what only a page shows
)

UNIT_SOURCES = Table(
    "unit_sources",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("sha256", String(64), nullable=False),
    Column("units", Integer, nullable=False),
)

PASSWORDS = Table(
    "passwords",
    METADATA,
    Column("person", Text, primary_key=True),
    Column("hash", Text, nullable=False),  # argon2id, with its parameters
)

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("token_hash", String(64), primary_key=True),  # SHA-256: the token itself is only in the cookie
    Column("person", Text, nullable=False, index=True),
    Column("csrf", Text, nullable=False),
    Column("expires", Text, nullable=False),
)

ATTEMPTS = Table(
    "sign_in_attempts",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("of", Text, nullable=False),  # person:NAME or client:ADDRESS
    Column("at", Text, nullable=False),
    Index("ix_sign_in_attempts_of_at", "of", "at"),
)

CODEBOOK_LOG = Table(
    "codebook_log",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=False),  # 0 is the codebook that the history began with
    Column("text", Text, nullable=False),  # JSON: a codebook for 0, an entry for all others
)
