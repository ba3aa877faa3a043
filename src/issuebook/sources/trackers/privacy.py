"""People in a tracker's answers: pseudonyms for accounts, and a mask over mentions and e-mail addresses in texts.

A pseudonym is an HMAC of the login with the study's own salt: one person has one pseudonym all through a study and
another in the next study, and without the salt a list of logins is of no use to find out who is who.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable
from typing import Any

Pseudonym = Callable[[str], str]

_CONTACTS = frozenset({"email", "author_email", "committer_email", "avatar_url", "gravatar_id", "human_name"})
_NAMES = frozenset({"project_creator", "members", "actor_login"})
_EMAIL = re.compile(r"(?<![\w.+-])(?!git@)[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?!:[\w/])")
_MENTION = re.compile(r"(?<![\w/.`@+-])@([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}[A-Za-z0-9])?)(?![\w@/])")
_CODE = re.compile(r"(```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`)", re.DOTALL)


def pseudonyms(salt: bytes) -> Pseudonym:
    """Return the function from logins to pseudonyms of a study; upper and lower case are the same login."""

    def pseudonym(login: str) -> str:
        digest = hmac.new(salt, login.lower().encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return f"person-{digest[:16]}"

    return pseudonym


def veil(value: Any, pseudonym: Pseudonym) -> Any:
    """Return a JSON value with every account replaced by its pseudonym and its type, and contact details left out.

    An account is an object that has a ``login``. Association, times, texts and all else stay as they are; texts are
    masked where they leave the study, by ``masked``.
    """
    if isinstance(value, list):
        return [veil(one, pseudonym) for one in value]
    if not isinstance(value, dict):
        return value
    login = value.get("login")
    if isinstance(login, str):
        account: dict[str, object] = {"login": pseudonym(login)}
        return account | ({"type": value["type"]} if isinstance(value.get("type"), str) else {})
    veiled = {key: _field(key, one, pseudonym) for key, one in value.items() if key not in _CONTACTS}
    if ("email" in value or value.get("type") == "personal") and isinstance(value.get("name"), str):
        veiled["name"] = pseudonym(value["name"])  # an author inside a commit; a person's name space at Gitee
    return veiled


def masked(text: str, pseudonym: Pseudonym) -> str:
    """Return a text in which mentions are pseudonyms and e-mail addresses are gone.

    Mentions inside code are left alone: there ``@`` begins a decorator or a package, and the tracker mentions nobody.
    """
    parts = _CODE.split(text)
    for place in range(0, len(parts), 2):
        parts[place] = _MENTION.sub(lambda found: f"@{pseudonym(found[1])}", parts[place])
    return _EMAIL.sub("[e-mail]", "".join(parts))


def _field(key: str, value: Any, pseudonym: Pseudonym) -> Any:
    if key in _NAMES:
        if isinstance(value, str):
            return pseudonym(value)
        if isinstance(value, list):
            return [pseudonym(one) if isinstance(one, str) else veil(one, pseudonym) for one in value]
    return veil(value, pseudonym)
