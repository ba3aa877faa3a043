"""The present ratings of a facet as they stand under a version of the codebook, with account of every rating."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from issuebook import schemas
from issuebook.annotation.joined import Made
from issuebook.annotation.ratings import Ratings
from issuebook.app.codebook import facet_in, history_of, rated
from issuebook.app.services import Services
from issuebook.app.study_files import load_study
from issuebook.codebook.history import History, Steps
from issuebook.codebook.migrate import Migration, migrate
from issuebook.model.codebook import Facet
from issuebook.model.study import RatedFacet

WORKBENCH = "workbench"
"""What names the workbench where a file's name stands for other ratings."""

FINAL = "final"
"""Stands for the annotator where a released final code is migrated, and for its cell where it is to be reviewed."""


def made_under(history: History, source: RatedFacet | None) -> int:
    """Return the number of the state that ratings were made under: the version that study.toml names, else the release.

    Raises:
        EditError: there is no such version.
    """
    named = source.codebook if source is not None else None
    return history.number(named) if named is not None else history.released


def codes_of(services: Services, source: RatedFacet, facet: Facet) -> tuple[str, ...]:
    """Return the codes that ratings of a source may have: those of the version that they were made under."""
    if source.codebook is None:
        return tuple(facet.nodes)
    history = history_of(services)
    return tuple(facet_in(history.at(history.number(source.codebook)), source.facet).nodes)


def carried(
    made: Made, history: History, source: RatedFacet | None, facet: Facet, projects: Mapping[str, str]
) -> tuple[Made, pl.DataFrame]:
    """Return ratings and decisions of the workbench as they stand under the released codebook, and what is left open.

    Each is carried from the version of the codebook that it names; one that names none, from the version that
    study.toml names, else the release. A version that the history does not know (a file changed by hand) has nothing to
    carry: its codes stand as they are.

    Args:
        made: what the workbench fixed.
        history: of the codebook.
        source: what study.toml says of the facet, if it says anything.
        facet: the facet as released.
        projects: project by unit, which rules of splits may ask for.

    Returns:
        The same ratings, with null for a code that a person must look at; and those, as ``schemas.QUARANTINED``.
    """
    decided = [(unit, FINAL, *said) for unit, said in made.decisions.items()]
    schema = dict.fromkeys(("unit", "annotator", "code", "codebook"), pl.String())
    said = pl.concat([made.ratings.select(*schema), pl.DataFrame(decided, schema=schema, orient="row")])
    about = said.with_row_index("item").with_columns(
        project=pl.col("unit").replace_strict(dict(projects), default=None, return_dtype=pl.String),
        group=pl.lit(None, dtype=pl.String),
        source=pl.lit(WORKBENCH),
        line=pl.lit(None, dtype=pl.UInt32),
    )
    found = [
        migrate(part, steps, facet)
        for (name,), part in about.group_by("codebook", maintain_order=True)
        if any(steps := _steps(history, source, str(name)))
    ]
    codes = {item: None for each in found for item in each.to_review["item"]}
    codes |= dict(row for each in found for row in each.ratings.select("item", "code").iter_rows())
    now = [codes.get(item, code) for item, code in enumerate(said["code"])]
    ratings = made.ratings.with_columns(code=pl.Series(now[: made.ratings.height], dtype=pl.String))
    finals = zip(made.decisions.items(), now[made.ratings.height :], strict=True)
    decisions = {unit: before._replace(code=code) for (unit, before), code in finals if code is not None}
    left_open = [_open(each) for each in found]
    return Made(ratings, decisions), pl.concat([pl.DataFrame(schema=schemas.QUARANTINED), *left_open])


def _steps(history: History, source: RatedFacet | None, named: str) -> Steps:
    """Return what leads from a version to the release; nothing where the history does not know the version."""
    start = history.versions.get(named, history.released) if named else made_under(history, source)
    return history.steps(start, history.released)


def migration(services: Services, facet: str | None, old: str | None, new: str) -> tuple[Facet, Migration]:
    """Return a facet in one version, and its present ratings, made under another, as they stand there.

    Args:
        services: the study.
        facet: id of the facet; None takes the only one.
        old: the version that the ratings were made under; None takes what study.toml says, else the last release.
        new: the version asked for.

    Raises:
        InputError: the study has no ratings of the facet.
    """
    history = history_of(services)
    there = facet_in(history.at(history.number(new)), facet)
    sources = load_study(services.workspace).study.rated
    source = next((each for each in sources if each.facet == there.id), None)
    start = history.number(old) if old is not None else made_under(history, source)
    return there, migrate(rated(services, there.id), history.steps(start, history.number(new)), there)


def migrated(ratings: Ratings, steps: Steps, facet: Facet) -> Ratings:
    """Return ratings and released final codes after the steps; what they leave open is quarantined with the reason."""
    about = ratings.items.select("item", "unit", "project", "group", "source", "line")
    given = ratings.ratings.join(about, on="item", how="left", maintain_order="left")
    finals = ratings.items.drop_nulls("final").select(
        "item", pl.lit(FINAL).alias("annotator"), pl.col("final").alias("code"), *about.columns[1:]
    )
    rated, released = migrate(given, steps, facet), migrate(finals, steps, facet)
    final = released.ratings.select("item", pl.col("code").alias("final"))
    items = ratings.items.drop("final").join(final, on="item", how="left", maintain_order="left")
    left_open = pl.concat([_open(rated), _open(released)])
    return replace(
        ratings,
        items=items.select(schemas.ITEMS.names()),
        ratings=rated.ratings.select(schemas.RATINGS.names()),
        quarantined=pl.concat([ratings.quarantined, left_open]),
    )


def _open(found: Migration) -> pl.DataFrame:
    return found.to_review.select(
        "source",
        "line",
        "unit",
        pl.col("annotator").alias("cell"),
        pl.format("to review: {}", "reason").alias("reason"),
        pl.col("code").alias("text"),
    ).cast(schemas.QUARANTINED)
