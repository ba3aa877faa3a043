"""Codes as other programs write them: ids, names, or paths of names from the top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from issuebook.model.codebook import Codebook, Facet


class CodeNames:
    """Finds the code that a path of names or ids means in a facet."""

    def __init__(self, facet: Facet) -> None:
        """Take the facet; a name that several codes have finds one only with its path."""
        self.facet = facet.id
        self._ids = set(facet.nodes)
        self._paths: dict[tuple[str, ...], str] = {}
        self._single: dict[str, str | None] = {}
        for code, node in facet.nodes.items():
            path = tuple(_folded(facet.nodes[one].code.name) for one in node.path)
            self._paths.setdefault(path, code)
            for name in {path[-1], *(_folded(also) for also in node.code.also)}:
                self._single[name] = code if name not in self._single else None

    def find(self, path: Sequence[str]) -> str | None:
        """Return the id of the code at the end of a path (from the top, or the code alone), or None."""
        if not path:
            return None
        if path[-1] in self._ids:
            return path[-1]
        names = tuple(_folded(name) for name in path)
        return self._paths.get(names) or self._single.get(names[-1])


class Facets:
    """Finds the facet and the code that a control of another program stands for."""

    def __init__(self, codebook: Codebook, named: Mapping[str, str]) -> None:
        """Take the codebook, and facets by names that a file has for them."""
        self.names = {facet.id: CodeNames(facet) for facet in codebook.facets}
        self._mapped = bool(named)
        self._named = {**{_folded(facet.name): facet.id for facet in codebook.facets if facet.name}, **named}

    def facet(self, control: str) -> CodeNames | None:
        """Return the facet of a control: the one it is mapped to, of its id or name, or the only one there is."""
        found = self._named.get(control, control)
        if found not in self.names:
            found = self._named.get(_folded(control), "")
        if found in self.names:
            return self.names[found]
        return next(iter(self.names.values())) if len(self.names) == 1 and not self._mapped else None

    def any(self, path: Sequence[str]) -> tuple[str, str] | None:
        """Return facet and code that a path means where no facet is told; None unless one facet alone has it."""
        found = [(name, code) for name, codes in self.names.items() if (code := codes.find(path)) is not None]
        return found[0] if len(found) == 1 else None


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
