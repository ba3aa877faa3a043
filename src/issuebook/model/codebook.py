"""The codebook: facets, and in each a tree of codes with definitions, criteria and examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from issuebook.model.validation import Value


class Example(Value):
    """A unit that carries a code, and why it is a good example."""

    unit: str
    note: str = ""


class Code(Value):
    """One node of a facet's tree.

    Attributes:
        id: stable id, the text that ratings carry, e.g. ``C.6`` or ``C.2.iv``.
        name: what people call it; unique among siblings.
        definition: what the code means.
        include: criteria that make a unit belong here.
        exclude: criteria that send a unit elsewhere, and where.
        examples: units that carry the code.
        origin: where the code came from, e.g. ``labels`` or ``interviews``.
        status: ``unnamed`` marks a code that exists although its name was never published.
        also: other names in use for the same code.
        note: anything a reader of the codebook should know.
        codes: child codes, in order.
    """

    id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    definition: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    origin: str = ""
    status: Literal["active", "unnamed", "retired"] = "active"
    also: tuple[str, ...] = ()
    note: str = ""
    codes: tuple[Code, ...] = ()


class Node(NamedTuple):
    """A code with its place in the tree: ``depth`` 0 is the top level, ``path`` the ids from the top to the code."""

    code: Code
    depth: int
    path: tuple[str, ...]


class Facet(Value):
    """One dimension of labelling with its own tree.

    Attributes:
        id: name used by settings and ratings, e.g. ``theme``.
        name: heading for people.
        question: what an annotator answers.
        levels: name of each depth, e.g. type, theme, sub-theme. The tree may be shallower, never deeper.
        codes: the codes of the top level; none where a study begins.
    """

    id: str = Field(min_length=1)
    name: str = ""
    question: str = ""
    levels: tuple[str, ...] = Field(default=("code",), min_length=1)
    codes: tuple[Code, ...] = ()

    @model_validator(mode="after")
    def _tree_is_sound(self) -> Facet:
        wrong = [*_repeated_ids(self), *_too_deep(self), *_repeated_names(self.codes, "the top level")]
        if wrong:
            raise ValueError("; ".join(wrong))
        return self

    def walk(self) -> Iterator[Node]:
        """Yield every code of the tree, parents before children, siblings in order."""
        pending = [Node(code, 0, (code.id,)) for code in reversed(self.codes)]
        while pending:
            node = pending.pop()
            yield node
            children = (Node(child, node.depth + 1, (*node.path, child.id)) for child in node.code.codes)
            pending.extend(reversed(list(children)))

    @cached_property
    def nodes(self) -> dict[str, Node]:
        """Every code with its place, by id."""
        return {node.code.id: node for node in self.walk()}

    def depth_of(self, level: str) -> int:
        """Return the depth of a level by its name; 0 is the top.

        Raises:
            KeyError: the facet has no level of that name.
        """
        if level not in self.levels:
            raise KeyError(level)
        return self.levels.index(level)

    def at_depth(self, depth: int) -> tuple[Code, ...]:
        """Return the codes of one depth in the order of the tree."""
        return tuple(node.code for node in self.walk() if node.depth == depth)

    def ancestor(self, code: str, depth: int) -> str:
        """Return the id of the ancestor of ``code`` at ``depth``; a code that lies above ``depth`` is its own."""
        path = self.nodes[code].path
        return path[min(depth, len(path) - 1)]

    def under(self, code: str) -> tuple[str, ...]:
        """Return the id of ``code`` and of all that lies below it."""
        return tuple(node.code.id for node in self.nodes.values() if code in node.path)


class Codebook(Value):
    """All facets of a study, released under a version."""

    name: str
    version: str = "1"
    language: str = "en"
    note: str = ""
    facets: tuple[Facet, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _facets_differ(self) -> Codebook:
        repeated = [name for name, count in Counter(facet.id for facet in self.facets).items() if count > 1]
        if repeated:
            raise ValueError(f"facets with the same id: {', '.join(repeated)}")
        return self

    def facet(self, name: str) -> Facet:
        """Return a facet by its id.

        Raises:
            KeyError: the codebook has no facet of that id.
        """
        for facet in self.facets:
            if facet.id == name:
                return facet
        raise KeyError(name)


def _repeated_ids(facet: Facet) -> list[str]:
    counts = Counter(node.code.id for node in facet.walk())
    return [f"code {code!r} stands {count} times" for code, count in counts.items() if count > 1]


def _too_deep(facet: Facet) -> list[str]:
    deepest = len(facet.levels)
    return [
        f"code {n.code.id!r} lies below the last level {facet.levels[-1]!r}; name one more in 'levels'"
        for n in facet.walk()
        if n.depth >= deepest
    ]


def _repeated_names(siblings: tuple[Code, ...], parent: str) -> list[str]:
    counts = Counter(code.name.casefold() for code in siblings if code.status != "unnamed")
    wrong = [f"name {name!r} stands {count} times under {parent}" for name, count in counts.items() if count > 1]
    for code in siblings:
        wrong += _repeated_names(code.codes, code.id)
    return wrong
