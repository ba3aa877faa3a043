"""A decision about proposals as a form sends it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from issuebook.app import decide_proposals
from issuebook.app.cluster import ClusterRequest, cluster
from issuebook.app.codebook import Author
from issuebook.app.decide_proposals import Division
from issuebook.app.proposals import known_set
from issuebook.app.services import Services
from issuebook.codebook.proposals.new_code import NewCode
from issuebook.errors import EditError, Fault

_SHORT = Field(default="", max_length=1_000)
_MANY = Field(default=(), max_length=5_000)


class SentDecision(BaseModel):
    """A decision as its form sends it.

    Attributes:
        kind: what is decided; ``split-off`` takes the ticked reports out, ``cut`` asks for another number of groups.
        scope, proposal: what it is about.
        goal: the code or proposal to send or move to: ``FACET CODE``, or the id of a proposal.
        code, name, definition, parent: the new code; ``parent`` is ``FACET CODE``, or the facet for its top.
            ``name`` is also what a proposal is called when it is renamed.
        include, exclude: its criteria, one a line.
        other: proposals that are merged into this one.
        report: reports that were ticked.
        keyword, groups: how to split, or how many groups to cut into.
        decision: what an undo takes back.
    """

    model_config = ConfigDict(frozen=True)
    kind: Literal["accept", "rename", "send", "reject", "merge", "split", "split-off", "move", "undo", "cut"] = "accept"
    scope: str = _SHORT
    proposal: str = _SHORT
    why: str = Field(default="", max_length=5_000)
    goal: str = _SHORT
    code: str = _SHORT
    name: str = _SHORT
    definition: str = Field(default="", max_length=20_000)
    parent: str = _SHORT
    include: str = Field(default="", max_length=20_000)
    exclude: str = Field(default="", max_length=20_000)
    other: tuple[str, ...] = _MANY
    report: tuple[str, ...] = _MANY
    keyword: str = _SHORT
    groups: str = Field(default="", pattern=r"^[0-9]{0,4}$")
    decision: str = _SHORT

    def carry_out(self, services: Services, person: str) -> None:  # noqa: C901 - one case a kind
        """Let the decision be made.

        Raises:
            EditError: something is missing, or it does not fit.
            InputError: what was clustered is no more.
        """
        author = Author(person, self.why.strip())
        match self.kind:
            case "accept":
                decide_proposals.accept(services, self.proposal, self._new_code(), author)
            case "rename":
                decide_proposals.rename(services, self.proposal, self.name, author)
            case "send":
                facet, code = self._goal()
                decide_proposals.send(services, self.proposal, code, facet, author)
            case "reject":
                decide_proposals.reject(services, [self.proposal], author)
            case "merge":
                decide_proposals.merge(services, [[self.proposal, *self.other]], author)
            case "split":
                self._split(services, author)
            case "split-off":
                self._require_ticked("split")
                decide_proposals.split(services, self.proposal, Division(reports=self.report), author)
            case "move":
                self._move(services, author)
            case "undo":
                decide_proposals.undo(services, self.decision, author)
            case "cut":
                self._cut(services)

    def _new_code(self) -> NewCode:
        faults = [
            Fault(key, "an accepted proposal needs one.", "Say it in your own words.")
            for key in ("code", "name", "definition")
            if not getattr(self, key).strip()
        ]
        if faults:
            raise EditError(faults)
        facet, _, parent = self.parent.partition(" ")
        return NewCode(
            id=self.code.strip(),
            name=self.name.strip(),
            parent=parent or None,
            facet=facet or None,
            definition=self.definition.strip(),
            include=_lines(self.include),
            exclude=_lines(self.exclude),
        )

    def _goal(self) -> tuple[str | None, str]:
        facet, _, code = self.goal.partition(" ")
        if not self.goal:
            raise EditError(Fault("to", "say where they go."))
        return (facet, code) if code else (None, facet)

    def _split(self, services: Services, author: Author) -> None:
        groups = int(self.groups) if self.groups else None
        if self.keyword.strip() and groups is not None:
            raise EditError(Fault("split", "by a word or by a number: one of them."))
        decide_proposals.split(services, self.proposal, Division(groups, self.keyword.strip() or None), author)

    def _move(self, services: Services, author: Author) -> None:
        facet, to = self._goal()
        self._require_ticked("move")
        decide_proposals.move(services, self.report, to, author, facet=facet, scope=self.scope)

    def _require_ticked(self, what: str) -> None:
        if not self.report:
            raise EditError(Fault(what, "no report is ticked."))

    def _cut(self, services: Services) -> None:
        found = known_set(services, self.scope)
        if found is None or not self.groups or int(self.groups) < 2:
            raise EditError(Fault("groups", "there are two at least."))
        cluster(services, ClusterRequest(found.scope, int(self.groups)))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())
