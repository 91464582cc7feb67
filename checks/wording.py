"""Find phrases that are not plain English, in everything that a person reads.

    python -m checks.wording

Each entry of `PHRASES` is a pattern and what to write instead; a space in a pattern stands for any
white space, so that a phrase is found when it is broken over two lines or lines of comments. Text
between ``wording: off`` and ``wording: on`` is skipped: CONTRIBUTING.md quotes what to avoid.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SUFFIXES = {".md", ".py", ".toml", ".yml", ".yaml", ".cff", ".rst", ".j2", ".js", ""}
# Tests check messages, the corpus is input for the fuzzer, and this file lists the phrases.
SKIPPED = ("tests/", "fuzz/corpus/", "checks/wording.py", "LICENSE")

# "is no number" reads like "there is no number": write "is not a number".
THINGS = (
    *("TOML", "JSON", "UTF-8", "model", "numbers?", "real numbers", "option", "database", "list"),
    *(
        "column",
        "table",
        "kind",
        "day",
        "month",
        "text",
        "means",
        "measurement",
        "clusters? at all",
    ),
    *("NAME", "use", "gain", "order", "place", "key", "sentence", "solution", "value", "fault"),
    *("reproduction", "default", "contender", "reference", "part", "growth", "class"),
    *("weft model", "checkpoint", "level", "outliers?", "condition"),
)
PHRASES = {
    r"swarms that search": "published swarm methods",
    r"k-means that weighs": "weighted k-means methods",
    r"as (its|the|their) papers? prints?( it| them)?": "as published",
    r"(where )?print is weak": "where the published defaults perform poorly",
    r"pages? to look at": "HTML report",
    r"rows that (came|come) later": "new rows",
    r"a model that was kept": "a saved model",
    r"options given here": "command-line options",
    r"too many different texts": "N distinct values: looks like free text",
    r"comes? out again": "is reproduced; refitting gives nearly the same clusters",
    r"a wish\b": "a request",
    r"the word that": "whether",
    r"(?-i:mend(s|ed)?)": "fix",
    rf"(?<!there\s)(is|was|are|were) no ({'|'.join(THINGS)})": "is not a ...",
    r"there for [\w.'-]+ sake": "not used, present for API consistency",
    r"how the margins stay": "keeps each column's distribution",
    r"partners are lost": "breaks its links to the others",
    r"in [\w-]+'s manner": "with the API of ...",
    r"(nobody|somebody)": "name who: no user, another process, a reader",
    r"\bkin\b": "name the relatives",
    r"\banew\b": "again",
    r"heed(s|ed)?": "follow, use",
    r"(is|was|are|were) not to be had": "is not available",
    r"for nothing": "trivially",
    r"in one go": "together",
    r"slips? of the pen": "typing error",
    r"(write|writes|written|wrote) (\w+ ){0,2}down": "save",
    r"as it goes": "while it runs",
    r"goes on where it (was stopped|stopped)": "resumes",
    r"(taken|take|takes) up again": "resumed",
    r"folder one is in": "the current folder",
    r"(so many|so often) (at most|on)": "maximum number of ...",
    r"about so many": "approximate number of ...",
    r"in a word": "in short",
    r"with a word when": "with a message when",
    r"falls for": "is misled by",
    r"the letter of the papers?": "exactly as published",
    r"to the letter": "exactly",
    r"has no use for": "does not take",
    r"what else there is": "everything else",
    r"for those who want to go on by themselves": "for further processing",
    r"made-up": "synthetic",
    r"but for (its|ties|rounding|the|a)": "except for",
    r"to speak of": "much",
    r"tells? (another|different|the same) (story|stories)": "differs, agrees",
    r"(knows?|say|says) nothing of": "is independent of, does not mention",
    r"vouch(es)? for": "count as its own neighbour",
    r"enough (for it )?to pay": "large enough to be faster",
    r"what did not pay": "what did not help",
    r"(what )?speaks? (for|against) (it|them)": "evidence for, supports",
    r"print (does|says|tries|stops|draws|gives|has|leaves|repeats)": "the paper does ...",
    r"(in|than|from|by) print\b": "in the paper",
    r"puts? (\w+ ){0,3}on one total": "scale rows to the same total",
    r"(was|were|is|are) not at hand": "is not available",
    r"how much (of it )?comes back": "how stable it is",
    r"(of|on|after) so (many|much)": "of this many",
    r"there and back": "to the workers and back",
    r"as .{3,20} has it": "as in ...",
    r"whoever (made|calls|sent|wants)": "name who",
    r"(raise|lower) it and see": "raise NAME to find out",
    r"(set|stands?|stood) beside": "compare with, next to",
    r"beside (that|those|the (others?|usual|machine))": "next to, compared with, in addition to",
    r"whoever": "name who",
    r"sp(eaks?|oke) (for|against|weakly)": "support, evidence for",
    r"(has|have|into|beyond|by|one in|only|from|at) so many": "this many, a number of",
    r"(two|clear) heaps?": "two modes, two groups",
    r"(is|was|be) said of": "say about, mention",
    r"(be|are|is|were) told apart": "distinguish",
    r"tells? (\w+ ){1,3}apart": "distinguish, separate",
    r"(comes?|came|coming) to the front": "take the lead",
    r"all the same, ": "nevertheless",
    r"will do\b(?! (so|that|this|it|the))": "is enough, can be used",
    r"(looked|looks|looking|look) into": "examine",
    r"less what (chance|one)": "minus what is expected by chance",
    r"as (it|they) (stands?|lies?)\b": "unchanged",
    r"other (last|low) bits": "different last bits",
    r"once too often": "too often",
    r"hangs? together": "is connected",
    r"again and again": "repeatedly",
    r"in disguise": "in another form",
    r"(who|which) lives?\b": "which is active",
    r"(is|are) spoilt": "is overwritten",
    r"in silence": "silently",
    r"what decided\b": "how it was decided",
    r"nothing beyond": "only",
    r"to its end by itself": "completely",
    r"takes? .{1,30} for granted": "assume",
    r"(is|are|was|were) asked of": "must do, needs",
    r"asks? of\b": "needs",
    r"(cannot|does not) tell\b": "does not show, leaves open",
    r"goes? on where": "resumes",
    r"what became of": "the result of",
    r"(can|cannot|to) be had\b": "is available",
    r"lets? go of": "release",
    r"by way of": "through, with",
    r"turned (over|round)": "transposed, reversed",
    r"out of the (ordinary|question)": "unusual, impossible",
    r"on (its|their) way\b": "sent, loaded",
    r"(uses?|used) up\b": "overwrite, exhaust",
    r"stands? in for": "replace",
    r"\bdearer\b": "slower",
    r"in sight\b": "near",
    r"falls? out\b": "is dropped",
    r"(looks?|looked) through": "search",
    r"own affair": "decides itself",
    r"written over": "overwritten",
    r"refused in (a|one) sentence": "refused with an error of one sentence",
    r"(is|are|be) off by": "has an error of",
    r"to the bit\b": "exactly",
    r"for ever\b": "endless, without end",
    r"in the manner of": "similar to",
    r"sets? (\w+ ){0,3}apart": "separates, distinguishes",
    r"has no form for": "is not available for",
    r"waits? not\b": "does not wait",
    r"not be blown up": "not be amplified",
    r"whole or not at all": "complete or absent",
}


def text_files() -> Iterator[Path]:
    """Yield the files under version control that hold text for people."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in listed:
        if (
            Path(name).suffix in SUFFIXES
            and not name.startswith(SKIPPED)
            and (ROOT / name).is_file()
        ):
            yield ROOT / name


def compile_phrase(phrase: str) -> re.Pattern[str]:
    """Return a pattern in which a space stands for white space, comment signs and quotes."""
    return re.compile(rf"\b(?:{phrase})".replace(" ", r"(?:\s|#|\"|>)+") + r"(?!\w)", re.I)


PATTERNS = {compile_phrase(phrase): advice for phrase, advice in PHRASES.items()}


def findings(text: str) -> list[tuple[int, str, str]]:
    """Return line, phrase and advice for each phrase in the text."""
    text = re.sub(
        r"wording: off.*?wording: on", lambda part: "\n" * part[0].count("\n"), text, flags=re.S
    )
    found = [
        (text.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), advice)
        for pattern, advice in PATTERNS.items()
        for match in pattern.finditer(text)
    ]
    return sorted(found)


def main() -> int:
    count = 0
    for path in text_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for line, phrase, advice in findings(text):
            count += 1
            print(f"{path.relative_to(ROOT)}:{line}: {phrase!r}: write {advice}")
    print(f"{count} findings")
    return min(count, 1)


if __name__ == "__main__":
    sys.exit(main())
