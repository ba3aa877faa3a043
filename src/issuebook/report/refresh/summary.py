"""A refresh in a few lines, for a terminal."""

from __future__ import annotations

from issuebook.report.refresh.changes import Refresh
from issuebook.stats.comparison.wording import percent, points


def telling_lines(found: Refresh) -> list[str]:
    """Return what a person wants to know first."""
    return [
        f"Since {found.since.at[:10]} ({found.since.chosen}): {found.after.reports:,} reports, "
        f"{found.after.coded:,} with a code; before: {found.before.reports:,}, {found.before.coded:,} with a code.",
        f"Accepted codes: all {found.accepted:,} stay.",
        *_shares(found),
        *_lists(found),
        *_newcomers(found),
        *_sample(found),
    ]


def _shares(found: Refresh) -> list[str]:
    drifting = [one for one in found.shares.codes if one.drifting]
    lines = [f"Shares: {len(drifting)} of {len(found.shares.codes)} codes differ since then (Benjamini-Hochberg)."]
    lines += [f"  {one.code} {one.name}: {points(one.difference.value)}" for one in drifting]
    lines.append(f"Change points: {len(found.shares.changes) or 'none'}.")
    for one in found.shares.changes:
        change = one.change
        before, after = change.hits_before / change.of_before, change.hits_after / change.of_after
        lines.append(f"  {one.code} in {one.window}: {percent(before)} to {percent(after)}; {one.reading}.")
    return lines


def _lists(found: Refresh) -> list[str]:
    lists = found.lists
    terms = ", ".join(one.term for one in lists.terms[:8]) or "none"
    lines = [f"New terms: {terms}{' …' if len(lists.terms) > 8 else ''}."]
    if lists.listed:
        dead = ", ".join(one.keyword for one in lists.dead[:8]) or "none"
        lines.append(f"Keywords that no longer hit: {dead}; that never hit: {len(lists.never)}.")
    return lines


def _newcomers(found: Refresh) -> list[str]:
    new = found.newcomers
    if new.undefined:
        return [f"Reports without a code: {new.asked:,}; {new.undefined}."]
    return [
        f"Reports without a code: {new.asked:,}; {len(new.near):,} near a code, {len(new.flagged):,} out of the "
        f"taxonomy (at {percent(new.rate)} false alarms), {new.open:,} neither; {len(new.candidates)} candidate codes."
    ]


def _sample(found: Refresh) -> list[str]:
    drawn = found.reannotation
    if not drawn.code:
        return []
    return [f"To settle {drawn.code}: code {len(drawn.drawn):,} reports again (--sample FILE)."]
