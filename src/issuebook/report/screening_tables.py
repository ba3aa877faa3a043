"""The tables of reports from reading to labels: funnel, regions, keywords, projects, environments, spot check."""

from __future__ import annotations

from issuebook.model.quantity import Quantity
from issuebook.report.book import Book
from issuebook.report.levels import compared_level, file_name
from issuebook.report.quantities.screening import NOT_STATED, OTHER, WRITTEN
from issuebook.report.screened_reports import Screening
from issuebook.report.tabular import Cell, Column, Table
from issuebook.screening.environments import COLUMNS

STAGES = {
    "read": "reports_read",
    "deduplicated": "screened_reports",
    "hit": "hits",
    "relevant": "relevant_hits",
    "labelled": "labelled_hits",
}
"""The stages of the funnel, and the quantity of each."""

ALL, BY_PEOPLE = "hit anywhere", "hit in what people wrote"


def screening_tables(book: Book) -> tuple[Table, ...]:
    """Return every table of screening; none where the study has no reports."""
    found = book.facts.screening
    if found is None:
        return ()
    check = (spot_check(book), *spot_check_parts(book, found)) if found.spot_check is not None else ()
    return (
        funnel(book),
        hit_regions(book, found),
        hit_keywords(book, found),
        screened_projects(book, found),
        *environment_tables(book),
        *check,
        report_files(book, found),
    )


def stages(book: Book) -> tuple[str, ...]:
    """Return the stages of the funnel that can be told: nothing is labelled where nobody has rated yet."""
    if not book.facts.unrated:
        return tuple(STAGES)
    return tuple(name for name in STAGES if book.one(STAGES[name]).value is not None)


def stage(book: Book, name: str, *, written: bool) -> Quantity:
    """Return the number of reports that a stage of the funnel kept; with ``written`` if pasted text did not count."""
    quantity = STAGES[name]
    if written and name not in ("read", "deduplicated"):
        return book.one(quantity, region=WRITTEN)
    return book.one(quantity)


def funnel(book: Book) -> Table:
    """Return the funnel, with what it would be if templates, environments and logs did not count."""
    rows = tuple((name, stage(book, name, written=False), stage(book, name, written=True)) for name in stages(book))
    columns = (
        Column("stage", "stage"),
        Column("reports", "reports", "value"),
        Column("written", "in what people wrote", "value"),
    )
    note = "What people wrote is all but issue forms, listings of software and machines, and logs."
    return Table("funnel", "From reports read to reports labelled", columns, rows, note)


def hit_regions(book: Book, found: Screening) -> Table:
    """Return the regions in which keywords hit, and the reports that are hit nowhere else."""
    regions = [one.region for one in found.funnel.regions]
    rows = tuple((name, book.one("hits", region=name), book.one("hit_nowhere_else", region=name)) for name in regions)
    columns = (
        Column("region", "region"),
        Column("reports", "reports hit", "value"),
        Column("nowhere_else", "and nowhere else", "value"),
    )
    return Table("hit-regions", "Where keywords hit", columns, rows)


def hit_keywords(book: Book, found: Screening) -> Table:
    """Return the keywords with the reports that they hit, the most first, and the reports that they alone keep."""
    ranked = sorted(found.funnel.keywords, key=lambda one: (-one.reports, found.keywords.index(one.keyword)))
    rows = tuple(
        (
            one.keyword,
            ", ".join(name for name, texts in found.lists.items() if one.keyword in texts),
            book.one("hits", keyword=one.keyword),
            book.one("hits", keyword=one.keyword, region=WRITTEN),
            book.one("only_by", keyword=one.keyword),
        )
        for one in ranked
    )
    columns = (
        Column("keyword", "keyword"),
        Column("lists", "lists"),
        Column("reports", "reports hit", "value"),
        Column("written", "in what people wrote", "value"),
        Column("alone", "by no other keyword", "value"),
    )
    return Table("hit-keywords", "Keywords: the reports that each hits, and those that it alone keeps", columns, rows)


