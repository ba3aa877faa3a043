"""From computed facts to what people read: quantities, claims, tables, figures, HTML. No files are touched here."""
