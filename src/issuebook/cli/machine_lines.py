"""What asking a model took, and what it cost: for every command that asks one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

if TYPE_CHECKING:
    from issuebook.app.machine_asking import Spent
    from issuebook.text.chat import Question

_CHARACTERS_A_TOKEN = 4
"""A rough figure for English, only for the estimate of ``--dry-run``."""

Model = Annotated[str, typer.Option(metavar="NAME", help="The model, as the endpoint calls it.")]
EndpointAddress = Annotated[
    str | None,
    typer.Option("--endpoint", metavar="URL", help="An OpenAI-compatible endpoint, e.g. http://127.0.0.1:8000/v1."),
]
Timeout = Annotated[float, typer.Option(min=1.0, metavar="SECONDS", help="How long one answer may take.")]
Price = Annotated[float | None, typer.Option(min=0.0, metavar="PRICE", help="Price of a million tokens.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the first question and the size; send nothing.")]
Replay = Annotated[bool, typer.Option("--replay", help="Use only answers that were kept; no network.")]


class Prices(NamedTuple):
    """Prices of a million tokens read and written; None where unknown."""

    read: float | None
    written: float | None

    def cost(self, read: float, written: float) -> float | None:
        """Return what tokens cost; None where a price is unknown."""
        if self.read is None or self.written is None:
            return None
        return (read * self.read + written * self.written) / 1_000_000


def require_endpoint(endpoint: str | None, *, dry_run: bool, replay: bool) -> None:
    """Refuse to begin where a model must answer and none is named.

    Raises:
        InputError: no endpoint is named, and it is neither a dry run nor a replay.
    """
    from issuebook.errors import Fault, InputError

    if endpoint is None and not (dry_run or replay):
        raise InputError(Fault("--endpoint", "say where the model answers.", "Or use --dry-run or --replay."))


def spent_lines(spent: Spent, prices: Prices) -> Iterator[str]:
    """Yield what a run took, and what it cost where prices are known."""
    sent = f"{spent.asked:,} answers came, {spent.kept:,} were there already"
    yield f"{sent}: {spent.tokens_read:,} tokens read, {spent.tokens_written:,} written."
    if spent.untold:
        yield f"{spent.untold:,} answers do not tell their tokens, so these are too few."
    cost = prices.cost(spent.tokens_read, spent.tokens_written)
    if cost is not None:
        yield f"Cost of this run: {cost:,.4f}"


def spent_json(spent: Spent, prices: Prices) -> dict[str, Any]:
    """Return the same with stable keys."""
    return {
        "questions": spent.asked,
        "kept_answers": spent.kept,
        "tokens_read": spent.tokens_read,
        "tokens_written": spent.tokens_written,
        "answers_without_tokens": spent.untold,
        "cost": prices.cost(spent.tokens_read, spent.tokens_written),
    }


class Outlay(NamedTuple):
    """What asking would take: characters to read, tokens to write, and the first question.

    Attributes:
        tokens: to read, about.
        cost: None where a price is unknown.
        first: the first question as it would be sent; None where there is none.
    """

    tokens: int
    cost: float | None
    first: dict[str, Any] | None


def outlay(characters: int, written: int, first: Question | None, prices: Prices) -> Outlay:
    """Return what asking would take: characters that are read, tokens that are written."""
    tokens = characters // _CHARACTERS_A_TOKEN
    return Outlay(tokens, prices.cost(tokens, written), None if first is None else json.loads(first.body))


def outlay_json(outlay: Outlay) -> dict[str, Any]:
    """Return it with stable keys."""
    return {"tokens_estimated": outlay.tokens, "cost_estimated": outlay.cost, "first": outlay.first}


def outlay_lines(outlay: Outlay, *notes: str) -> Iterator[str]:
    """Yield the cost, notes, and the first question as the model would read it."""
    if outlay.cost is not None:
        yield f"About {outlay.cost:,.2f} at these prices."
    yield from notes
    for message in outlay.first["messages"] if outlay.first is not None else []:
        yield f"\n--- {message['role']}\n{message['content']}"
