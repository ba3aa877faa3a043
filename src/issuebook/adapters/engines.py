"""Daft as a place where work is done: on this machine, or on a Ray cluster that is named by its address.

What is done is the same function as in ``workers``, given to Daft as a table of what it is done to; Daft only decides
where. On a cluster every machine must see the corpus under the same path.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from issuebook.errors import Fault, InputError

Given = TypeVar("Given")
Found = TypeVar("Found")

RAY = "ray://"
_REMEDY = "Install it with: pip install 'issuebook[engine]'"


@dataclass(frozen=True, slots=True)
class DaftWorkers:
    """Daft's workers.

    Attributes:
        number: the least number of pieces that the work is cut into; Daft decides how many are done at once.
        address: the head of a Ray cluster, e.g. ``ray://host:10001``; None works on this machine.
    """

    number: int = 1
    address: str | None = None

    def map(self, work: Callable[[Given], Found], given: Sequence[Given]) -> Iterator[Found]:
        """Yield what ``work`` makes of each of ``given``, in order.

        Raises:
            InputError: Daft is not installed, or the cluster cannot be reached.
        """
        daft = _daft()
        runner = daft.set_runner_native if self.address is None else daft.set_runner_ray
        try:
            runner(**({} if self.address is None else {"address": self.address}))
        except ConnectionError as error:
            reason = str(error).strip().partition("\n")[0]
            raise InputError(Fault(str(self.address), f"cannot be reached: {reason}")) from None

        def done(packed: bytes) -> bytes:
            return pickle.dumps(work(pickle.loads(packed)))  # noqa: S301 - what we packed ourselves

        on_daft = daft.func(return_dtype=daft.DataType.binary())(done)
        packed = [pickle.dumps(one) for one in given]
        table = daft.from_pydict({"place": list(range(len(packed))), "given": packed})
        if self.address is not None:  # on one machine Daft cuts the table itself
            table = table.into_partitions(len(packed))
        found = table.select(daft.col("place"), on_daft(daft.col("given")).alias("found")).sort("place")
        for row in found.iter_rows():
            yield pickle.loads(row["found"])  # noqa: S301 - what our own workers packed


def _daft() -> Any:
    try:
        import daft
    except ModuleNotFoundError:
        raise InputError(Fault("--engine", "Daft is not installed.", _REMEDY)) from None
    return daft
