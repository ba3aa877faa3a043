"""Changes of the database's tables, one short file each; ``adapters.sql.schema`` runs them."""
