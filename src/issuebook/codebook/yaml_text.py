"""A codebook as YAML that is readable in a diff: one order of keys, one way of quoting, a value a line."""

from __future__ import annotations

from typing import Any

import yaml

from issuebook.model.codebook import Codebook

HEADER = """\
# The released codebook. Written by `issuebook codebook release`, which keeps no comments: put what a reader
# should know into `note`. A change made here by hand enters the history with `issuebook codebook import`.
"""


def to_yaml(codebook: Codebook, header: str = HEADER) -> str:
    """Return a codebook as YAML text; ``read_codebook`` gives the same codebook back.

    Keys stand in the order of the model; keys with their default are left out. Text that YAML would take for something
    else is quoted, long lines are not folded, and text of several lines is a block: a change of one value is a change
    of its own lines only.
    """
    data = {"name": codebook.name, **codebook.model_dump(mode="json", exclude_defaults=True)}
    text: str = yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1_000_000, default_flow_style=False
    )
    return header + text


class _Dumper(yaml.SafeDumper):
    """Indents lists below their key and never writes a value twice by reference."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, indentless=False)

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)
