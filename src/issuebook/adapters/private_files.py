"""What only its owner may read: tokens, and the salt of a study."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from issuebook.adapters.replacing import output_errors
from issuebook.errors import Fault, InputError

_HOSTS = {"github": "api.github.com", "gitee": "gitee.com", "gitlab": "gitlab.com"}
_VARIABLES = {
    "api.github.com": ("GITHUB_TOKEN", "GH_TOKEN"),
    "gitee.com": ("GITEE_TOKEN",),
    "gitlab.com": ("GITLAB_TOKEN",),
    "api.openai.com": ("OPENAI_API_KEY",),
}
_SALT_BYTES = 32
_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")


def tokens_for(base_url: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the tokens for the host of an address, each once, in the order given.

    ``GITHUB_TOKEN`` and ``GH_TOKEN`` go to api.github.com and nowhere else, ``GITEE_TOKEN`` to gitee.com,
    ``GITLAB_TOKEN`` to gitlab.com, ``OPENAI_API_KEY`` to api.openai.com. Several, and those of other hosts, stand as
    ``HOST=TOKEN`` in ``ISSUEBOOK_TOKENS`` (separated by spaces or commas) or line by line in the file that
    ``ISSUEBOOK_TOKENS_FILE`` names; ``github``, ``gitee`` and ``gitlab`` are short for their hosts. No token goes to a
    host that it is not for.

    Raises:
        InputError: the file can be read by others, an entry names no host (the entry itself is not repeated), or the
            address is not encrypted.
    """
    host = urlsplit(base_url).netloc
    found = [environment[name] for name in _VARIABLES.get(host, ()) if environment.get(name)]
    found += _entries(environment.get("ISSUEBOOK_TOKENS", ""), "ISSUEBOOK_TOKENS", host)
    named = environment.get("ISSUEBOOK_TOKENS_FILE")
    if named:
        found += _entries(_private_text(Path(named)), named, host)
    tokens = tuple(dict.fromkeys(token.strip() for token in found if token.strip()))
    parts = urlsplit(base_url)
    if tokens and parts.scheme != "https" and parts.hostname not in _THIS_MACHINE:
        raise InputError(Fault(base_url, "a token would be sent there unencrypted.", "Give an address with https."))
    return tokens


def salt_in(folder: Path, *, begun: bool) -> bytes:
    """Return the salt of a study, readable by its owner only; it is made unless the study has ``begun`` to use one.

    Raises:
        InputError: it is missing although it was used, not whole, or others can read it.
        OutputError: it cannot be written.
    """
    path = folder / "people.salt"
    if not path.exists() and begun:
        what = "is missing: the same people would get other pseudonyms."
        raise InputError(Fault(str(path), what, "Restore it from a backup, or collect into a new folder."))
    if not path.exists():
        with output_errors(path):
            folder.mkdir(parents=True, exist_ok=True)
            aside = path.with_suffix(".part")
            aside.unlink(missing_ok=True)
            handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as file:
                file.write(secrets.token_hex(_SALT_BYTES) + "\n")
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
    text = _private_text(path).strip()
    if not re.fullmatch(rf"[0-9a-f]{{{2 * _SALT_BYTES}}}", text):
        raise InputError(Fault(str(path), "this is not the salt of a study.", "Restore it from a backup."))
    return bytes.fromhex(text)


def _private_text(path: Path) -> str:
    try:
        mode = path.stat().st_mode & 0o777
        if mode & 0o077:
            raise InputError(Fault(str(path), f"others can read this file (mode {mode:o}).", f"Run: chmod 600 {path}"))
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(Fault(str(path), f"cannot be read: {error.strerror or error}.")) from None
    except UnicodeDecodeError:
        raise InputError(Fault(str(path), "is not UTF-8 text.")) from None


def _entries(text: str, where: str, host: str) -> list[str]:
    lines = (line.partition("#")[0] for line in text.splitlines())
    found = []
    for place, entry in enumerate(re.split(r"[\s,]+", " ".join(lines).strip()), start=1):
        named, equals, token = entry.partition("=")
        if entry and not (named and equals and token):
            hint = "Write HOST=TOKEN, for example github=…, gitee=… or git.example.org=…"
            raise InputError(Fault(where, f"entry {place} does not say which host it is for.", hint))
        if _HOSTS.get(named, named) == host:
            found.append(token)
    return found
