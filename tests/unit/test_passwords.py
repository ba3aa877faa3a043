"""Passwords: what a stolen hash costs whoever guesses."""

from issuebook.adapters.passwords import Argon2Passwords


def test_a_shipped_hash_costs_64_mib_and_three_passes_a_guess_and_fits_its_password_only() -> None:
    passwords = Argon2Passwords()
    made = passwords.hash("correct horse battery")
    assert made.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert passwords.fits(made, "correct horse battery")
    assert not passwords.fits(made, "correct horse batterie")
    assert not passwords.fits(None, "correct horse battery")
    assert not passwords.fits("no hash", "correct horse battery")
