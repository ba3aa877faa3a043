"""The open workbench: a study's settings, units and history, with the state that the history amounts to."""

from __future__ import annotations

from issuebook.app.services import Services


class Workbench:
    """A study that is open for labelling. Safe to use from several threads, and beside other processes."""


def open_workbench(services: Services) -> Workbench:
    """Return the workbench of a study; units of the corpus and people of study.toml that are new are added.

    Raises:
        StudyError: the study's files are not valid, or study.toml has no ``[annotation]``.
        OutputError: the database cannot be written, or is older than this version (PostgreSQL only).
    """
    raise NotImplementedError
