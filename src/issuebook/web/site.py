"""What every route needs: the open workbench, the settings of the site, and the templates."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pydantic_core import to_json

from issuebook.app.annotate.workbench import Workbench


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """How the site is reached.

    Attributes:
        loopback: whether only this machine can reach it; then one person needs no password while nobody has one.
        names: host names by which it may be asked for, beside ``localhost`` and addresses in digits.
    """

    loopback: bool = True
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Site:
    """One running site.

    Attributes:
        bench, settings, templates: what it serves, and how.
        secret: signs the tokens of forms that no session stands behind.
        counted: how often each code was given as far as a person may see, and when that was counted, by person.
    """

    bench: Workbench
    settings: SiteSettings
    templates: Environment
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    counted: dict[str, tuple[datetime, Mapping[str, Counter[str]]]] = field(default_factory=dict)


def make_site(bench: Workbench, settings: SiteSettings) -> Site:
    """Return the site of a workbench; a template that asks for what its context lacks is an error."""
    environment = Environment(
        loader=PackageLoader("issuebook.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["json"] = _json
    return Site(bench, settings, environment)


def site_of(request: Request) -> Site:
    """Return the site that a request came to."""
    return cast(Site, request.app.state.site)


def _json(value: object) -> Markup:
    """Return a value as JSON that can stand in a script element: no text in it can end the element."""
    text = to_json(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - the characters that mean something to HTML were replaced
