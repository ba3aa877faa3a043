"""The workbench: its history of events, units with a full-text index, passwords and sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_SEARCH_SQLITE = (
    "CREATE VIRTUAL TABLE unit_texts USING fts5(title, body, project, keywords, content='units', "
    "content_rowid='number', tokenize='unicode61 remove_diacritics 0')",
    "CREATE TRIGGER units_added AFTER INSERT ON units BEGIN INSERT INTO unit_texts(rowid, title, body, project, "
    "keywords) VALUES (new.number, new.title, new.body, new.project, new.keywords); END",
    "CREATE TRIGGER units_changed AFTER UPDATE ON units BEGIN INSERT INTO unit_texts(unit_texts, rowid, title, body, "
    "project, keywords) VALUES ('delete', old.number, old.title, old.body, old.project, old.keywords); INSERT INTO "
    "unit_texts(rowid, title, body, project, keywords) VALUES (new.number, new.title, new.body, new.project, "
    "new.keywords); END",
)
_PUNCTUATION = r"[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+"  # all of ASCII that is no letter and no digit
_SEARCH_POSTGRES = (
    # A tsvector holds at most a megabyte; words beyond the first 200,000 characters of a body are not found.
    # Only letters and digits are given to it, or it takes foo.bar for a host and /a/b for a path, each one word.
    "ALTER TABLE units ADD COLUMN words tsvector GENERATED ALWAYS AS ("
    + " || ".join(
        f"setweight(to_tsvector('simple', regexp_replace({source}, '{_PUNCTUATION}', ' ', 'g')), '{weight}')"
        for source, weight in (("title", "A"), ("left(body, 200000)", "B"), ("project", "C"), ("keywords", "D"))
    )
    + ") STORED",
    "CREATE INDEX ix_units_words ON units USING gin (words)",
)


def upgrade() -> None:
    """Make the workbench's tables."""
    op.create_table(
        "history",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("client_key", sa.Text),
        sa.Column("payload", sa.Text, nullable=False),
        sa.UniqueConstraint("who", "client_key"),
    )
    op.create_table(
        "units",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("project", sa.Text, nullable=False),
        sa.Column("keywords", sa.Text, nullable=False),
        sa.Column("facts", sa.JSON, nullable=False),
    )
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in _SEARCH_SQLITE if on_sqlite else _SEARCH_POSTGRES:
        op.execute(statement)
    op.create_table(
        "unit_sources",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("units", sa.Integer, nullable=False),
    )
    op.create_table(
        "passwords",
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("hash", sa.Text, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column("person", sa.Text, nullable=False, index=True),
        sa.Column("csrf", sa.Text, nullable=False),
        sa.Column("expires", sa.Text, nullable=False),
    )
    op.create_table(
        "sign_in_attempts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("of", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Index("ix_sign_in_attempts_of_at", "of", "at"),
    )
