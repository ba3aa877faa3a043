"""What changed since a version of a study's codebook. Nothing is written; accepted codes stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from issuebook.app.codebook import history_of
from issuebook.app.refresh.lists import aged_lists
from issuebook.app.refresh.newcomers import newcomers
from issuebook.app.refresh.observed import Observed, iso, observed
from issuebook.app.refresh.reannotation import reannotation
from issuebook.app.refresh.shares import CodedReports, shares_over_time
from issuebook.app.run import gathered
from issuebook.app.services import Services
from issuebook.app.study_files import load_study
from issuebook.codebook.edits import Release
from issuebook.codebook.history import History
from issuebook.errors import Fault, InputError
from issuebook.report.refresh.changes import Refresh, Side, Since
from issuebook.screening.aging import AgingSettings
from issuebook.stats.change_points import ScanSettings

NEWEST_QUARTER = "no version was released with a time: the newest quarter of the reports is taken as new"


@dataclass(frozen=True, slots=True)
class RefreshSettings:
    """What is asked.

    Attributes:
        since: a version of the codebook, or a time (ISO 8601); None takes the newest release, and without one the time
            after which the newest quarter of the reports was opened.
        false_alarms: the share of reports of known codes that may be taken as out of the taxonomy.
    """

    since: str | None = None
    false_alarms: float = 0.05


def refresh(services: Services, settings: RefreshSettings) -> Refresh:
    """Return what changed since V. Stages of the study whose inputs changed are run first, up to the consensus.

    Raises:
        UserError: a file of the study or its data is not as it must be, or there is no such version or time.
    """
    files = load_study(services.workspace)
    services = gathered(services, files)
    facet = files.codebook.facet(files.study.rated[0].facet)
    level, seed = files.study.intervals.level, files.study.seed
    steps = ("reports", "keyword lists", "shares", "reports without a code")
    services.progress.started("refresh")
    begun = services.clock.seconds()
    services.progress.step(steps[0], 0, len(steps))
    seen = observed(services, files)
    since = moment_of(settings.since, history_of(services), seen)
    late = seen.since(since.at)
    services.progress.step(steps[1], 1, len(steps))
    aging = AgingSettings(level=level, seed=seed)
    aged = aged_lists(services, files, seen, late, aging)
    services.progress.step(steps[2], 2, len(steps))
    coded = CodedReports(seen, facet, since.at)
    shares = shares_over_time(coded, facet, ScanSettings(alpha=1 - level, seed=seed), aging, aged.without)
    services.progress.step(steps[3], 3, len(steps))
    arrived = newcomers(seen, facet, late, settings.false_alarms, level)
    services.progress.finished("refresh", "done", services.clock.seconds() - begun)
    return Refresh(
        title=files.study.study.title,
        since=since,
        before=_side(seen, seen.dated & ~late),
        after=_side(seen, late),
        accepted=int(seen.coded.sum()),
        shares=shares,
        lists=aged.lists,
        newcomers=arrived,
        reannotation=reannotation(coded, shares.changes, seed, level),
        level=level,
    )


def moment_of(said: str | None, history: History, seen: Observed) -> Since:
    """Return V: a time, a released version, or what is taken when nothing is said.

    Raises:
        InputError: it is neither a time nor a version with one, or no report has a time.
        EditError: there is no such version.
    """
    released = {entry.name: entry.when for entry in history.entries if isinstance(entry, Release)}
    if said is None and released:
        said = list(released)[-1]
    if said is None:
        times = sorted(time for time in seen.created if time)
        if not times:
            raise InputError(Fault("--since", "no report says when it was opened.", "Collect them with their times."))
        return Since(times[-(len(times) // 4) or -1], "", NEWEST_QUARTER)
    if said in released:
        return Since(iso(_time(str(released[said]))), said, f"version {said} was released then")
    try:
        return Since(iso(_time(said)), "", "as asked")
    except ValueError:
        number = history.number(said)
        hint = "Give a time, such as --since 2025-06-13."
        raise InputError(Fault("--since", f"when state {number} ({said!r}) was made is not known.", hint)) from None


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _side(seen: Observed, chosen: NDArray[np.bool_]) -> Side:
    times: Sequence[str] = sorted(seen.created[row] for row in np.flatnonzero(chosen).tolist())
    coded = int((chosen & seen.coded).sum())
    return Side(len(times), coded, times[0][:10] if times else "", times[-1][:10] if times else "")
