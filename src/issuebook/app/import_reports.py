"""The use case that makes a corpus of files of reports."""

from __future__ import annotations

import hashlib
import io

import polars as pl
from pydantic import TypeAdapter

from issuebook.app.corpus_ports import CorpusStore, DataFiles
from issuebook.app.ports import Progress
from issuebook.app.report_parts import Digest, Request, report_parts
from issuebook.corpus.dedupe import places_of, repeats, same_texts
from issuebook.corpus.manifest import FileAccount, Manifest, counts_by_reason
from issuebook.model.reports import Reports

REPORTS_FILE, SET_ASIDE, MANIFEST = "reports.parquet", "set_aside.parquet", "manifest.json"
MANIFESTS = TypeAdapter(Manifest)


def import_reports(
    request: Request,
    files: DataFiles,
    corpus: CorpusStore,
    progress: Progress,
    version: str,
    *,
    texts: bool = True,
) -> tuple[Manifest, pl.DataFrame]:
    """Make a corpus of files: ``reports.parquet``, ``set_aside.parquet`` and ``manifest.json``.

    Memory stays at a part of some megabytes and some hundred bytes a report, where the format allows it.

    Args:
        request: which files.
        files: where they are.
        corpus: where the corpus is put.
        progress: is told of each part.
        version: of this program, for the manifest.
        texts: whether the manifest tells which texts stand under more than one id.

    Returns:
        The manifest, and what was quarantined as ``schemas.QUARANTINED``.

    Raises:
        InputError: with the faults of all files; nothing is written.
        OutputError: the corpus cannot be written.
    """
    counts: dict[str, _Counts] = {}
    places: list[pl.DataFrame] = []
    aside: dict[str, list[pl.DataFrame]] = {"excluded": [], "quarantined": [], "mended": []}
    for part in report_parts(request, files, progress):
        corpus.add(part.reports.kept)
        places.append(places_of(part.reports.kept, texts=texts))
        for kind, entries in aside.items():
            found = getattr(part.reports, kind)
            if found.height or not entries:  # a frame without rows takes kilobytes, and there are many parts
                entries.append(found)
        counts.setdefault(part.name, _Counts(part.digest)).add(part.reports)
    placed = pl.concat(places)
    keep, repeated = repeats(placed)
    aside["excluded"].append(repeated)
    for name, count in repeated["source"].value_counts().iter_rows():
        counts[name].move_to_excluded(count)
    frames = {kind: pl.concat(parts) for kind, parts in aside.items()}
    outputs = {REPORTS_FILE: corpus.publish(keep)}
    outputs[SET_ASIDE] = _save_set_aside(corpus, frames)
    manifest = _manifest(request, counts, frames, placed.filter(keep), outputs, version)
    corpus.save(MANIFEST, MANIFESTS.dump_json(manifest, indent=1))
    return manifest, frames["quarantined"]


class _Counts:
    """What became of a file's rows."""

    def __init__(self, digest: Digest) -> None:
        self._digest = digest
        self._read = self._kept = self._excluded = self._quarantined = 0

    def add(self, reports: Reports) -> None:
        self._read += reports.read
        self._kept += reports.kept.height
        self._excluded += reports.excluded.height
        self._quarantined += reports.quarantined["cell"].null_count()

    def move_to_excluded(self, count: int) -> None:
        self._kept -= count
        self._excluded += count

    def account(self, name: str) -> FileAccount:
        rows = (self._read, self._kept, self._excluded, self._quarantined)
        return FileAccount(name, self._digest.text(), self._digest.size, *rows)


def _save_set_aside(corpus: CorpusStore, frames: dict[str, pl.DataFrame]) -> str:
    kinds = (frame.select(pl.lit(kind).alias("kind"), pl.all()) for kind, frame in frames.items())
    buffer = io.BytesIO()
    pl.concat(kinds).write_parquet(buffer)
    corpus.save(SET_ASIDE, buffer.getvalue())
    return hashlib.sha256(buffer.getvalue()).hexdigest()


def _manifest(
    request: Request,
    counts: dict[str, _Counts],
    set_aside: dict[str, pl.DataFrame],
    kept: pl.DataFrame,
    outputs: dict[str, str],
    version: str,
) -> Manifest:
    accounts = tuple(count.account(name) for name, count in counts.items())
    projects = (
        kept.group_by(pl.col("project").cast(pl.String).fill_null(""))
        .len()
        .sort("len", "project", descending=[True, False])
    )
    return Manifest(
        issuebook=version,
        mapping=request.mapping.model_dump(exclude_defaults=True),
        files=accounts,
        read=sum(one.read for one in accounts),
        kept=sum(one.kept for one in accounts),
        excluded=sum(one.excluded for one in accounts),
        quarantined=sum(one.quarantined for one in accounts),
        reasons={kind: counts_by_reason(frame) for kind, frame in set_aside.items()},
        projects=dict(projects.iter_rows()),
        same_texts=same_texts(kept),
        outputs=outputs,
    )
