"""Every place where work is done gives the same, in order."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from issuebook.adapters.engines import DaftWorkers
from issuebook.adapters.workers import ProcessWorkers
from issuebook.app.corpus_ports import Workers
from issuebook.desk import workers_of
from issuebook.errors import InputError


def squared(pair: tuple[int, int]) -> list[int]:
    return [number**2 for number in range(*pair)]


@pytest.mark.parametrize(
    "make",
    [lambda: ProcessWorkers(1), lambda: ProcessWorkers(2), lambda: DaftWorkers(2)],
    ids=["this process", "two processes", "daft"],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_answers_come_in_the_order_of_the_questions(make: Callable[[], Workers]) -> None:
    ranges = [(begin, begin + 3) for begin in range(0, 30, 3)]
    assert [number for part in make().map(squared, ranges) for number in part] == [n**2 for n in range(30)]


def test_an_unknown_engine_is_named_with_those_there_are() -> None:
    assert isinstance(workers_of(1, "ray://head:10001"), DaftWorkers)
    with pytest.raises(InputError, match="'dask' is not known"):
        workers_of(1, "dask")
