"""``issuebook codebook …``: the taxonomy of a study, its history, its versions, its checks."""

from __future__ import annotations

import typer

from issuebook.cli.codebook import check, edit, exchange, versions

app = typer.Typer(
    help="The taxonomy of a study: its history, versions and checks.", no_args_is_help=True, rich_markup_mode=None
)
app.command()(versions.show)
app.command()(edit.edit)
app.command()(versions.log)
app.command()(versions.diff)
app.command()(versions.release)
app.command()(versions.migrate)
app.command()(check.check)
app.command("import")(exchange.import_codebook)
app.command("export")(exchange.export_codebook)
