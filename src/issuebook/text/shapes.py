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
    r"(?:python|pip|conda|docker|podman|curl|wget|git|cmake|export|torchrun|kubectl|helm|nvidia-smi|deepspeed|"
    r"accelerate|uv|ollama|vllm serve|ray start|apt-get|apt install|npm|brew|huggingface-cli|llama-\w+|main|"
    r"server|quantize)"
)
_SUBCOMMAND = (  # of programs whose name is a word of everyday prose too
    r"(?:make (?:-\w|\w+=|clean)|cd [./~\w]+/|cat [./~]|ls -|bash \S+\.sh|sh \S+\.sh|source \S+/activate|"
    r"sudo [a-z]|nohup [a-z.]|echo [\"'$]|set [A-Z_]+=|mkdir -|chmod \+|sbatch|srun)"
)

_TABLE: tuple[tuple[str, Label, str], ...] = (
    (  # torch's and vLLM's collect_env, sglang's check_env
        "collect_env",
        "environment",
        r"(?:Collecting environment information|PyTorch version|Is debug build|(?:CUDA|ROCM) used to build|"
        r"GCC version|Clang version|CMake version|Libc version|Python (?:version|platform)|Is (?:CUDA|"
        r"XNNPACK) available|CUDA (?:runtime|Archs|available|[Dd]river)|CUDA_(?:MODULE_LOADING set|HOME)|"
        r"GPU models and|Nvidia driver|cuDNN version|Probably one of|HIP runtime|MIOpen runtime|"
        r"Versions of relevant|ROCM |HIPCC:|Neuron SDK|vLLM (?:Version|Build)|GPU Topology|(?:NVIDIA|"
        r"AMD) Topology|NVCC:|ulimit soft|Hypervisor vendor|(?:NIC )?Legend:|PyTorch:|OS: |CPU:\s*$|"
        r"/usr/\S*libcudnn)",
    ),
    (  # [pip3] torch==2.4.0
        "pip_list",
        "environment",
        r"\[(?:pip3?|conda)\] |[A-Za-z][\w.-]*+==\d[\w.+!-]*\s*$",
    ),
    (  # torch      2.4.0
        "pip_columns",
        "environment",
        r"[A-Za-z][\w.-]*+ {2,60}\d+(?:\.\w+)+[\w.+]*(?: +\S+)?\s*$",
    ),
    (  # CPU(s):    64
        "lscpu",
        "environment",
        r"(?:Architecture|CPU op-mode|Address sizes|Byte Order|CPU\(s\)|On-line CPU|Vendor ID|Model name|"
        r"CPU family|Model: |Thread\(s\) per|Core\(s\) per|Socket\(s\)|Stepping|CPU (?:max|min)|BogoMIPS|Flags|"
        r"Virtualization(?: type)?|L\d[di]? cache|NUMA node|Vulnerability [A-Z]|Frequency boost|CPU\(s\) scaling|"
        r"Caches \()[^:\n]{0,40}: ",
    ),
    (  # GPU0  X  NV18, and the frames of nvidia-smi
        "gpu_table",
        "environment",
        r"GPU ?\d+(?:,\d+)*(?:[: \t]|$)|(?:NIC|mlx\d_)\w*[:\t ]|(?:X|SYS|NODE|PHB|PXB|PIX|NV#)\s{1,9}= |\+-{9}|"
        r"\|[=-]{9,120}+\+|\|={9}|\| ?NVIDIA-SMI|\|\s{1,9}\d\s{1,9}(?:NVIDIA|Tesla|GeForce|N/A)|\| ?(?:N/A|\d+%) |"
        r"\| (?:Fan|GPU) ",
    ),
    (  # numpy: 1.26.4
        "package",
        "environment",
        rf"[A-Za-z][\w.-]{{0,40}}+ ?: {{1,4}}(?:{_VERSION})\s*$",
    ),
    (  # version: 4000 (0a1b2c3d), uname, device lists
        "build",
        "environment",
        r"version: \d+ \((?:[0-9a-f]{6,}|unknown)\)|built with \S|Linux \S+ \d+\.\d+\.\d+|Darwin (?:\S+ \d|"
        r"Kernel)|Device \d+: \w",
    ),
    (  # - GPU: RTX 4090, by hand
        "machine",
        "environment",
        r"(?:[-*+] )?(?:\*\*)?(?:OS|CPU|GPUs?|RAM|VRAM|CUDA|cuda|Python|python|Driver|System|Hardware|"
        r"Docker image|docker image|Operating [Ss]ystem|Docker|vLLM|vllm|SGLang|sglang|[Tt]orch|[Pp]y[Tt]orch|"
        r"[Tt]ransformers|llama\.cpp|NVIDIA [Dd]river|PRETTY_NAME|VERSION_ID|[Kk]ernel|[Mm]emory|Commit|"
        r"[Cc]ompiler)(?: [Vv]ersion)?(?:\*\*)?\s?[:=](?:\*\*)?\s?[`\"]?[\w(]",
    ),
    (  # Python, IPython, C++, pytest, rich
        "traceback",
        "log",
        r"(?:[A-Za-z]\w{2,30}(?:Error|Exception)\s{2,60})?Traceback \(most|File \"[^\"\n]{1,200}\", line|"
        r"File <?[\w/.~-]+>?:\d+|During handling of the|The above exception|[\^~]+\s*$|-{2,}> ?\d+ |Cell In\[|"
        r"frame #\d|#\d+ +0x|[│╭╰]|thread '|E {3,}\S|\d{1,4} {4,}[^\s|]",
    ),
    (  # ValueError: ...
        "exception",
        "log",
        r"(?:[a-zA-Z_]\w*+\.){0,20}[A-Z]\w{0,50}(?:Error|Exception|Warning|Interrupt|Failure)(?:: |:?\s*$|\()",
    ),
    (  # [2025-01-31 10:00:00], I0131 10:00:00
        "timestamp",
        "log",
        r"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d|\d\d:\d\d:\d\d|\d\d-\d\d \d\d:)|\[?[IWEF]\d{3,4} \d\d:|\[\d{4}-|"
        r"\[\d{9,}\] |\[\w+ ?\d*\]:? ?(?:\[|\d\d:)|\[rank\d",
    ),
    (  # INFO 01-31 ..., (Worker pid=1) ...
        "level",
        "log",
        r"\(\w[^)\n]{0,40}pid=\d+|\(APIServer|\[?(?:INFO|WARNING|WARN|ERROR|DEBUG|FATAL|CRITICAL|"
        r"TRACE)\]?(?:[: \[|-]|$)|(?:[Ee]rror|[Ww]arning|fatal|ERROR): |Fatal |E\d{4,5}: |W\d{4,5}: ",
    ),
    (  # llama_model_load: ..., srv  update_slots: ...
        "tag",
        "log",
        r"[a-z][a-z0-9]*(?:_[a-z0-9]+){2,9}\s{0,9}: |(?:main|srv|slot|que|clip|load|llama|ggml|perplexity|"
        r"generate|sampling|sampler \w+|common|build|system_info|llama\.cpp|bench)\s{0,4}\w{0,40}\s{0,2}: |"
        r"I [A-Za-z_.+]+(?: build info)?:|llm_load|print_info|ggml_\w+: ",
    ),
    (  # load_time: ...
        "name",
        "log",
        r"[a-z][a-z0-9]*_\w+\s{0,9}: ",
    ),
    (  # main.cpp:1:2: error, make: ***, -- Found CUDA, [ 50%]
        "compiler",
        "log",
        r"(?:[A-Za-z]:)?[\w./\\<>+-]{1,200}+(?:(?:\(\d+\)|:\d+(?::\d+)?):? (?:fatal )?(?:error|warning|note|CUDA|"
        r"undefined)|(?<=[chupym])(?:: In |:\d+: ))|\d* ?\| {1,40}[\^~]|\d+ \| |In file included|"
        r"\w*make(?:\[\d+\])?: |-- (?:The|Found|Looking|Check|Performing|Detect|Configur|Build|Generat|Warning|"
        r"Could|Using|Install)|\[ ?\d+%\]|\[\d+/\d+\]|CMake (?:Error|Warning)|(?:cc|gcc|g\+\+|c\+\+|nvcc|clang\+*|"
        r"ld|ar) +-|\d+ (?:warning|error)s? gener",
    ),
    (  # what programs print without a mark of their own
        "output",
        "log",
        r"(?:Collecting|Downloading|Installing|Building|Requirement already|Successfully|Processed prompts|"
        r"Loading|Capturing|Fetching|Processing|Started|Using device|Found \d|Log start|"
        r"Generat\w+)\b[^.\n]{0,80}(?:[:\d|%]|\.\.\.)|terminate called|Aborted|[Ss]egmentation fault|"
        r"Illegal instruction|Killed|GGML_ASSERT|(?:CUDA|CANN|HIP|ROCm|SYCL|Vulkan|NCCL|Metal) error\b|"
        r"current device: \d|Exception (?:in|raised)|(?:/bin/)?(?:ba|z)?sh: |(?:Namespace|ServerArgs)\(|"
        r"={4,} ?[\w ]+ ?={4,}|-{3,}[A-Z][\w (.)/]+-{3,}|llama_print|what\(\): |[\w ()/]{3,40}+: {3,}[\d.]|"
        r"\| model +\| +size|HTTP/1|Uvicorn running|\d+%\||#\d+ (?:\d+\.\d|DONE|CACHED|\[)|(?:model\.layers|"
        r"blk)\.\d+\.\S|copying \S+ ->|\{\"(?:id|object)\":[^\n]{0,80}\"(?:object|created|choices)",
    ),
    (  # {"id": ...}, {'dim': ...}, [1, 2, 3]
        "response",
        "log",
        r"\{\"(?:id|object|error|content|detail|text|choices)\"|\{'|data: \{|\[\d+(?:, \d+)+",
    ),
    (  # Chip ID:    29663
        "aligned",
        "environment",
        r"[A-Z][\w ./()-]{2,40}:{1,2} {2,60}[A-Z\d]",
    ),
    (  # $ ls, user@host:~$ ls, C:\x> dir, >>> 1
        "prompt",
        "code",
        r"\$ ?[\w./(]|(?:\([\w.-]+\) ?)?[\w.-]++@[\w.-]++[:~ ][^\n]{0,120}?[$#%] ?\S|"
        r"(?:\([\w.-]+\) ?)?\[?[\w-]++@[^\]\n]{1,80}\][$#] ?\S|[A-Za-z]:\\[^>\n]{0,120}> ?\S|PS [A-Z]:\\|>>> |"
        r"In \[\d",
    ),
    (  # python -m x --y, ./main -m x, A=1 make, --option \
        "command",
        "code",
        r"(?:(?:sudo|nohup|time) )?(?:[A-Z_][A-Z0-9_]*=\S{1,120} +)*(?:"
        rf"{_PROGRAM}"
        r"(?:[\d.]*|\.exe)(?: +-| +[\w./]+[./=:-]| +(?:run|install|build|serve|clone|pull|exec|compose|checkout|"
        r"create|activate|[A-Z_]+=))|\.{1,2}[/\\]\S|[~/]?[\w.-]*/bin/\S+ +-)|--?\w[\w-]* ?\S*\s*\\\s*$|"
        r"--[a-z][\w-]+(?:[ =]\S+)?\s*$|FROM \w+[/:]|RUN \w",
    ),
    (  # words of everyday prose: make, cd, echo
        "shell",
        "code",
        _SUBCOMMAND,
    ),
    (  # "key": ...,
        "json",
        "code",
        r"[\"'][^\"'\n]{1,60}[\"'] ?: |\"[^\"\n]{0,200}\",\s*$",
    ),
    (  # import x, def f(, #include <x>, diff --git
        "source",
        "code",
        r"import \w[\w., ]*(?: as \w+)?\s*$|from \w[\w.]* import |(?:async )?def \w+\(|class \w+(?:\(|:\s*$)|"
        r"@\w+[\w.]*(?:\(|\s*$)|#(?:include|define|if|ifdef|ifndef|endif|pragma)\b|diff --git|index [0-9a-f]{6,}|"
        r"(?:---|\+\+\+) [ab]/|@@ -\d|(?:static|const|void|struct|template|namespace|typedef|using|inline|extern|"
        r"enum)\b[^\n]{0,120}[({;<]|if __name__|print\(|(?:for|if|while|with|elif|else|try|"
        r"except)\b[^\n]{0,120}:\s*$|(?:if|for|while|switch) ?\(|[\w.]++ = [\w.]++\(",
    ),
    (  # x = 1, f(x), }, return
        "syntax",
        "code",
        r"[\]})]+[,;)]*\s*$|[{\[(]+\s*$|[\w.][\w.\[\]]*+(?: [-+]?= [\w\"'\[{(-]|\([^\n]{0,160}\)[;,:{]?\s*$|"
        r" ?[=(] ?[\w.]*+\($|=[\w.\"']++,\s*$)|//|/\*|\"\"\"|return\b",
    ),
    (  # x=1, key:, + x: too weak outside fences
        "layout",
        "code",
        r"[\w.-]{1,40}=[\w\"'\[{(/-]|[\w-]++:(?:\s*$| [\"'\d\[])|- (?:name|image|\"|--)|<\w+>\S|\+\s|-\s{2,}",
    ),
)

_SHAPES = {rule: Shape(rule, label) for rule, label, _ in _TABLE}
_PATTERN = re.compile(r"[ \t]*+`?+(?:" + "|".join(f"(?P<{rule}>{pattern})" for rule, _, pattern in _TABLE) + ")")
_STATEMENT_ENDS = (";", "{")
_FUNCTION_WORDS = frozenset(
    """
    a above after also an and any are be but can could did do does don't for has have here how i i'm if in is it
    it's my not of on only please same see seem seems should so thank thanks that the there this to use used
    using was we what when which why with would you
    """.split()  # noqa: SIM905 - sixty words read better as words
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
