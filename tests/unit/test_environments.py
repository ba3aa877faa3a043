"""Environments as reports write them, in groups that can be counted."""

from __future__ import annotations

import polars as pl
import pytest

from issuebook.schemas import ENVIRONMENTS
from issuebook.screening.environments import COLUMNS, grouped


def row(**said: object) -> dict[str, object]:
    found = grouped(pl.DataFrame([{"id": "1", "project": "own/engine"} | said], schema=ENVIRONMENTS))
    assert found.columns == ["id", "project", "framework", "cuda", "gpu", "os", "python"]
    return found.row(0, named=True)


@pytest.mark.parametrize(
    ("written", "group"),
    [
        ("NVIDIA A100-SXM4-80GB", "A100"),
        ("NVIDIA A100 80GB PCIe", "A100"),
        ("8 x NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA GeForce RTX 3090 Ti", "RTX 3090 Ti"),
        ("Tesla V100-SXM2-32GB", "V100"),
        ("AMD Instinct MI300X", "MI300X"),
        ("NVIDIA", None),
    ],
)
def test_gpus_are_models_without_maker_memory_and_form(written: str, group: str | None) -> None:
    assert row(gpus=[written, "NVIDIA L4"])["gpu"] == group


@pytest.mark.parametrize(
    ("written", "group"),
    [
        ("Ubuntu 22.04.4 LTS (x86_64)", "Ubuntu"),
        ("Red Hat Enterprise Linux 8.8", "Red Hat and kin"),
        ("Rocky Linux 9.3 (Blue Onyx)", "Red Hat and kin"),
        ("Debian GNU/Linux 12", "Debian"),
        ("x86_64-linux-gnu", "other Linux"),
        ("Windows 11 with WSL2", "Windows"),
        ("Mac", "macOS"),
        ("FreeBSD", "other"),
    ],
)
def test_systems_are_families(written: str, group: str) -> None:
    assert row(os=written)["os"] == group


def test_versions_keep_major_and_minor_and_a_framework_its_project() -> None:
    found = row(cuda="12.1.105", python="3.11.0rc1", framework_version="0.4.3.post2")
    assert (found["cuda"], found["python"], found["framework"]) == ("12.1", "3.11", "engine 0.4")


def test_what_a_report_does_not_say_is_null() -> None:
    found = row()
    assert {found[name] for name in COLUMNS} == {None}
