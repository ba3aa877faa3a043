"""What every route needs: the open workbench, the settings of the site, and the templates."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import cast

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pydantic_core import to_json

from issuebook.app.annotate.workbench import Workbench
from issuebook.app.taxonomy.desk import CodebookDesk


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
        codebook: the codebook with its history, and what is counted under its versions.
    """

    bench: Workbench
    settings: SiteSettings
    templates: Environment
    codebook: CodebookDesk
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)


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
    return Site(bench, settings, environment, CodebookDesk(bench))


def site_of(request: Request) -> Site:
    """Return the site that a request came to."""
    return cast(Site, request.app.state.site)


def _json(value: object) -> Markup:
    """Return a value as JSON that can stand in a script element: no text in it can end the element."""
    text = to_json(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - the characters that mean something to HTML were replaced
