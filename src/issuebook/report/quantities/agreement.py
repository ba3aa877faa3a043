"""Quantities of inter-annotator agreement, read from what the agreement stage computed."""

from __future__ import annotations

from collections.abc import Callable

from issuebook.errors import ExpressionError, Fault
from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Quantity, QuantitySet
from issuebook.report.facts import Facts, Scope, ScopeAgreement
from issuebook.report.quantities.corpus import count_of
from issuebook.report.quantities.selection import unknown

Coefficient = Callable[..., Quantity | QuantitySet]

OVER = ("units", "annotators")
"""What an interval can be over: other units, or other annotators."""


def _coefficient(name: str, title: str) -> Coefficient:
    """Return the quantity function of one coefficient."""

    def quantity(
        facts: Facts,
        by: str | None = None,
        within: str | None = None,
        level: str | None = None,
        project: str | None = None,
        group: str | None = None,
        over: str | None = None,
    ) -> Quantity | QuantitySet:
        if over is not None:
            if over not in OVER:
                raise unknown("sampling of", over, list(OVER))
            return _one(facts, name, _scope(within=within, level=level, project=project, group=group), over)
        if by is not None:
            return _divided(facts, name, by)
        if within in facts.facet.levels:
            members = facts.facet.at_depth(facts.facet.depth_of(within))
            rated = tuple(code.id for code in members if Scope("within", code.id) in facts.agreement)
            return _set(facts, name, "within", rated)
        return _one(facts, name, _scope(within=within, level=level, project=project, group=group))

    quantity.__name__ = "percent_agreement" if name == "percent" else name
    quantity.__doc__ = f"""Return {title}, on all ratings or on a part of them.

    Args:
        facts: what the run found.
        by: one value for each ``project``, ``group`` or (Fleiss' kappa only) ``code`` against all others.
        within: only units whose consensus lies under this code; a level's name gives one value a code of that level.
        level: ratings replaced by their ancestors at this level.
        project: ratings of one project.
        group: ratings of one group of projects.
        over: what the interval is over: ``units`` (the default: other units by the same annotators) or ``annotators``
            (other annotators of the same units, by jackknife). Of a single value only.
    """
    return quantity


fleiss_kappa = _coefficient("fleiss_kappa", "Fleiss' kappa (1971)")
krippendorff_alpha = _coefficient("krippendorff_alpha", "Krippendorff's alpha for nominal data")
gwet_ac1 = _coefficient("gwet_ac1", "Gwet's AC1 (2008) with the declared codes")
percent_agreement = _coefficient("percent", "the share of agreeing pairs of ratings")


def agreement_units(
    facts: Facts,
    within: str | None = None,
    level: str | None = None,
    project: str | None = None,
    group: str | None = None,
) -> Quantity:
    """Return the number of units that agreement rests on: those with two or more ratings."""
    found = _found(facts, _scope(within=within, level=level, project=project, group=group))
    source = f"units with two or more ratings, {words(found.scope)}"
    return count_of(found.units, source, found.units + found.excluded_units)


def ratings(
    facts: Facts,
    by: str | None = None,
    within: str | None = None,
    level: str | None = None,
    project: str | None = None,
    group: str | None = None,
) -> Quantity | QuantitySet:
    """Return the number of ratings, on all rows kept or on a part of them; ``by="code"`` gives one value a code."""
    if by is not None:
        if by != "code":
            raise unknown("division", by, ["code"])
        parts = tuple(
            (entry.code, count_of(entry.ratings, f"ratings that gave {entry.code}")) for entry in facts.by_code
        )
        return QuantitySet("", parts, "count", "ratings of each code")
    scope = _scope(within=within, level=level, project=project, group=group)
    if scope == Scope():
        return count_of(int(facts.units["ratings"].sum()), "ratings on the rows kept")
    return count_of(_found(facts, scope).ratings, f"ratings given, {words(scope)}")


def confusion(facts: Facts, code: str, other: str) -> Quantity:
    """Return how often, where one annotator gave a code, another annotator of the same unit gave the other code.

    Args:
        facts: what the run found.
        code: the code that one annotator gave.
        other: the code that the other gave; the same code asks how often both agree.
    """
    found = facts.confusion
    source = f"of ratings beside a rating of {code}, those that gave {other}"
    if found is None:
        return Quantity("", Estimate.missing("agreement needs two annotators"), "share", None, source)
    for name in (code, other):
        if name not in found.codes:
            raise unknown("rated code", name, list(found.codes))
    row, column = found.codes.index(code), found.codes.index(other)
    beside = sum(found.pairs[row]) + found.pairs[row][row]  # an agreeing pair stands beside itself twice
    if not beside:
        return Quantity("", Estimate.missing(f"no pair of ratings holds {code}"), "share", 0, source)
    both = found.pairs[row][column] * (2 if row == column else 1)
    return Quantity("", Estimate(both / beside), "share", beside, source)


def words(scope: Scope) -> str:
    """Return words for a scope, for headings and tables."""
    plain = {"all": "all ratings", "level": f"codes replaced by their {scope.value}"}
    return plain.get(scope.kind, f"{scope.kind} {scope.value}")


def arguments(scope: Scope) -> dict[str, str]:
    """Return the named arguments that ask a quantity of agreement for a scope."""
    return {} if scope.kind == "all" else {scope.kind: scope.value}


def _scope(**parts: str | None) -> Scope:
    given = [(kind, value) for kind, value in parts.items() if value is not None]
    if len(given) > 1:
        raise ExpressionError(Fault("expression", f"give only one of {', '.join(parts)}."))
    return Scope(*given[0]) if given else Scope()


def _divided(facts: Facts, name: str, by: str) -> QuantitySet:
    if by == "code" and name == "fleiss_kappa":
        return _by_code(facts)
    if by not in ("project", "group"):
        raise unknown("division", by, ["project", "group", *(["code"] if name == "fleiss_kappa" else [])])
    return _set(facts, name, by, tuple(scope.value for scope in facts.agreement if scope.kind == by))


def _set(facts: Facts, name: str, kind: str, values: tuple[str, ...]) -> QuantitySet:
    parts = tuple((value, _one(facts, name, Scope(kind, value))) for value in values)
    source = "units of each consensus code" if kind == "within" else f"ratings of each {kind}"
    return QuantitySet("", parts, "coefficient", source)


def _one(facts: Facts, name: str, scope: Scope, over: str = "units") -> Quantity:
    found = _found(facts, scope)
    source = f"{found.units:,} units with two or more ratings, {words(scope)}"
    if over == "annotators":
        source += "; interval over annotators (jackknife)"
        missing = Estimate.missing("no interval over annotators was computed")
        return Quantity("", found.jackknife.get(name, missing), "coefficient", found.units, source)
    return Quantity("", found.coefficients[name], "coefficient", found.units, source)


def _found(facts: Facts, scope: Scope) -> ScopeAgreement:
    found = facts.agreement.get(scope)
    if found is None:
        known = [other.value for other in facts.agreement if other.kind == scope.kind]
        raise unknown(scope.kind if scope.kind != "within" else "code with a consensus", scope.value, known)
    return found


def _by_code(facts: Facts) -> QuantitySet:
    parts = tuple(
        (entry.code, Quantity("", entry.kappa, "coefficient", entry.ratings, f"{entry.ratings:,} ratings gave it"))
        for entry in facts.by_code
    )
    return QuantitySet("", parts, "coefficient", "each code against all others")
