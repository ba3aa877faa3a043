"""What a study that nobody has rated yet lacks, and what to do next."""

from __future__ import annotations

from issuebook.report.facts import Facts


def what_next(facts: Facts) -> str:
    """Return what is missing and what to do next, in one line; empty where there are ratings."""
    if not facts.unrated:
        return ""
    facet, steps = facts.facet, []
    missing = [f"labels of {facet.id} (those of an open round stay blind)"]
    if facts.screening is not None and not facts.screening.lists:
        missing.append("keyword lists")
        steps.append("name lists with [keywords] in study.toml")
    if not facet.codes:
        missing.append(f"released codes of {facet.id}")
        proposed = "let the reports propose codes (issuebook cluster STUDY; issuebook proposals accept STUDY …)"
        steps.append(f"{proposed} or write them (issuebook codebook edit STUDY add …)")
        steps.append("release them (issuebook codebook release STUDY --name V1)")
    steps.append("label (issuebook annotate STUDY) and close the round")
    return f"Missing: {', '.join(missing)}. Next: {'; '.join(steps)}."
