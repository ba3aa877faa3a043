"""Passwords as argon2id hashes, and secrets of the operating system."""

from __future__ import annotations

import secrets
from functools import cached_property

from argon2 import Parameters, PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.profiles import RFC_9106_LOW_MEMORY


class Argon2Passwords:
    """Argon2id, as shipped with the second recommended setting of RFC 9106: 64 MiB, 3 passes, 4 lanes."""

    def __init__(self, setting: Parameters = RFC_9106_LOW_MEMORY) -> None:
        """Take the setting that hashes are made with."""
        self._hasher = PasswordHasher.from_parameters(setting)

    @cached_property
    def _nobody(self) -> str:
        """A hash that no password fits; made at the first sign-in, since most commands need none."""
        return self._hasher.hash(secrets.token_urlsafe())

    def hash(self, password: str) -> str:
        """Return a salted hash that tells how it was made."""
        return self._hasher.hash(password)

    def fits(self, password_hash: str | None, password: str) -> bool:
        """Return whether a password fits a hash; without a hash it takes as long, and does not."""
        nobody = self._nobody  # whoever is asked for first, it takes equally long
        try:
            self._hasher.verify(password_hash or nobody, password)
        except (VerificationError, InvalidHashError):
            return False
        return password_hash is not None

    def secret(self) -> str:
        """Return 256 random bits as text."""
        return secrets.token_urlsafe(32)
