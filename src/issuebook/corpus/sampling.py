"""Seeded samples: the same seed draws the same units, whatever the order in which they stand.

Units are put in the order of a hash of seed and id, and the first ones are drawn: a simple random sample without
replacement. A larger sample of the same seed contains the smaller one.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Literal

import polars as pl

from issuebook.errors import Fault, InputError

Allocation = Literal["proportional", "equal", "neyman"]


def simple_sample(units: pl.DataFrame, size: int, seed: int, key: str = "id") -> pl.DataFrame:
    """Return ``size`` rows drawn at random, in the order of drawing.

    Args:
        units: what to draw from; ``key`` names each row once.
        size: rows to draw.
        seed: any whole number.
        key: the column that identifies a row.

    Raises:
        InputError: there are fewer rows than ``size``, ``size`` is negative, or a key is missing or repeated.
    """
    _refuse_bad_keys(units, key)
    if not 0 <= size <= units.height:
        raise InputError(Fault("size", f"{size} of {units.height} cannot be drawn.", "Ask for at most as many."))
    return _shuffled(units, seed, key).head(size)


def stratified_sample(
    units: pl.DataFrame,
    size: int,
    seed: int,
    by: str,
    key: str = "id",
    allocation: Allocation = "proportional",
    rates: Mapping[str, float] | None = None,
) -> pl.DataFrame:
    """Return ``size`` rows drawn within each stratum, strata in order of their names.

    Args:
        units: what to draw from.
        size: rows to draw over all strata.
        seed: any whole number.
        by: the column of the strata, as text; null is the stratum of an empty name.
        key: the column that identifies a row.
        allocation: see ``allocate``.
        rates: for ``neyman``, the share expected in each stratum.

    Returns:
        The rows with ``stratum``, ``stratum_size`` (UInt32, rows it was drawn from) and ``weight`` (Float64, how many
        of them each stands for).

    Raises:
        InputError: as ``simple_sample`` and ``allocate``.
    """
    _refuse_bad_keys(units, key)
    named = units.with_columns(pl.col(by).cast(pl.String).fill_null("").alias("stratum"))
    sizes = dict(named.group_by("stratum").len().sort("stratum").iter_rows())
    drawn = allocate(sizes, size, allocation, rates)
    parts = [
        simple_sample(part, drawn[stratum], seed, key).with_columns(
            pl.lit(part.height, pl.UInt32).alias("stratum_size"),
            pl.lit(part.height / max(drawn[stratum], 1)).alias("weight"),
        )
        for (stratum,), part in sorted(named.partition_by("stratum", as_dict=True).items())
    ]
    return pl.concat(parts)


def allocate(
    sizes: Mapping[str, int], size: int, method: Allocation = "proportional", rates: Mapping[str, float] | None = None
) -> dict[str, int]:
    """Return how many units to draw of each stratum; they add up to ``size``.

    ``proportional`` draws as many per hundred of each stratum, ``equal`` as many of each, ``neyman`` (Neyman 1934) in
    proportion to N √(p (1 - p)), which makes the estimate of the overall share most precise. Each stratum gets at
    least one, since an estimate needs it, and none more than it has; shares are rounded to the largest remainders.

    Args:
        sizes: units in each stratum, at least 1.
        size: units to draw.
        method: how.
        rates: for ``neyman`` the share p expected in each stratum; 0 and 1 count as if one half unit were otherwise.

    Raises:
        InputError: ``size`` is below the number of strata or above that of units, or a rate is missing or no share.
    """
    if not len(sizes) <= size <= sum(sizes.values()):
        what = f"{size} cannot be drawn from {sum(sizes.values())} units in {len(sizes)} strata."
        raise InputError(Fault("size", what, "Ask for one a stratum at least, and for at most as many as there are."))
    weights = _weights(sizes, method, rates)
    ideal = _within_bounds(sizes, weights, size)
    drawn = {name: math.floor(share) for name, share in ideal.items()}
    by_remainder = sorted(sizes, key=lambda name: drawn[name] - ideal[name])
    for name in by_remainder[: size - sum(drawn.values())]:
        drawn[name] += 1
    return drawn


def _weights(sizes: Mapping[str, int], method: Allocation, rates: Mapping[str, float] | None) -> dict[str, float]:
    if method == "proportional":
        return {name: float(count) for name, count in sizes.items()}
    if method == "equal":
        return dict.fromkeys(sizes, 1.0)
    given = rates or {}
    bad = [name for name in sizes if not 0 <= given.get(name, -1) <= 1]
    if bad:
        hint = "Neyman's allocation needs the share expected in each stratum, from 0 to 1."
        raise InputError([Fault(f"rates: {name!r}", f"{given.get(name)} is no share.", hint) for name in bad])
    half = {name: 0.5 / count for name, count in sizes.items()}
    shares = {name: min(max(given[name], half[name]), 1 - half[name]) for name in sizes}
    return {name: count * math.sqrt(shares[name] * (1 - shares[name])) for name, count in sizes.items()}


def _within_bounds(sizes: Mapping[str, int], weights: Mapping[str, float], size: int) -> dict[str, float]:
    """Return shares in proportion to the weights, except where that is below 1 or above what a stratum has."""
    low, high = 0.0, max(count / weights[name] for name, count in sizes.items())
    for _ in range(100):  # bisection: the sum grows with the factor
        factor = (low + high) / 2
        total = sum(min(max(1.0, factor * weights[name]), count) for name, count in sizes.items())
        low, high = (factor, high) if total < size else (low, factor)
    return {name: min(max(1.0, high * weights[name]), float(count)) for name, count in sizes.items()}


def _shuffled(units: pl.DataFrame, seed: int, key: str) -> pl.DataFrame:
    """Return the rows in an order that depends on the seed and the keys alone."""
    salt = f"{seed}\0".encode()
    ranks = [hashlib.blake2b(salt + name.encode(), digest_size=16).digest() for name in units[key]]
    return units.with_columns(pl.Series("__rank", ranks, pl.Binary)).sort("__rank").drop("__rank")


def _refuse_bad_keys(units: pl.DataFrame, key: str) -> None:
    if units[key].has_nulls():
        raise InputError(Fault(f"column {key!r}", "a row has no key.", "Draw from rows that each have one."))
    if units[key].is_duplicated().any():
        twice = units.filter(pl.col(key).is_duplicated())[key][0]
        raise InputError(Fault(f"column {key!r}", f"{twice!r} stands more than once.", "Remove the repeats first."))
