"""Shapes of single lines: what a line of a log, a traceback, an environment dump, a command or source looks like.

One table of rules, tried in order as one compiled alternation. Every alternative begins with a literal or a character
class, so a line that is none of them costs one look per rule; no rule can backtrack over more than ``_REACH``
characters, so no line, however long or hostile, costs more than a short one.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Label = Literal["prose", "template", "environment", "log", "code", "quote"]

_REACH = 240  # characters of a line that its shape is read from


class Shape(NamedTuple):
    """What a line looks like: the rule that says so and the label that it speaks for."""

    rule: str
    label: Label


_VERSION = r"v?\d+(?:\.\w+)+[\w.+-]*|Module Not Found|Could not collect|N/A"
_PROGRAM = (
    r"(?:python|pip|conda|docker|podman|curl|wget|git|cmake|export|torchrun|kubectl|helm|nvidia-smi|deepspeed|accelerate"
    r"|uv|ollama|vllm serve|ray start|apt-get|apt install|npm|brew|huggingface-cli|llama-\w+|main|server|quantize)"
)
_SUBCOMMAND = (  # of programs whose name is a word of everyday prose too
    r"(?:make (?:-\w|\w+=|clean)|cd [./~\w]+/|cat [./~]|ls -|bash \S+\.sh|sh \S+\.sh|source \S+/activate|sudo [a-z]"
    r"|nohup [a-z.]|echo [\"'$]|set [A-Z_]+=|mkdir -|chmod \+|sbatch|srun)"
)

_TABLE: tuple[tuple[str, Label, str], ...] = (
    # environment dumps
    (
        "collect_env",
        "environment",
        r"(?:Collecting environment information|PyTorch version|Is debug build|(?:CUDA|ROCM) used to build|GCC version|"
        r"Clang version|CMake version|Libc version|Python (?:version|platform)|Is (?:CUDA|XNNPACK) available|CUDA (?:runtime|"
        r"Archs|available|[Dd]river)|CUDA_(?:MODULE_LOADING set|HOME)|GPU models and|Nvidia driver|cuDNN version|Probably one of|HIP runtime|"
        r"MIOpen runtime|Versions of relevant|ROCM |HIPCC:|Neuron SDK|vLLM (?:Version|Build)|GPU Topology|(?:NVIDIA|AMD) Topology|NVCC:|"
        r"ulimit soft|Hypervisor vendor|(?:NIC )?Legend:|PyTorch:|OS: |CPU:\s*$|/usr/\S*libcudnn)",
    ),
    ("pip_list", "environment", r"\[(?:pip3?|conda)\] |[A-Za-z][\w.-]*+==\d[\w.+!-]*\s*$"),
    ("pip_columns", "environment", r"[A-Za-z][\w.-]*+ {2,60}\d+(?:\.\w+)+[\w.+]*(?: +\S+)?\s*$"),
    (
        "lscpu",
        "environment",
        r"(?:Architecture|CPU op-mode|Address sizes|Byte Order|CPU\(s\)|On-line CPU|Vendor ID|Model name|CPU family|Model: |"
        r"Thread\(s\) per|Core\(s\) per|Socket\(s\)|Stepping|CPU (?:max|min)|BogoMIPS|Flags|Virtualization(?: type)?|L\d[di]? cache|"
        r"NUMA node|Vulnerability [A-Z]|Frequency boost|CPU\(s\) scaling|Caches \()[^:\n]{0,40}: ",
    ),
    (
        "gpu_table",
        "environment",
        r"GPU ?\d+(?:,\d+)*(?:[: \t]|$)|(?:NIC|mlx\d_)\w*[:\t ]|(?:X|SYS|NODE|PHB|PXB|PIX|NV#)\s{1,9}= |\+-{9}|\|[=+-]{9}|\| ?NVIDIA-SMI"
        r"|\|\s{1,9}\d\s{1,9}(?:NVIDIA|Tesla|GeForce|N/A)|\| ?(?:N/A|\d+%) |\| (?:Fan|GPU) ",
    ),
    ("package", "environment", rf"[A-Za-z][\w.-]{{0,40}}+ ?: {{1,4}}(?:{_VERSION})\s*$"),
    ("build", "environment", r"version: \d+ \((?:[0-9a-f]{6,}|unknown)\)|built with \S|Linux \S+ \d+\.\d+\.\d+|Darwin (?:\S+ \d|Kernel)|Device \d+: \w"),
    (
        "machine",
        "environment",
        r"(?:[-*+] )?(?:\*\*)?(?:OS|CPU|GPUs?|RAM|VRAM|CUDA|cuda|Python|python|Driver|System|Hardware|Docker image|docker image|"
        r"Operating [Ss]ystem|Docker|vLLM|vllm|SGLang|sglang|[Tt]orch|[Pp]y[Tt]orch|[Tt]ransformers|llama\.cpp|NVIDIA [Dd]river|"
        r"PRETTY_NAME|VERSION_ID|[Kk]ernel|[Mm]emory|Commit|[Cc]ompiler)"
        r"(?: [Vv]ersion)?(?:\*\*)?\s?[:=](?:\*\*)?\s?[`\"]?[\w(]",
    ),
    # tracebacks
    (
        "traceback",
        "log",
        r"(?:[A-Za-z]\w{2,30}(?:Error|Exception)\s{2,60})?Traceback \(most|File \"[^\"\n]{1,200}\", line|File <?[\w/.~-]+>?:\d+|"
        r"During handling of the|The above exception|[\^~]+\s*$|-{2,}> ?\d+ |Cell In\[|frame #\d|#\d+ +0x|[│╭╰]|thread '|E {3,}\S|\d{1,4} {4,}[^\s|]",
    ),
    ("exception", "log", r"(?:[a-zA-Z_]\w*+\.)*+[A-Z]\w{0,50}(?:Error|Exception|Warning|Interrupt|Failure)(?:: |:?\s*$|\()"),
    # logs
    (
        "timestamp",
        "log",
        r"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d|\d\d:\d\d:\d\d|\d\d-\d\d \d\d:)|\[?[IWEF]\d{3,4} \d\d:|\[\d{4}-|\[\d{9,}\] |\[\w+ ?\d*\]:? ?(?:\[|\d\d:)|\[rank\d",
    ),
    (
        "level",
        "log",
        r"\(\w[^)\n]{0,40}pid=\d+|\(APIServer|\[?(?:INFO|WARNING|WARN|ERROR|DEBUG|FATAL|CRITICAL|TRACE)\]?(?:[: \[|-]|$)|"
        r"(?:[Ee]rror|[Ww]arning|fatal|ERROR): |Fatal |E\d{4,5}: |W\d{4,5}: ",
    ),
    (
        "tag",
        "log",
        r"[a-z][a-z0-9]*(?:_[a-z0-9]+){2,9}\s{0,9}: |(?:main|srv|slot|que|clip|load|llama|ggml|perplexity|generate|sampling|sampler \w+|common|"
        r"build|system_info|llama\.cpp|bench)\s{0,4}\w{0,40}\s{0,2}: |I [A-Za-z_.+]+(?: build info)?:|llm_load|print_info|ggml_\w+: ",
    ),
    ("name", "log", r"[a-z][a-z0-9]*_\w+\s{0,9}: "),
    (
        "compiler",
        "log",
        r"(?:[A-Za-z]:)?[\w./\\<>+-]{1,200}+(?:(?:\(\d+\)|:\d+(?::\d+)?):? (?:fatal )?(?:error|warning|note|CUDA|undefined)|"
        r"(?<=[chupym])(?:: In |:\d+: ))|\d* ?\| {1,40}[\^~]|\d+ \| |"
        r"In file included|"
        r"\w*make(?:\[\d+\])?: |-- (?:The|Found|Looking|Check|Performing|Detect|Configur|Build|Generat|Warning|Could|Using|Install)|"
        r"\[ ?\d+%\]|\[\d+/\d+\]|CMake (?:Error|Warning)|(?:cc|gcc|g\+\+|c\+\+|nvcc|clang\+*|ld|ar) +-|\d+ (?:warning|error)s? gener",
    ),
    (
        "output",
        "log",
        r"(?:Collecting|Downloading|Installing|Building|Requirement already|Successfully|Processed prompts|Loading|Capturing|Fetching|"
        r"Processing|Started|Using device|Found \d|Log start|Generat\w+)\b[^.\n]{0,80}(?:[:\d|%]|\.\.\.)|terminate called|Aborted|"
        r"[Ss]egmentation fault|Illegal instruction|Killed|GGML_ASSERT|(?:CUDA|CANN|HIP|ROCm|SYCL|Vulkan|NCCL|Metal) error\b|current device: \d|Exception (?:in|raised)|(?:/bin/)?(?:ba|z)?sh: |"
        r"(?:Namespace|ServerArgs)\(|={4,} ?[\w ]+ ?={4,}|-{3,}[A-Z][\w (.)/]+-{3,}|llama_print|what\(\): |[\w ()/]{3,40}+: {3,}[\d.]|"
        r"\| model +\| +size|HTTP/1|Uvicorn running|nan,|\d+%\||#\d+ (?:\d+\.\d|DONE|CACHED|\[)|(?:model\.layers|blk)\.\d+\.\S|copying \S+ ->|\{\"(?:id|object)\":[^\n]{0,80}\"(?:object|created|choices)",
    ),
    ("response", "log", r"\{\"(?:id|object|error|content|detail|text|choices)\"|\{'|data: \{|\[\d+(?:, \d+)+"),
    ("aligned", "environment", r"[A-Z][\w ./()-]{2,40}:{1,2} {2,60}[A-Z\d]"),
    # code
    (
        "prompt",
        "code",
        r"\$ ?[\w./(]|(?:\([\w.-]+\) ?)?[\w.-]++@[\w.-]++[:~ ][^\n]{0,120}?[$#%] ?\S|(?:\([\w.-]+\) ?)?\[?[\w-]++@[^\]\n]{1,80}\][$#] ?\S|"
        r"[A-Za-z]:\\[^>\n]{0,120}> ?\S|PS [A-Z]:\\|>>> |In \[\d",
    ),
    (
        "command",
        "code",
        rf"(?:(?:sudo|nohup|time) )?(?:[A-Z_][A-Z0-9_]*=\S{{1,120}} +)*(?:{_PROGRAM}(?:[\d.]*|\.exe)(?: +-| +[\w./]+[./=:-]| +(?:run|install|build|"
        rf"serve|clone|pull|exec|compose|checkout|create|activate|[A-Z_]+=))|\.{{1,2}}[/\\]\S|[~/]?[\w.-]*/bin/\S+ +-)|--?\w[\w-]* ?\S*\s*\\\s*$|"
        r"--[a-z][\w-]+(?:[ =]\S+)?\s*$|FROM \w+[/:]|RUN \w",
    ),
    ("shell", "code", _SUBCOMMAND),
    ("json", "code", r"[\"'][^\"'\n]{1,60}[\"'] ?: |\"[^\"\n]{0,200}\",\s*$"),
    (
        "source",
        "code",
        r"import \w[\w., ]*(?: as \w+)?\s*$|from \w[\w.]* import |(?:async )?def \w+\(|class \w+(?:\(|:\s*$)|@\w+[\w.]*(?:\(|\s*$)|"
        r"#(?:include|define|if|ifdef|ifndef|endif|pragma)\b|diff --git|index [0-9a-f]{6,}|(?:---|\+\+\+) [ab]/|@@ -\d|"
        r"(?:static|const|void|struct|template|namespace|typedef|using|inline|extern|enum)\b[^\n]{0,120}[({;<]|"
        r"if __name__|print\(|(?:for|if|while|with|elif|else|try|except)\b[^\n]{0,120}:\s*$|(?:if|for|while|switch) ?\(|[\w.]++ = [\w.]++\(",
    ),
    (
        "syntax",
        "code",
        r"[\]})]+[,;)]*\s*$|[{\[(]+\s*$|[\w.\[\]]++(?: [-+]?= [\w\"'\[{(-]|\([^\n]{0,160}\)[;,:{]?\s*$|"
        r" ?[=(] ?[\w.]*+\($|=[\w.\"']++,\s*$)|//|/\*|\"\"\"|return\b",
    ),
    (
        "layout",
        "code",
        r"[\w.-]{1,40}=[\w\"'\[{(/-]|[\w-]++:(?:\s*$| [\"'\d\[])|- (?:name|image|\"|--)|<\w+>\S|\+\s|-\s{2,}",
    ),
)

_SHAPES = {rule: Shape(rule, label) for rule, label, _ in _TABLE}
_PATTERN = re.compile(r"[ \t]*+`?+(?:" + "|".join(f"(?P<{rule}>{pattern})" for rule, _, pattern in _TABLE) + ")")
_STATEMENT_ENDS = (";", "{")
_FUNCTION_WORDS = frozenset(
    "the a an is are was be this that it i we you my to for with when how and but not can could would should have has do does did in of on if "
    "so there same any please thanks thank above see seem seems after also only using use used here what why which i'm it's don't".split()
)
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{3}")


def shape(line: str) -> Shape | None:
    """Return what a line looks like, or None when no rule knows it; leading space and one back-tick are skipped."""
    match = _PATTERN.match(line, 0, _REACH)
    if match is not None and match.lastgroup is not None:
        return _SHAPES[match.lastgroup]
    return _SHAPES["layout"] if line[-3:].rstrip()[-1:] in _STATEMENT_ENDS else None


def is_sentence(line: str) -> bool:
    """Return whether a line reads like people's writing: two function words among four, or a stretch of CJK."""
    head = line[:_REACH]
    if not head.isascii() and _IDEOGRAPHS.search(head):
        return True
    words = head.lower().split()
    return len(words) > 3 and len(_FUNCTION_WORDS.intersection(words)) > 1
