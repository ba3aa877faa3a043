"""Runs migrations on the connection that ``adapters.sql.schema`` hands over."""

from alembic import context

from issuebook.adapters.sql.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
