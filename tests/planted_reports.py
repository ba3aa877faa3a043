"""Issue reports about themes that are known, in the words of each theme, in issue forms, with dumps of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from issuebook.codebook.proposals.features import Report, features, report_of
from issuebook.codebook.proposals.propose import Grouped, group, propose
from issuebook.codebook.proposals.values import ProposalSet, Scope
from issuebook.stats.clustering.partition import ClusterSettings
from issuebook.text.templates import Written, learn_templates

THEMES = {
    "memory": "memory leak allocated cuda allocator fragmentation oom freed pool growth",
    "tokens": "tokenizer vocabulary special token decode merges unicode byte encoding split",
    "build": "compile cmake linker header nvcc toolchain wheel undefined symbol flags",
    "server": "endpoint http request streaming timeout client connection queue latency router",
    "lora": "lora adapter rank merge finetune weights peft checkpoint loading layers",
    "vision": "image vision pixel patches resolution multimodal encoder video frames crop",
    "grammar": "grammar json schema guided constraint regex structured outlines parser rules",
    "multinode": "node cluster ray nccl rank allreduce placement interconnect worker topology",
}
NOISE = "the please version is not with using works when after a after this it and for"
FORM_A = (
    "### Your current environment\n\n```text\n{dump}```\n\n### Describe the bug you see in this project\n\n{text}\n"
)
FORM_B = "- [x] I searched the existing issues of this tracker\n\n**Steps of the form to fill**\n\n{text}\n\n{dump}"
DUMP = "PyTorch version: 2.4.0\nCUDA used to build PyTorch: 12.1\nOS: Ubuntu 22.04\nCPU(s):    64\nGPU 0: NVIDIA A100\n"


class Planted(NamedTuple):
    """A report and the theme that it is about."""

    id: str
    title: str
    body: str
    project: str
    theme: str


def planted(number: int, seed: int = 0, themes: Sequence[str] = tuple(THEMES), words: int = 14) -> list[Planted]:
    """Reports of some themes in turn, each in words of its theme with noise between, half in each of two forms."""
    rng = np.random.default_rng(seed)
    noise = NOISE.split()
    found = []
    for at in range(number):
        theme = themes[at % len(themes)]
        own = THEMES[theme].split()
        said = [str(word) for word in rng.choice(own, words)]
        text = " ".join(f"{rng.choice(noise)} {word}" for word in said)
        title = " ".join(["[Bug]:", *(str(word) for word in rng.choice(own, 3, replace=False))])
        form = (FORM_A, FORM_B)[int(rng.integers(2))]
        project = f"own/{('alpha', 'beta')[int(rng.integers(2))]}"
        body = form.format(text=text, dump=DUMP)
        found.append(Planted(f"github:{project}#{at:05}", title, body, project, theme))
    return found


def written(planted_reports: Sequence[Planted]) -> list[Report]:
    """The same as reports whose prose was found, sorted by id."""
    forms = learn_templates(Written(one.project, "", one.body) for one in planted_reports)
    rows = ((one.id, f"https://x/{one.id}", one.title, one.body, one.project, "") for one in planted_reports)
    return sorted(report_of(row, forms) for row in rows)


def grouped(reports: Sequence[Report]) -> Grouped:
    return group(features(reports), ClusterSettings())


def proposed(reports: Sequence[Report], name: str = "all", **settings: int) -> ProposalSet:
    return propose(reports, grouped(reports), Scope(name=name), ClusterSettings(**{"subsamples": 2, **settings}))
