"""Calls of quantities, as text: ``share("C.6", "C.7", of="C")``. Parsed, never evaluated as Python."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from issuebook.errors import ExpressionError, Fault
from issuebook.model.validation import nearest

Literal = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Call:
    """A call with literal arguments.

    Attributes:
        name: the quantity's name.
        args: positional arguments.
        kwargs: named arguments, sorted by name.
    """

    name: str
    args: tuple[Literal, ...] = ()
    kwargs: tuple[tuple[str, Literal], ...] = ()

    def __str__(self) -> str:
        written = [_quoted(arg) for arg in self.args]
        written += [f"{key}={_quoted(value)}" for key, value in self.kwargs]
        return f"{self.name}({', '.join(written)})"


def call(name: str, *args: Literal, **kwargs: Literal | None) -> Call:
    """Return a call; named arguments that are None are left out."""
    given = {key: value for key, value in kwargs.items() if value is not None}
    return Call(name, args, tuple(sorted(given.items())))


def parse(text: str, where: str = "expression") -> Call:
    """Return the call that ``text`` writes.

    Raises:
        ExpressionError: the text is not one call, or an argument is not a literal text or number.
    """
    if len(text) > _LONGEST:
        raise ExpressionError(Fault(where, f"an expression of {len(text):,} characters is too long.", _EXAMPLE))
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ExpressionError(Fault(where, f"{text!r} is not a call.", _EXAMPLE)) from None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise ExpressionError(Fault(where, f"{text!r} is not a call of one quantity.", _EXAMPLE))
    if any(keyword.arg is None for keyword in node.keywords):
        raise ExpressionError(Fault(where, f"{text!r} unpacks its arguments.", _EXAMPLE))
    args = tuple(_literal(arg, text, where) for arg in node.args)
    kwargs = tuple(sorted((str(k.arg), _literal(k.value, text, where)) for k in node.keywords))
    return Call(node.func.id, args, kwargs)


def check(asked: Call, functions: Mapping[str, Callable[..., object]], where: str = "expression") -> None:
    """Check that a call names a quantity and that its arguments fit.

    Args:
        asked: the call.
        functions: the quantities by name; the first parameter of each (the facts) is supplied by issuebook.
        where: the file and key to name in an error.

    Raises:
        ExpressionError: no such quantity (the nearest is named), or arguments that do not fit its signature.
    """
    function = functions.get(asked.name)
    if function is None:
        raise ExpressionError(Fault(where, f"no quantity {asked.name!r}.", nearest(asked.name, list(functions))))
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())[1:]
    usage = f"Write {asked.name}({', '.join(_shown(p) for p in parameters)})."
    try:
        bound = signature.replace(parameters=parameters).bind(*asked.args, **dict(asked.kwargs))
    except TypeError as error:
        raise ExpressionError(Fault(where, f"{asked}: {error}.", usage)) from None
    for name, value in bound.arguments.items():
        wrong = [v for v in (value if isinstance(value, tuple) else (value,)) if not isinstance(v, str)]
        if wrong:
            raise ExpressionError(Fault(where, f"{asked}: {name} must be text, not {wrong[0]!r}.", usage))


_LONGEST = 2_000
_EXAMPLE = 'Write one call with literal arguments, like share("C.1", of="C").'


def _literal(node: ast.expr, text: str, where: str) -> Literal:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bool):
        return node.value
    raise ExpressionError(Fault(where, f"{text!r} has an argument that is not a literal text or number.", _EXAMPLE))


def _quoted(value: Literal) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' if isinstance(value, str) else str(value)


def _shown(parameter: inspect.Parameter) -> str:
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return f"*{parameter.name}"
    return parameter.name if parameter.default is inspect.Parameter.empty else f"{parameter.name}=…"
