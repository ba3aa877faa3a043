"""The use cases of the workbench are tried on both databases."""

import pytest
from tests.contracts.conftest import BACK_ENDS, postgres

__all__ = ["postgres"]


@pytest.fixture(params=BACK_ENDS)
def database(request: pytest.FixtureRequest) -> str | None:
    """The address of an empty database; None for SQLite in the study's folder."""
    address: str | None = request.getfixturevalue("postgres")() if request.param == "postgres" else None
    return address
