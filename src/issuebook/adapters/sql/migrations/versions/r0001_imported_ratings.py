"""Imported ratings: batches of events with their files, items, and what was set aside."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables that databases had before revisions were counted."""
    op.create_table(
        "batches",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("facet", sa.Text, nullable=False),
        sa.Column("read", sa.Integer, nullable=False),
        sa.Column("kept", sa.Integer, nullable=False),
        sa.Column("annotators", sa.JSON, nullable=False),
        sa.Column("appended_at", sa.Text, nullable=False),
        sa.Column("retired_by", sa.Integer, sa.ForeignKey("batches.id")),
    )
    op.create_table(
        "files",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("batch_id", sa.Integer, sa.ForeignKey("batches.id"), nullable=False, index=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("rows", sa.Integer, nullable=False),
    )
    op.create_table(
        "items",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("batch_id", sa.Integer, sa.ForeignKey("batches.id"), nullable=False),
        sa.Column("item", sa.Integer, nullable=False),
        sa.Column("unit", sa.Text, nullable=False),
        sa.Column("project", sa.Text),
        sa.Column("group", sa.Text),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Index("ix_items_batch_item", "batch_id", "item", unique=True),
    )
    op.create_table(
        "rating_events",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), nullable=False, index=True),
        sa.Column("kind", sa.String(5), nullable=False),
        sa.Column("annotator", sa.Text),
        sa.Column("code", sa.Text, nullable=False),
        sa.CheckConstraint("kind IN ('rated', 'final')", name="kind"),
        sa.CheckConstraint("(kind = 'rated') = (annotator IS NOT NULL)", name="annotator"),
    )
    op.create_table(
        "set_aside",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("batch_id", sa.Integer, sa.ForeignKey("batches.id"), nullable=False, index=True),
        sa.Column("kind", sa.String(11), nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("line", sa.Integer),
        sa.Column("unit", sa.Text),
        sa.Column("cell", sa.Text),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("text", sa.Text),
        sa.CheckConstraint("kind IN ('excluded', 'quarantined')", name="kind"),
    )
