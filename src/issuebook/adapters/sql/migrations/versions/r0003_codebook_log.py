"""The codebook's history."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the codebook's history; it is there already in a database that was made before revisions were counted."""
    if sa.inspect(op.get_bind()).has_table("codebook_log"):
        return
    op.create_table(
        "codebook_log",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("text", sa.Text, nullable=False),
    )
