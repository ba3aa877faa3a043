"""Ordinary words, in which a short keyword may hide: ``tpu`` in output, ``yi`` in trying, ``opt`` in option."""

from __future__ import annotations

import re
from collections.abc import Iterable

from issuebook.text.normalise import CJK

_WORD = re.compile(rf"[^\W\d_{CJK}]+")

_LISTED = """
able about above accept access accuracy across action activation active adapter address adopt after again agent
algorithm alias align allocate allow allreduce already also always annotation another answer append apply argument
array ascend assert async atomic attach attention attribute auto available average avoid back backend backward base
batch because before behavior below benchmark between big billion binary bind block body boolean bottom branch break
buffer bug build button byte cache call callback cannot capture case cast catch change channel character chat check
checkpoint checkpointing class clean client clone close cluster code collect color column command comment commit
common communication compare compile complete compute computing condition config connect constant container context
continue contributor control convert copy copying core correct count cover crash create critical current custom data
database deadlock debug decode decoder decoding deep default define delete dependency deploy describe detail detect
device different dimension direct directory disable disk display distributed document double download driver drop
during dynamic each edit effect efficiency element embedding empty enable encode encoder engine ensure environment
equal error even event every example exception execute exit expect explain exploration explore export expression
extend external extra face factor fail failed failure false family fast feature field file filter final find fine
first fix flag flash float flow folder follow force format forward found frame framework free freeze from full
function future gather general generate generated generation generic get global good gradient graph group guide handle
handler hard header help hidden high hint history hold host hub hugging identify ignore image implement import improve
index infer inference info initial inline input insert install instance instead int integer interface internal invalid
invoke issue item iterate job join jump keep kernel key keyword kind know label language large last later launch layer
layout leak learn learning left length level library like limit line link list lite load loading local lock log logic
long loop loss machine macro main make manage manual map mark mask master match matrix maximum mean measure memory
merge message meta method metric mind minimum missing mixed mode model module monitor more move multi multiple name
native need nested network neural never new next node none nonzero normal note nothing number object offloading offset
only open operation operator optimization optimize optimizer option optional order origin other output over overflow
override overview own package pad page paper parallel parallelism parameter parent parse part party pass patch path
pattern pause perform pipeline place plan platform plugin point policy pool position possible pre precision predict
premature prepare present previous print private probably problem process processor profile program project prompt
property protocol provide proxy public pull push python quality quant quantity query question queue quick random range
rank rate rather raw reach read ready real reason receive record recompute reduce refer reference region register
regular release reload remain remote remove render repeat replace report repository request require reset reshape
resize resolve resource response restart result retry return review right role root rotary rotate round route row rule
run running runtime safe sample save scale scan scatter schedule schema scope score screen script search second
section secure seed seem segment select self send sequence serial server service session set setting setup several
shape shard sharding share shell shift short shot should show side signal similar simple single size skip sleep slice
slow small smith snapshot socket software solution some sort source space sparse special specific speed split stable
stack stage standard start state static status step still stop storage store stream strict string structure style
submit success suggest summary supply support switch symbol sync syntax system table tag take target task temperature
template tensor terminal test text than that then there thing thread threshold through throw time timeout title token
tokenizer tool top torch total trace track train training transfer transform transformer translate tree trigger true
trying tune tuning turn type unable under underlying unit unknown until update upgrade upload usage use user using
valid validate value variable vector verify version very view vision visual wait want warning weight what when where
which while window with without word work worker workflow world wrap wrapper write wrong yield yielding zero zeros
zone
"""

ORDINARY_WORDS = frozenset(_LISTED.split())
"""English and programming words that reports are full of. Small on purpose: a study's own corpus knows more."""


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the distinct words (runs of letters, in lower case) of a corpus, for use in place of the built-in list."""
    return frozenset(word for text in texts for word in _WORD.findall(text.lower()))


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, capitals inside a word taken as the start of one.

    ``FlashAttention`` gives flash, attention; ``few shot`` few, shot. ``vLLM`` and ``LoRA`` are one word, for parts of
    fewer than three letters are names, not words.
    """
    found: list[str] = []
    for run in _WORD.findall(text):
        parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", run)
        found += parts if all(len(part) > 2 for part in parts) and "".join(parts) == run else [run]
    return tuple(part.lower() for part in found)
