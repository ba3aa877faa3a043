"""What a person wrote in a report: title and prose, without the form, the machine, logs, code, quotes and links."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from issuebook.text.regions import regions

_KINDS = (
    r"bugs?|bug report|issue|features?|feature request|enhancement|proposal|request|question|usage|help|support|"
    r"docs?|documentation|rfc|misc|performance|perf|installation|install|build|ci|ci failure|test|new model|model|"
    r"refactor|roadmap|tracker|tracking issue|discussion|research|user|eval bug|compile bug|task|todo|draft|wip"
)
_PREFIX = re.compile(
    rf"\s*(?:[\[【(<]\s*(?:{_KINDS})\s*[\]】)>]\s*[:：-]*|\[[^\]\n]{{1,40}}\]\s*[:：]"
    rf"|(?:misc\. )?(?:{_KINDS})\s*[:：])\s*",
    re.IGNORECASE,
)
_NOT_WORDS = re.compile(
    r"!?\[([^\]\n]{0,300})\]\([^)\s]{1,2000}[^)\n]{0,200}\)"  # a link keeps its text
    r"|<?https?://[^\s<>()\]]+|www\.[^\s<>()\]]+|</?[a-zA-Z][^<>\n]{0,300}>|&[a-z]{2,8};"
    r"|(?<![\w@])@[\w-]{1,39}\b|(?<!\w)[\w./-]{0,80}#\d+\b"
)


def prose(title: str | None, body: str | None, templates: AbstractSet[str] | None = None) -> str:
    """Return title and body as far as they are people's writing: the text that features are taken from.

    Args:
        title: as written; a prefix that says the kind of report (``[Bug]:``, ``Feature Request:``) is left out, for
            it is the form's word and not the writer's.
        body: as written; only spans of prose are kept (``regions``), without links, tags and mentions.
        templates: lines of the form that the report was written in (``templates.learn_templates``).
    """
    written = [bare_title(title or "")]
    if body:
        spans = regions(body, templates)
        written += [body[span.start : span.end].strip() for span in spans if span.label == "prose"]
    return "\n".join(text for text in (_NOT_WORDS.sub(r"\1 ", part) for part in written) if text.strip())


def bare_title(title: str) -> str:
    """Return a title without what stands before it to say the report's kind; the whole title if that is all."""
    bare = title
    while (match := _PREFIX.match(bare)) is not None:
        bare = bare[match.end() :]
    return bare.strip() or title.strip()
