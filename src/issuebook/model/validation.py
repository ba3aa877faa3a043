"""From plain data to a frozen value: every fault of a file at once, each with its key path."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from issuebook.errors import Fault, StudyError


class Value(BaseModel):
    """Base of every value that a study's files describe: frozen, and unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


M = TypeVar("M", bound=BaseModel)


def validate(model: type[M], data: Mapping[str, Any], file: str) -> M:
    """Return ``data`` as a ``model``.

    Raises:
        StudyError: with one fault a wrong key, naming ``file``, the key path and, for an unknown key, the nearest
            valid one.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise StudyError([_fault(detail, model, file) for detail in error.errors()]) from None


def nearest(word: str, choices: Sequence[str]) -> str:
    """Return a sentence that names the choice nearest to ``word``, or all choices when none is near."""
    close = difflib.get_close_matches(word.lower(), [choice.lower() for choice in choices], n=1, cutoff=0.6)
    if close:
        match = next(choice for choice in choices if choice.lower() == close[0])
        return f"Did you mean {match!r}?"
    return f"Known: {', '.join(choices)}." if choices else ""


def key_path(location: Sequence[str | int]) -> str:
    """Return a location as a person writes it: ``ratings[0].unit``."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def _fault(detail: Any, model: type[BaseModel], file: str) -> Fault:
    location: tuple[str | int, ...] = detail["loc"]
    where = f"{file}: {key_path(location)}" if location else file
    if detail["type"] == "extra_forbidden":
        unknown = str(location[-1])
        return Fault(where, f"unknown key {unknown!r}.", nearest(unknown, _keys_at(model, location[:-1])))
    if detail["type"] == "missing":
        return Fault(where, "this key is required.")
    if detail["type"] == "literal_error":
        return Fault(where, f"{detail['input']!r} is not one of {detail['ctx']['expected']}.")
    message = str(detail["msg"]).removeprefix("Value error, ")
    given = detail["input"]
    if isinstance(given, str | int | float | bool):
        return Fault(where, f"{message} (given: {given!r}).")
    return Fault(where, message if message.endswith(".") else f"{message}.")


def _keys_at(model: type[BaseModel], location: Sequence[str | int]) -> list[str]:
    """Return the keys that are valid at a location inside a model, in order of declaration."""
    current: type[BaseModel] | None = model
    for part in location:
        if isinstance(part, int) or current is None:
            continue  # an index into a list, or a key of a free mapping: the model stays the same
        field = next((f for name, f in current.model_fields.items() if part in (name, f.alias)), None)
        current = _model_in(field.annotation) if field else current
    return [f.alias or name for name, f in current.model_fields.items()] if current else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
