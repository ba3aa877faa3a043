"""Environments in groups that can be counted: A100 for ``NVIDIA A100-SXM4-80GB``, 12.1 for ``12.1.105``."""

from __future__ import annotations

import polars as pl

COLUMNS = {
    "cuda": "CUDA version",
    "gpu": "GPU",
    "framework": "framework version",
    "os": "operating system",
    "python": "Python version",
}
"""The columns of ``grouped``, with their names for people."""

_MINOR = r"^v?(\d+\.\d+)"
_GPU_COUNT = r"(?i)^\d+ ?x ?"
_GPU_MAKER = r"(?i)\b(?:NVIDIA|GeForce|Tesla|Quadro|AMD|Radeon|Instinct|Graphics)\b *"
_GPU_FORM = r"(?i)[- ]?\b(?:SXM\d?|PCI-?E?|HBM\w*|\d+ ?GB|OAM|NVL)\b.*$"
_SYSTEMS = {
    "Ubuntu": r"(?i)ubuntu",
    "Debian": r"(?i)debian",
    "Red Hat and kin": r"(?i)red hat|rhel|rocky|alma|centos|fedora|amazon linux",
    "Windows": r"(?i)windows|wsl|mingw",
    "macOS": r"(?i)mac ?os|darwin|^mac\b",
    "other Linux": r"(?i)linux|suse|arch|euler",
}
"""Families of systems, the first that fits; Ubuntu inside Windows (WSL) counts as Ubuntu."""


def grouped(environments: pl.DataFrame) -> pl.DataFrame:
    """Return ``id``, ``project`` and the ``COLUMNS`` of ``schemas.ENVIRONMENTS``; null where a report does not say.

    Versions keep major and minor; a framework's version follows the name of its project, for projects count apart. Of
    several GPUs the first counts, without maker, memory and form. Systems are families.
    """
    family = pl.coalesce(pl.when(pl.col("os").str.contains(rule)).then(pl.lit(name)) for name, rule in _SYSTEMS.items())
    first_gpu = pl.col("gpus").list.first()
    gpu = first_gpu.str.replace(_GPU_COUNT, "").str.replace_all(_GPU_MAKER, "").str.replace(_GPU_FORM, "")
    name = pl.col("project").fill_null("").str.split("/").list.last()
    version = pl.col("framework_version").str.extract(_MINOR)
    return environments.select(
        "id",
        "project",
        pl.concat_str(name, pl.lit(" "), version).alias("framework"),
        pl.col("cuda").str.extract(_MINOR).alias("cuda"),
        pl.when(gpu.str.strip_chars() != "").then(gpu.str.strip_chars()).alias("gpu"),
        pl.coalesce(family, pl.when(pl.col("os").is_not_null()).then(pl.lit("other"))).alias("os"),
        pl.col("python").str.extract(_MINOR).alias("python"),
    )
