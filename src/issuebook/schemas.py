"""The tables that stages hand to each other: their columns have one spelling and one type, and it stands here."""

from __future__ import annotations

import polars as pl

ITEMS = pl.Schema(
    {
        "item": pl.UInt32(),  # from 0 over the whole study, in order of reading
        "unit": pl.String(),  # as written, without surrounding space
        "project": pl.String(),
        "group": pl.String(),  # null until the study's groups fill it
        "final": pl.String(),  # the released final code; null where none was released
        "source": pl.String(),  # the file
        "line": pl.UInt32(),  # from 1; the row of the sheet in a workbook, of the table in Parquet
    }
)
"""What was rated: one row a rated unit, or a rated copy of it where a study keeps rows as released."""

RATINGS = pl.Schema({"item": pl.UInt32(), "annotator": pl.String(), "code": pl.String()})
"""Who gave which code to which item; a missing rating has no row."""

_UTC = pl.Datetime("us", "UTC")

REPORTS = pl.Schema(
    {
        "id": pl.String(),  # the same for all spellings of one report: github:owner/name#123; null until identified
        "tracker": pl.String(),  # github, gitee, gitlab or other; null until identified, unless the user says it
        "project": pl.String(),  # owner/name as the tracker shows it
        "number": pl.String(),  # text: Gitee's are I1DACG
        "url": pl.String(),  # canonical once identified; null where a file has none
        "title": pl.String(),
        "body": pl.String(),  # as written, line ends included: spans are offsets into it; null where none was written
        "state": pl.String(),  # lower case: open, closed, Gitee's progressing and rejected; unknown ones stay
        "state_reason": pl.String(),  # lower case
        "labels": pl.List(pl.String()),
        "author_association": pl.String(),
        "created_at": _UTC,
        "updated_at": _UTC,
        "closed_at": _UTC,
        "comments": pl.UInt32(),  # how many
        "source": pl.String(),  # the file
        "line": pl.UInt32(),  # from 1; the row of the table in Parquet and SQLite
    }
)
"""Issue reports. Who wrote one is left out: no stage needs it, and a corpus is passed on."""

EXCLUDED = pl.Schema(
    {
        "source": pl.String(),
        "line": pl.UInt32(),
        "unit": pl.String(),  # null where it could not be read
        "cell": pl.String(),  # the column whose cell alone was set aside; null when the whole row was
        "reason": pl.String(),
        "text": pl.String(),  # an excerpt of at most EXCERPT characters
    }
)
"""What a rule of the study leaves out, each with its reason."""

QUARANTINED = pl.Schema(EXCLUDED)
"""What could not be used as it is written, each with its reason."""

MENDED = pl.Schema(EXCLUDED)
"""What was kept after a repair, such as NUL characters left out of a text; ``cell`` names what was repaired."""

FIELD = pl.Enum(["title", "body"])

HITS = pl.Schema(
    {
        "id": pl.String(),  # of the report
        "project": pl.String(),
        "list": pl.String(),  # the keyword list
        "keyword": pl.String(),  # as the list has it
        "field": FIELD,
        "region": pl.String(),  # title, prose, template, environment, log, code, quote
        "start": pl.UInt32(),  # in characters of the field as written
        "end": pl.UInt32(),
    }
)
"""Where keywords stand in reports: a row an occurrence."""

SETS = pl.Schema(
    {
        "source": pl.String(),  # the file
        "line": pl.UInt32(),  # where the report begins; of a table its row, from 1
        "url": pl.String(),  # as written
        "list": pl.String(),
        "keyword": pl.String(),
        "field": FIELD,
    }
)
"""Which keywords hit which rows of files: a row a (report, field, keyword)."""

ENVIRONMENTS = pl.Schema(
    {
        "id": pl.String(),
        "project": pl.String(),
        "framework_version": pl.String(),
        "cuda": pl.String(),
        "driver": pl.String(),
        "gpus": pl.List(pl.String()),  # distinct names, in order
        "gpu_count": pl.UInt32(),
        "os": pl.String(),
        "python": pl.String(),
        "packages": pl.List(pl.Struct({"name": pl.String(), "version": pl.String()})),
    }
)
"""What each report says of its machine and software, as written; null where it says nothing."""

LABELS = pl.Schema(
    {
        "place": pl.UInt32(),  # from 1, in the order of the history; the facets of one rating share it
        "kind": pl.String(),  # rating, skip or decision
        "round": pl.String(),
        "mode": pl.String(),  # of the round: calibration or blind
        "round_state": pl.String(),  # open or closed
        "per_unit": pl.UInt32(),  # ratings that a unit of the round needs
        "unit": pl.String(),
        "annotator": pl.String(),  # id; of a decision who decided
        "name": pl.String(),
        "facet": pl.String(),  # empty in a skip
        "code": pl.String(),  # empty in a skip
        "secondary": pl.String(),  # further codes as a JSON list; empty without any
        "memo": pl.String(),  # of a skip or a decision the reason
        "unsure": pl.Boolean(),
        "flag": pl.Boolean(),
        "seconds": pl.Float64(),
        "codebook": pl.String(),  # version that was shown
        "at": pl.String(),  # ISO 8601
        "counts": pl.Boolean(),  # whether it is one of the ratings that the unit needs, or was until superseded
        "holds": pl.Boolean(),  # whether nothing later superseded it
        "seen": pl.UInt32(),  # of a decision: the last place that was known to who decided; else 0
    }
)
"""What was said in the workbench: a row a rating and facet, a skip, or a decision. Undone ones are left out."""

EXCERPT = 200
"""Longest text kept of a row that was set aside."""


def check(frame: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """Return ``frame`` as it is.

    Raises:
        ValueError: its columns or types are not those of ``schema``: a mistake in issuebook, not in the data.
    """
    if frame.schema != schema:
        raise ValueError(f"a table with {dict(frame.schema)} where {dict(schema)} is promised")
    return frame