def screened_projects(book: Book, found: Screening) -> Table:
    """Return the projects with their reports and hits."""
    lists = dict.fromkeys(found.reports, "every list") | dict.fromkeys(found.unscreened, "no list")
    by_project = found.hits.group_by("project").agg("list").iter_rows()
    lists |= {name: ", ".join(dict.fromkeys(one for one in found.lists if one in used)) for name, used in by_project}
    rows = tuple(
        (
            name,
            lists[name],
            book.one("screened_reports", project=name),
            book.one("hits", project=name),
            book.one("hits", project=name, region=WRITTEN),
        )
        for name in found.reports
    )
    columns = (
        Column("project", "project"),
        Column("lists", "lists that hit"),
        Column("reports", "reports", "value"),
        Column("hit", "hit", "value"),
        Column("written", "in what people wrote", "value"),
    )
    return Table("screened-projects", "Projects: reports screened", columns, rows)


def environment_tables(book: Book) -> tuple[Table, ...]:
    """Return the codes by each column of the environment of which reports state two values or more.

    Where nobody has rated yet, these are the reports by each value of every column that reports state.
    """
    if book.facts.unrated:
        return tuple(
            reports_by_environment(book, column)
            for column in COLUMNS
            if any(value != NOT_STATED for value, _ in book.many("reports_by_environment", column).parts)
        )
    return tuple(
        codes_by_environment(book, column)
        for column in COLUMNS
        if len([value for value in _values(book, column) if value not in (NOT_STATED, OTHER)]) > 1
    )


def codes_by_environment(book: Book, column: str) -> Table:
    """Return the share of each code of the compared level among the reports of each value of a column."""
    facet = book.facts.facet
    level = compared_level(book.facts)
    sizes = dict(book.many("by_environment", column).parts)
    rows: list[tuple[Cell, ...]] = [("", "rated reports", *sizes.values())]
    for code in facet.at_depth(facet.depth_of(level)):
        shares = dict(book.many("by_environment", column, code=code.id).parts)
        rows.append((code.id, code.name, *(shares[value] for value in sizes)))
    columns = (Column("code", "code"), Column("name", "name"), *(Column(value, value, "value") for value in sizes))
    note = "Shares are of the reports in the first row; few reports make them unsure."
    title = f"{level.capitalize()} by {COLUMNS[column]}"
    return Table(f"{file_name(level)}-by-{column}", title, columns, tuple(rows), note)


def reports_by_environment(book: Book, column: str) -> Table:
    """Return the reports by each value of a column of the environment."""
    rows = tuple((value, count) for value, count in book.many("reports_by_environment", column).parts)
    columns = (Column("value", COLUMNS[column]), Column("reports", "reports", "value"))
    return Table(f"reports-by-{column}", f"Reports by {COLUMNS[column]}", columns, rows)


def _values(book: Book, column: str) -> tuple[str, ...]:
    return tuple(value for value, _ in book.many("by_environment", column).parts)


def spot_check(book: Book) -> Table:
    """Return how good the screening is by the reports that were looked at."""
    shares = {
        "kept reports that are relevant (precision)": "spot_check_precision",
        "dropped reports that are relevant": "spot_check_missed",
        "relevant reports that are kept (recall)": "spot_check_recall",
        "reports known to be relevant that are kept": "known_recall",
    }
    rows = tuple((name, found, found) for name, call in shares.items() for found in (book.one(call),))
    columns = (Column("what", "share of"), Column("share", "share", "value"), Column("share", "interval", "interval"))
    return Table("spot-check", "Spot check of the screening", columns, rows)


def spot_check_parts(book: Book, found: Screening) -> tuple[Table, ...]:
    """Return the precision of each list and each keyword of which reports were looked at."""
    check = found.spot_check
    if check is None:
        return ()
    tables = []
    for kind, known in (("list", check.by_list), ("keyword", check.by_keyword)):
        rows = tuple((name, one, one) for name in known for one in (book.one("spot_check_precision", **{kind: name}),))
        columns = (Column(kind, kind), Column("share", "relevant", "value"), Column("share", "interval", "interval"))
        if rows:
            tables.append(Table(f"spot-check-by-{kind}", f"Relevant reports among those a {kind} hits", columns, rows))
    return tuple(tables)


def report_files(book: Book, found: Screening) -> Table:
    """Return the files of reports, and what became of their rows."""
    states = ("read", "kept", "excluded", "quarantined")
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.name, *(book.one("report_rows", file=one.name, state=state) for state in states), one.sha256)
        for one in found.files
    )
    counts = (Column(state, state, "value") for state in states)
    columns = (Column("file", "file"), *counts, Column("sha256", "content (SHA-256)"))
    return Table("report-files", "Files of reports: rows read = kept + excluded + quarantined", columns, rows)
