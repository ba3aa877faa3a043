"""Questions to a language model as OpenAI's chat completions have them, and what of an answer can be read.

An answer is believed only where it is one whole JSON object that says nothing twice. Nothing is guessed or repaired.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a model.

    Attributes:
        about: id of what it is about.
        body: what is sent, as JSON.
        left_out: characters that were left out because they are too many.
    """

    about: str
    body: bytes
    left_out: int = 0

    @property
    def digest(self) -> str:
        """The name under which the answer is kept: the same question has the same one."""
        return hashlib.sha256(self.body).hexdigest()


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens read and written; None where the endpoint does not tell."""

    read: int | None = None
    written: int | None = None


@dataclass(frozen=True, slots=True)
class Unusable:
    """An answer that cannot be used, and why."""

    why: str
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class Shape:
    """What answers must look like: a JSON schema with a name, and the model and seed that answer."""

    name: str
    schema: Mapping[str, Any]
    model: str
    seed: int


def question_body(instructions: str, data: str, shape: Shape, attempt: int = 0) -> bytes:
    """Return what is sent: instructions, and data in a message of its own.

    Args:
        instructions: what to do; nothing of strangers is in it.
        data: what to do it with, as a JSON text that nothing in it can end, for strangers may have written it.
        shape: of the answer.
        attempt: how often it was asked before; it changes the seed, and so the question.
    """
    body = {
        "model": shape.model,
        "messages": [{"role": "system", "content": instructions}, {"role": "user", "content": data}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": shape.name, "strict": True, "schema": shape.schema},
        },
        "temperature": 0,
        "seed": shape.seed + attempt,
        "n": 1,
    }
    return json.dumps(body, ensure_ascii=False).encode()


def read_answer(content: bytes, read: Callable[[dict[str, Any], Tokens], Read]) -> Read | Unusable:
    """Return what ``read`` makes of the one JSON object that an endpoint answered, or why it cannot be used.

    ``read`` says what is wrong by a ValueError, in words.
    """
    tokens = Tokens()
    try:
        answer = as_object(json.loads(content, object_pairs_hook=_once))
        tokens = _tokens(answer.get("usage"))
        return read(as_object(json.loads(_message(answer), object_pairs_hook=_once)), tokens)
    except RecursionError:
        return Unusable("the answer is nested too deeply", tokens)
    except ValueError as error:
        not_json = isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
        return Unusable("the answer is not JSON" if not_json else str(error), tokens)


def as_object(value: Any) -> dict[str, Any]:
    """Return a part of an answer that must be a JSON object.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, dict):
        raise ValueError("the answer is no JSON object")
    return value


def short(text: str) -> str:
    """Return the beginning of a text that an answer holds, for a message."""
    return text if len(text) <= 60 else f"{text[:59]}…"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("the answer says something twice")
    return dict(pairs)


def _message(answer: dict[str, Any]) -> str:
    choices = answer.get("choices")
    if not isinstance(choices, list) or len(choices) != 1:
        number = len(choices) if isinstance(choices, list) else 0
        raise ValueError(f"{number} answers came instead of one")
    choice = as_object(choices[0])
    if choice.get("finish_reason") in {"length", "content_filter"}:
        raise ValueError(f"the answer breaks off ({choice['finish_reason']})")
    text = as_object(choice.get("message")).get("content")
    if not isinstance(text, str) or not text.strip():
        raise ValueError("the answer is empty")
    return text


def _tokens(usage: Any) -> Tokens:
    if not isinstance(usage, dict):
        return Tokens()
    read, written = (usage.get(name) for name in ("prompt_tokens", "completion_tokens"))
    return Tokens(_count(read), _count(written))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None
