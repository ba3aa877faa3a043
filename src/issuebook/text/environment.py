"""The environment that a report describes, as columns: framework version, CUDA, driver, GPU, OS, Python, packages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from issuebook.text.regions import Span

_VALUE = r"(\d[\w.+-]*)"
# Of several sources of one fact the first that is there counts; each pattern's one group is the value.
_CUDA = (
    rf"CUDA used to build PyTorch\s*: {_VALUE}",
    rf"CUDA runtime version\s*: {_VALUE}",
    rf"Cuda compilation tools, release {_VALUE},",
    rf"CUDA Version: {_VALUE}",
    r"(?<![\w-])(?:CUDA|cuda)(?: [Vv]ersion| Toolkit)?(?:\*\*)?\s?[:=]? ?v?(\d{1,2}(?:\.\d+)+|1\d\b)",
)
_DRIVER = (
    rf"(?:Nvidia driver version|CUDA Driver Version)\s*: {_VALUE}",
    rf"[Dd]river(?: [Vv]ersion)?\s?[:=]? {_VALUE}",
)
_PYTHON = (rf"Python version\s*: {_VALUE}", rf"Python: {_VALUE}", r"[Pp]ython(?: [Vv]ersion)?\s?[:=]? ?v?(3\.[\d.]+)")
_OS = (
    r"^OS\s*: ([^\n]+)",
    r"^PRETTY_NAME=\"?([^\"\n]+)",
    r"^(?:[-*] )?(?:\*\*)?(?:OS|System|Operating System)(?: [Vv]ersion)?(?:\*\*)?\s?[:=]+(?:\*\*)? *([^\n]+)",
    r"^((?:Linux|Windows|[Mm]ac ?(?:OS)?|BSD|Ubuntu|Debian|Fedora|CentOS|WSL)\b[^\n]{0,40})$",
    r"^Python platform\s*: ([^\n]+)",
    r"^built with [^\n]+ for (\S*(?:linux|darwin|windows|mingw)\S*)$",
)
_GPU = re.compile(
    r"^GPU (?P<places>\d+(?:,\d+)*): (?P<listed>[^\n(]+)"
    r"|^\| {1,5}\d+ {1,5}(?P<smi>(?:NVIDIA|Tesla|GeForce|Quadro|RTX)[\w .-]*?)(?: {2}|\.\.\.| On| Off)"
    r"|^ *Device \d+: (?P<device>[^,\n]+)"
    r"|^(?:[-*] )?(?:\*\*)?GPUs?(?:\*\*)?\s?[:=](?:\*\*)? ?(?P<named>[^\n]+)"
    r"|^ *Marketing Name: +(?P<rocm>[^\n]*(?:Radeon|Instinct|MI\d)[^\n]*)",
    re.MULTILINE,
)
_PACKAGE = re.compile(
    r"^(?:\[pip3?\] )?(?P<pinned>[A-Za-z][\w.-]*)==(?P<pin>\d[\w.+!-]*)\s*$"
    r"|^\[conda\] (?P<conda>[A-Za-z][\w.-]*) +(?P<build>\d[\w.+]*)"
    r"|^(?P<named>[a-z][\w.-]*): (?P<value>\d+(?:\.\w+)+[\w.+-]*)\s*$"
    r"|^(?P<column>[A-Za-z][\w.-]*) {2,60}(?P<listed>\d+(?:\.\w+)+[\w.+]*)"
    r"|^Name: (?P<shown>\S+)\nVersion: (?P<version>\S+)$",
    re.MULTILINE,
)
_NOT_PACKAGES = frozenset({"version", "python", "cuda", "gcc", "llama.cpp", "build"})
_LLAMA_CPP = re.compile(r"^version: (\d+) \([0-9a-f]+\)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Environment:
    """What a report says about the machine and the software; None and empty where it says nothing.

    Attributes:
        framework_version: of the project whose tracker holds the report; for llama.cpp the build number.
        cuda: the version that PyTorch was built with where that is told, else of the runtime, of nvcc, or what the
            driver offers, in this order.
        driver: version of the NVIDIA driver.
        gpus: distinct names of GPUs, in order.
        gpu_count: how many GPUs the report lists; 0 when it lists none.
        os: operating system, as written.
        python: version.
        packages: version by package name in lower case.
    """

    framework_version: str | None = None
    cuda: str | None = None
    driver: str | None = None
    gpus: tuple[str, ...] = ()
    gpu_count: int = 0
    os: str | None = None
    python: str | None = None
    packages: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a row of a frame."""
        return asdict(self)


def environment(body: str, spans: Iterable[Span], framework: str = "") -> Environment:
    """Return the environment that the environment spans of a body describe.

    Args:
        body: the text that ``spans`` were found in.
        spans: its regions; only those labelled environment are read.
        framework: the project's package name, e.g. ``vllm``, ``sglang``, ``llama.cpp``; without it the report's
            framework version stays unknown, for an environment names many packages.

    Understood are torch's and vLLM's ``collect_env``, sglang's ``check_env``, ``nvidia-smi``, ``pip list`` (also
    ``freeze`` and ``show``), conda lists, os-release, llama.cpp's version lines, and ``name: value`` lines by hand.
    """
    text = "\n".join(body[span.start : span.end] for span in spans if span.label == "environment").replace("\r\n", "\n")
    if not text:
        return Environment()
    packages = _packages(text)
    gpus = _gpus(text)
    return Environment(
        framework_version=_framework(text, framework.lower(), packages) if framework else None,
        cuda=_first(_CUDA, text),
        driver=_first(_DRIVER, text),
        gpus=tuple(dict.fromkeys(gpus)),
        gpu_count=len(gpus),
        os=_first(_OS, text),
        python=_first(_PYTHON, text),
        packages=packages,
    )


def _first(patterns: Iterable[str], text: str) -> str | None:
    """Return the value of the first pattern that the text holds; ``re`` keeps the patterns compiled."""
    found = (re.search(pattern, text, re.MULTILINE) for pattern in patterns)
    return next((match.group(1).strip().rstrip(".,") for match in found if match), None)


def _packages(text: str) -> dict[str, str]:
    """Return version by package name; of a package named twice the first counts."""
    packages: dict[str, str] = {}
    for match in _PACKAGE.finditer(text):
        name, version = (value for value in match.groups() if value is not None)
        if name.lower() not in _NOT_PACKAGES:
            packages.setdefault(name.lower(), version)
    return packages


def _gpus(text: str) -> list[str]:
    """Return the name of each GPU, as often as the report lists it; of several lists the longest."""
    lists: dict[str, list[str]] = {}
    for match in _GPU.finditer(text):
        source = "listed" if match["places"] else str(match.lastgroup)
        name = match[source].strip(" *`\t")
        if name and "Compute Capability" not in name:
            lists.setdefault(source, []).extend([name] * (len(match["places"].split(",")) if match["places"] else 1))
    return max(lists.values(), key=len, default=[])


def _framework(text: str, framework: str, packages: Mapping[str, str]) -> str | None:
    """Return the version of the project's own package."""
    if framework == "llama.cpp" and (build := _LLAMA_CPP.search(text)):
        return build.group(1)
    named = rf"\b{re.escape(framework)}(?: version)?(?:\*\*)?[ \t]{{0,60}}(?:: ?|={{1,2}} ?|-|@)?(?:\*\*)?[`\"]?"
    stated = re.search(named + r"v?(\d+\.[\w.+-]+|b\d{3,})", text, re.IGNORECASE)
    return packages.get(framework) or (stated.group(1) if stated else None)
