"""What each section's template may show, made of :mod:`issuebook.report.html.pieces`; all text gets escaped."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from issuebook.report.html.pieces import Cell, FigureView, Number, TableView
from issuebook.report.run import RunInfo


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a whole in a bar: its name, colour, number of cases, share and width in per cent."""

    name: str
    colour: str
    count: Number
    share: Number
    width: str


@dataclass(frozen=True, slots=True)
class OutcomeView:
    """How many claims have an outcome: ``key`` is its name in class names, ``symbol`` a sign beside the words."""

    key: str
    name: str
    symbol: str
    count: Number
    width: str


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim with its verdict; ``anchor`` is its place on the page."""

    anchor: str
    id: str
    text: str
    where: str
    stated: str
    expr: str
    note: str
    outcome: str
    key: str
    symbol: str
    recomputed: Number | None
    reason: str
    beside: tuple[tuple[str, Cell], ...]
    computed_from: str


@dataclass(frozen=True, slots=True)
class Overview:
    """The first screen. ``rows`` is None where each unit stands in one row."""

    title: str
    question: str
    codebook: str
    rows: Number | None
    reports: Number
    projects: Number
    annotators: Number
    ratings: Number
    levels: tuple[tuple[Number, str], ...]
    claims: Number
    holding: Number
    outcomes: tuple[OutcomeView, ...]
    failing: tuple[ClaimView, ...]
    kappa: Number | None
    kappa_units: Number | None
    kappa_annotators: Number | None
    agreement_units: Number | None
    read: Number
    kept: Number
    excluded: Number
    quarantined: Number
    cells: Number
    repeated: Number
    parts: tuple[Part, ...]
    parts_of: str


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first screen where nobody has rated yet: what was read, and what to do next, in words."""

    reports: Number
    projects: Number
    hit: Number
    keywords: Number
    codes: Number
    next: str
    claims: Number
    outcomes: tuple[OutcomeView, ...]


@dataclass(frozen=True, slots=True)
class ExampleView:
    """An example of a code; ``address`` is empty where the unit is not a web address."""

    unit: str
    address: str
    note: str


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A code of the tree. Numbers are None below the level that ratings reach."""

    id: str
    name: str
    level: str
    colour: str
    definition: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    examples: tuple[ExampleView, ...]
    also: tuple[str, ...]
    note: str
    count: Number | None
    share: Number | None
    interval: Number | None
    width: str
    children: tuple[TreeNode, ...]


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """The codebook, with its counts where ``counted``. ``unrated`` names the levels that no rating reaches."""

    counted: bool
    tree: tuple[TreeNode, ...]
    top_level: str
    unrated: tuple[str, ...]
    figure: FigureView | None


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell of the heat map: its number and the step of its colour."""

    number: Number
    step: int


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A code and its cells, one a project and the last for all projects."""

    id: str
    name: str
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True)
class HeatGroup:
    """A code of the top level with its row, and the rows below it (none where the top level is compared)."""

    top: HeatRow
    colour: str
    rows: tuple[HeatRow, ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Codes by project, with one measure in the cells."""

    measure: str
    label: str
    caption: str
    coloured: bool
    groups: tuple[HeatGroup, ...]
    file: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """Codes by project, one heat map a measure. ``project_groups`` are the headings above the projects, with widths.

    ``levels`` names the level that is compared, in the plural.
    """

    levels: str
    projects: tuple[str, ...]
    project_groups: tuple[tuple[str, int], ...]
    maps: tuple[HeatMap, ...]
    steps: tuple[tuple[int, str], ...]
    sizes: TableView
    groups: TableView | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement between annotators."""

    coefficients: tuple[tuple[str, Number, Number], ...]
    within: Number | None
    by_project: Number | None
    table: TableView
    forest: FigureView | None
    code_table: TableView
    code_figure: FigureView | None
    confusion: FigureView | None
    notes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CrossingView:
    """Two facets crossed."""

    title: str
    numbers: tuple[tuple[str, Number, Number | None], ...]
    table: TableView


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """Two groups compared. ``key`` is the verdict in class names, ``symbol`` a sign beside it."""

    id: str
    title: str
    key: str
    symbol: str
    verdict: str
    words: str
    a: str
    b: str
    numbers: tuple[tuple[str, Number, Number | None], ...]
    table: TableView
    figure: FigureView | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditView:
    """The audit of the labels. ``sentences`` are its neutral words."""

    flagged: bool
    exceeding: Number
    sentences: tuple[str, ...]
    table: TableView
    figure: FigureView | None


@dataclass(frozen=True, slots=True)
class ScreeningView:
    """Reports from reading to labels. ``cut`` says that only the first keywords are shown.

    ``unhit`` are rated reports that no keyword hits; ``unscreened`` are projects that no list screens.
    """

    read: Number
    duplicates: Number
    screened: Number
    hit: Number
    written: Number
    unhit: Number | None
    excluded: tuple[tuple[str, Number], ...]
    quarantined: Number
    unscreened: tuple[str, ...]
    figure: FigureView | None
    funnel: TableView
    regions: TableView
    keywords: TableView
    cut: bool
    projects: TableView
    environments: tuple[tuple[str, TableView], ...]
    spot_check: tuple[TableView, ...]
    files: TableView


@dataclass(frozen=True, slots=True)
class ClaimsView:
    """All claims."""

    outcomes: tuple[OutcomeView, ...]
    total: Number
    claims: tuple[ClaimView, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rows left out: how many, how many for each reason, and the rows. ``cut`` says that only the first are shown."""

    title: str
    count: Number
    reasons: tuple[tuple[str, Number], ...]
    table: TableView
    cut: bool


@dataclass(frozen=True, slots=True)
class Rows:
    """What became of the rows that were read."""

    read: Number
    kept: Number
    excluded: Number
    quarantined: Number
    repeated: TableView
    dropped: tuple[Dropped, ...]
    sources: TableView


@dataclass(frozen=True, slots=True)
class Entry:
    """A quantity in the list: what the popover shows."""

    ref: str
    call: str
    text: str
    value: str
    interval: str
    n: str
    source: str
    undefined: str


@dataclass(frozen=True, slots=True)
class EntryGroup:
    """The entries of one quantity function."""

    name: str
    about: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page. What needs ratings is None where nobody has rated yet; then ``beginning`` is there."""

    title: str
    overview: Overview | None
    beginning: Beginning | None
    screening: ScreeningView | None
    taxonomy: Taxonomy | None
    matrix: Matrix | None
    comparisons: tuple[ComparisonView, ...]
    agreement: Agreement | None
    audit: AuditView | None
    crossings: tuple[CrossingView, ...]
    claims: ClaimsView
    rows: Rows | None
    quantities: tuple[EntryGroup, ...]
    run: RunInfo
    style: Markup
    script: Markup
