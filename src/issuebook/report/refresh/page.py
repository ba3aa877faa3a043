from issuebook.report.refresh.changes import Refresh


def render_refresh(found: Refresh, version: str, made: str) -> str:
    return "x"
