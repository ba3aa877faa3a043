"""Whether what an annotator chose can be written down: codes exist, every question has its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from issuebook.annotation.events import Answer
from issuebook.errors import Fault
from issuebook.model.annotation import Gate
from issuebook.model.codebook import Facet
from issuebook.model.validation import nearest

LONGEST_MEMO = 20_000
LONGEST_KEY = 200

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def faults_of(answers: Sequence[Answer], facets: Sequence[Facet], gate: Gate | None) -> list[Fault]:
    """Return everything that is wrong with the answers to a unit's questions.

    Args:
        answers: the answers.
        facets: what is asked, all of it unless the gate is shut.
        gate: the facet whose answer can end the questions, or None.
    """
    asked = {facet.id: facet for facet in facets}
    given = [answer.facet for answer in answers]
    faults = [Fault(name, "answered twice.") for name in asked if given.count(name) > 1]
    faults += [Fault(name, "this is not asked.", nearest(name, list(asked))) for name in given if name not in asked]
    for answer in answers:
        if answer.facet in asked:
            faults += answer_faults(answer, asked[answer.facet])
    if not is_shut(answers, facets, gate):
        faults += [
            Fault(name, "no code is chosen.", facet.question) for name, facet in asked.items() if name not in given
        ]
    return faults


def answer_faults(answer: Answer, facet: Facet) -> list[Fault]:
    """Return what is wrong with one answer."""
    faults = []
    for code in (answer.code, *answer.secondary):
        node = facet.nodes.get(code)
        if node is None:
            faults.append(Fault(facet.id, f"no code {code!r}.", nearest(code, list(facet.nodes)[:20])))
        elif node.code.status == "retired":
            faults.append(Fault(facet.id, f"code {code!r} is retired.", node.code.note))
    if len({answer.code, *answer.secondary}) <= len(answer.secondary):
        faults.append(Fault(facet.id, "the same code is chosen twice."))
    return faults


def is_shut(answers: Sequence[Answer], facets: Sequence[Facet], gate: Gate | None) -> bool:
    """Return whether the answer to the gate's facet ends the questions."""
    if gate is None:
        return False
    facet = next((facet for facet in facets if facet.id == gate.facet), None)
    answer = next((answer for answer in answers if answer.facet == gate.facet), None)
    if facet is None or answer is None or answer.code not in facet.nodes:
        return False
    return any(code in gate.drop for code in facet.nodes[answer.code].path)


def storable(text: str) -> str:
    """Return a text without what no database takes: NUL and lone surrogates become U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)
