"""``issuebook proposals …``: what ``issuebook cluster`` proposed, and what a person makes of it."""

from __future__ import annotations

import typer

from issuebook.cli.proposals import decide, exchange, name, show

app = typer.Typer(
    help="Decide about codes that 'issuebook cluster' found.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command()(show.show)
app.command()(show.log)
app.command()(name.name)
app.command()(decide.accept)
app.command()(decide.rename)
app.command()(decide.send)
app.command()(decide.merge)
app.command()(decide.split)
app.command()(decide.reject)
app.command()(decide.move)
app.command()(decide.undo)
app.command("import")(exchange.import_topics)
app.command("export")(exchange.export_topics)
