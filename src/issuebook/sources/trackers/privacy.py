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

_CONTACTS = frozenset(
    {"email", "author_email", "committer_email", "public_email", "external_author", "service_desk_reply_to",
     "service_desk_address", "avatar_url", "gravatar_id", "human_name", "creator_id"}
)  # fmt: skip
_SECRETS = frozenset({"runners_token"})
"""What a project's object gives to who may run its jobs: kept by nobody."""
_ACCOUNTS = ("login", "username")
_NAMES = frozenset({"project_creator", "members", "actor_login"})
_EMAIL = re.compile(r"(?<![\w.+-])(?!git@)[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?!:[\w/])")
_MENTION = re.compile(r"(?<![\w/.`@+-])@([A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,253}[A-Za-z0-9_])?)(?![\w@/])")
_CODE = re.compile(r"(```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`)", re.DOTALL)


def pseudonyms(salt: bytes) -> Pseudonym:
    """Return the function from logins to pseudonyms of a study; upper and lower case are the same login."""

    def pseudonym(login: str) -> str:
        digest = hmac.new(salt, login.lower().encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return f"person-{digest[:16]}"

    return pseudonym


def veil(value: Any, pseudonym: Pseudonym) -> Any:
    """Return a JSON value with every account replaced by its pseudonym and its type, and contact details left out.

    An account is an object that has a ``login`` or, at GitLab, a ``username``. Association, times, texts and all else
    stay as they are; texts are masked where they leave the study, by ``masked``.
    """
    if isinstance(value, list):
        return [veil(one, pseudonym) for one in value]
    if not isinstance(value, dict):
        return value
    for name in _ACCOUNTS:
        if isinstance(value.get(name), str):
            account: dict[str, object] = {name: pseudonym(value[name])}
            return account | ({"type": value["type"]} if isinstance(value.get("type"), str) else {})
    veiled = {key: _field(key, one, pseudonym) for key, one in value.items() if key not in _CONTACTS | _SECRETS}
    if value.get("kind") == "user" and isinstance(value.get("full_path"), str):
        return {"kind": "user", "full_path": pseudonym(value["full_path"])}  # a person's name space at GitLab
    if ("email" in value or value.get("type") == "personal") and isinstance(value.get("name"), str):
        veiled["name"] = pseudonym(value["name"])  # an author inside a commit; a person's name space at Gitee
    return veiled


def without_secrets(value: Any) -> Any:
    """Return a JSON value without the keys of machines that some trackers give away; people stay in it."""
    if isinstance(value, list):
        return [without_secrets(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: without_secrets(one) for key, one in value.items() if key not in _SECRETS}


def holds_secrets(body: bytes) -> bool:
    """Return whether an answer may hold such a key."""
    return any(f'"{name}"'.encode() in body for name in _SECRETS)


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
