"""Which kind of document it is: its class chooses the budgets of a policy. A scoring table over path and content.

Every line of the table that holds gives points to a class and a sentence to the reasons; the class with the most
points wins, ``default`` where none has enough. Front matter that names a class decides alone. Deterministic.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from withgrain.model import Block, Document

#: Changes whenever the class of an unchanged document can change.
CLASSIFIER_VERSION = "2"

#: All classes; the earlier wins a tie.
CLASSES = ("json", "code", "faq", "incident", "api_reference", "sop", "policy", "concept", "default")

_ENOUGH = 3
_FRONT_MATTER_KEYS = ("class", "doc_class", "type", "doc_type", "kind", "category")
_CLASS_NAMES = {
    "api": "api_reference", "reference": "api_reference", "openapi": "api_reference", "endpoint": "api_reference",
    "runbook": "sop", "playbook": "sop", "procedure": "sop", "howto": "sop", "how_to": "sop", "guide": "sop",
    "tutorial": "sop", "task": "sop", "explanation": "concept", "overview": "concept", "conceptual": "concept",
    "postmortem": "incident", "post_mortem": "incident", "incident_report": "incident", "rca": "incident",
    "contract": "policy", "agreement": "policy", "standard": "policy", "question": "faq", "q_a": "faq",
}  # fmt: skip
_JSON_SUFFIXES = frozenset(("json", "jsonl", "ndjson", "geojson"))
_CODE_SUFFIXES = frozenset(
    (
        *("py", "js", "mjs", "ts", "tsx", "jsx", "go", "java", "rs", "sql", "tf", "hcl", "sh", "bash", "c", "h", "cpp"),
        *("rb", "cs", "php", "kt", "swift", "scala", "lua", "ps1", "proto"),
    )
)

# Words of folder and file names: (class, points for a folder, points for the file's name, words).
_PATH_WORDS: tuple[tuple[str, int, int, str], ...] = (
    ("faq", 4, 4, "faq faqs"),
    ("incident", 4, 4, "postmortem postmortems rca outage outages"),
    ("incident", 4, 1, "incidents"),
    ("api_reference", 4, 3, "api apis openapi swagger endpoints"),
    ("api_reference", 3, 2, "reference references ref schema schemas cli"),
    ("api_reference", 2, 2, "flags metrics annotations"),
    ("sop", 4, 4, "sop sops runbook runbooks playbook playbooks procedure procedures howto"),
    ("sop", 2, 2, "guide guides tutorial tutorials task tasks how install installation deploy operate operations"),
    ("sop", 3, 3, "troubleshooting quickstart"),
    ("sop", 2, 2, "configuration upgrade upgrades migration usage"),
    ("policy", 4, 4, "contract contracts agreement agreements msa nda dpa sla"),
    ("policy", 4, 3, "policies compliance legal"),
    ("policy", 2, 2, "policy"),
    ("concept", 4, 3, "concept concepts explanation architecture glossary learning background"),
    ("concept", 2, 2, "overview introduction intro about design principles terminology etiquette model definitions"),
)

_ACTIONS = (
    r"(?:add|apply|approv|assign|back up|backing up|build|chang|check|clean|configur|connect|creat|decommission|delet"
    r"|deploy|disabl|download|downgrad|drain|enabl|export|fix|generat|get|import|install|integrat|manag|migrat|mount"
    r"|monitor|offboard|onboard|perform|prepar|provision|reinstall|remov|renew|replac|request|reset|restart|restor|revok"
    r"|rotat|run|secur|send|set|sett|start|stop|suspend|sync|test|uninstall|updat|upgrad|us|validat|verify|writ)"
    r"(?:e|ing|ning)?(?: up)?\b"
)
# Beginnings of headings: (class, points a heading, at most, patterns).
_HEADINGS: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    (
        "incident",
        2,
        6,
        ("timeline", "root cause", "lessons learned", "what went", "contributing factors"),
    ),
    (
        "incident",
        1,
        2,
        ("post-?mortem", "action items", "follow-?ups?$", "corrective actions", "detection$", "impact$"),
    ),
    ("sop", 2, 6, (r"step \d", "steps?$", "procedure", "prerequisites?", "before you (?:begin|start)", "diagnosis")),
    ("sop", 2, 6, ("mitigation", "rollback", "verification", "troubleshoot", "remediation", "preconditions")),
    ("sop", 1, 4, (rf"(?:\d+[.)] )?{_ACTIONS}",)),
    ("concept", 1, 3, ("overview", "introduction", "background", "architecture", "concepts?$", "what is", "what are")),
    (
        "concept",
        1,
        3,
        ("how (?:it|this|does)", "why ", "principles", "terminology", "motivation", "goals", "lifecycle"),
    ),
    ("api_reference", 2, 6, ("endpoints?$", "(?:request|response|query|path) (?:body|parameters?|headers?)")),
    ("api_reference", 2, 6, ("(?:`?)(?:get|post|put|patch|delete) /", "status codes", "error codes", "parameters$")),
    ("api_reference", 1, 3, ("responses?$", "fields$", "options$", "flags$", "attributes$", "columns?$")),
    ("policy", 2, 4, ("enforcement", "governing law", "confidentiality", "policy statement", r"article [ivx\d]")),
    ("policy", 1, 3, ("scope$", "purpose$", "exceptions?$", "definitions$", "responsibilities", "compliance")),
)

_Line = tuple[str, str, float, int, str]
# Content: (class, measure, at least, points, sentence). "{}" is the measured value.
_CONTENT: tuple[_Line, ...] = (
    ("json", "json_format", 1, 9, "It is JSON."),
    ("code", "code_format", 1, 9, "It is source code."),
    ("code", "code_share", 0.9, 5, "{:.0%} of its text is code."),
    ("faq", "question_share", 0.6, 5, "{:.0%} of its headings are questions."),
    ("api_reference", "requests", 2, 2, "It has {:.0f} HTTP methods with a path."),
    ("api_reference", "requests_per_section", 0.6, 3, "It has {:.2f} HTTP requests a section."),
    ("api_reference", "table_share", 0.3, 2, "{:.0%} of its text stands in tables."),
    ("sop", "ordered_lists", 1, 1, "It has numbered lists of steps ({:.0f})."),
    ("sop", "ordered_lists", 3, 1, "It has many numbered lists ({:.0f})."),
    ("sop", "commands", 2, 2, "It has {:.0f} code blocks with commands."),
    ("sop", "imperative_title", 1, 2, "Its title asks for an action."),
    ("concept", "prose_share", 0.75, 2, "{:.0%} of its text is prose."),
    ("concept", "noun_title", 1, 1, "Its title names a thing."),
)
# The same for what is measured line by line, and so only where it can decide.
_IN_LINES: tuple[_Line, ...] = (
    ("faq", "question_lines", 4, 4, "It has {:.0f} lines that begin with Q: or Question."),
    ("api_reference", "flags_per_line", 0.15, 2, "{:.0%} of its lines begin with a command-line flag."),
    ("policy", "clauses_per_line", 0.05, 2, "{:.0%} of its lines begin with a clause number."),
    ("policy", "binding_words", 0.008, 3, "{:.1%} of its words bind (shall, must not, agreement …)."),
    ("policy", "binding_words", 0.015, 2, "{:.1%} binding words are many."),
)
_MOST_IN_LINES = {name: sum(line[3] for line in _IN_LINES if line[0] == name) for name in CLASSES}

_PATH_WORD = re.compile("[a-z]+")
#: A pattern for each method: one that begins with fixed letters is searched for faster than one with alternatives.
_REQUESTS = {
    method: re.compile(method + r"[ `*|]{1,6}(?:https?://[^\s/`]{1,100})?/\w")
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
}
_BINDING_WORDS = (
    "shall",
    "hereby",
    "herein",
    "parties",
    "party",
    "greement",
    "must not",
    "may not",
    "required to",
    "prohibit",
)
_COMMAND_LANGUAGES = frozenset(("bash", "sh", "shell", "console", "zsh", "powershell", "terminal", "shell-session"))
_COMMAND = re.compile(
    r"[ \t]*(?:[$#>] )?(?:sudo |kubectl|oc |docker|curl|helm|etcdctl|apt|brew|git |npm |systemctl|cmctl|psql)"
)
_IMPERATIVE = re.compile(rf"(?:how to |{_ACTIONS})", re.IGNORECASE)
_SAMPLE = 8_000
_CONTAINERS = frozenset(("list", "list_item", "quote", "admonition", "definition"))
_LOOKED_INTO = _CONTAINERS | {"code"}
_STEP = re.compile(r"^ {0,3}\d{1,9}[.)](?=[ \t\n])", re.MULTILINE)
#: The beginnings of the lines that a measure counts: a flag, a question (neither group), the number of a clause. Most
#: lines are done with at the look ahead.
_TOLD_LINE = re.compile(
    r"\n[ \t#*`|>]*(?=[-Q0-9(AaSs])(?:-[-`*]?([^\W\d_])|Q(?:\d{0,3}[:.)]|uestion\b)"
    r"|(\d{1,2}(?:\.\d{1,3}){1,4}\.?|\([A-Za-z]{1,4}\)|(?i:article|section) [\divxIVX]+)(?=[ \t\n*.:]|\Z))"
)
_HEADING_PATTERNS = tuple(
    (doc_class, points, limit, re.compile("|".join(patterns), re.IGNORECASE))
    for doc_class, points, limit, patterns in _HEADINGS
)
#: Word to the line of the table that it stands in.
_PATH_LINES = {word: line for line, (_, _, _, words) in enumerate(_PATH_WORDS) for word in words.split()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """The class of a document and why.

    Attributes:
        doc_class: One of ``CLASSES``.
        reasons: Plain sentences, the strongest first.
    """

    doc_class: str
    reasons: tuple[str, ...]


def classify(document: Document, path: str | None = None) -> Classification:
    """Return the class of a document and the reasons for it.

    Args:
        document: The document.
        path: Its path, where the document's own does not hold its folders.
    """
    named = _named_class(document)
    if named is not None:
        return named
    tally = _Tally()
    tally.add(_from_path(path or document.source.path))
    tally.add(_from_headings(document))
    tally.add(_told(_measure_blocks(document) | _measure_names(document), _CONTENT))
    undecided = {name for name, most in _MOST_IN_LINES.items() if most and tally.may_win(name, most)}
    if undecided:
        tally.add(_told(_measure_lines(document, undecided), [line for line in _IN_LINES if line[0] in undecided]))
    return tally.best()


class _Tally:
    """Points and reasons of the classes."""

    def __init__(self) -> None:
        self._points: dict[str, int] = dict.fromkeys(CLASSES, 0)
        self._reasons: dict[str, list[tuple[int, str]]] = {name: [] for name in CLASSES}

    def add(self, found: Iterable[tuple[str, int, str]]) -> None:
        """Count some findings: class, points, sentence."""
        for doc_class, worth, sentence in found:
            self._points[doc_class] += worth
            self._reasons[doc_class].append((worth, sentence))

    def may_win(self, doc_class: str, more: int) -> bool:
        """Return whether ``more`` points can make a class the best one: else nobody needs to look for them."""
        points = self._points[doc_class] + more
        return points >= _ENOUGH and points >= max(self._points.values())

    def best(self) -> Classification:
        """Return the class with the most points, with its reasons."""
        best = max(CLASSES, key=self._points.__getitem__)
        if self._points[best] < _ENOUGH:
            return Classification(doc_class="default", reasons=("Neither path nor content speak for another class.",))
        ordered = sorted(self._reasons[best], key=lambda reason: -reason[0])
        return Classification(doc_class=best, reasons=tuple(sentence for _, sentence in ordered))


def _named_class(document: Document) -> Classification | None:
    for key in _FRONT_MATTER_KEYS:
        value = document.meta.get(key)
        if isinstance(value, str):
            name = re.sub(r"[^a-z]+", "_", value.strip().lower()).strip("_")
            name = _CLASS_NAMES.get(name, _CLASS_NAMES.get(name.removesuffix("s"), name))
            if name in CLASSES:
                return Classification(doc_class=name, reasons=(_named_reason(document, key, value.strip()),))
    return None


def _named_reason(document: Document, key: str, value: str) -> str:
    """Say who named the class: the author, or the parser, which knows what a format describes."""
    if document.rendered or any(block.kind == "front_matter" for block in document.blocks[:2]):
        return f'The front matter says "{key}: {value}".'
    return f"Its format makes it {value}: each operation of an interface is a section."


def _from_path(given: str) -> Iterator[tuple[str, int, str]]:
    folders, _, name = given.lower().replace("__", "/").rpartition("/")
    stem = name.rpartition(".")[0] or name
    in_folders, in_name = _path_lines(folders), _path_lines(stem)
    for line in sorted(in_folders.keys() | in_name.keys()):
        doc_class, folder_points, name_points, _ = _PATH_WORDS[line]
        if line in in_folders:
            yield doc_class, folder_points, f'Its path has the folder "{in_folders[line]}".'
        else:
            yield doc_class, name_points, f'Its file name has the word "{in_name[line]}".'


def _path_lines(text: str) -> dict[int, str]:
    """Return the lines of the table that some words belong to, each with the first of its words in the alphabet."""
    found = {word: _PATH_LINES[word] for word in _PATH_WORD.findall(text) if word in _PATH_LINES}
    return {found[word]: word for word in sorted(found, reverse=True)}


def _from_headings(document: Document) -> Iterator[tuple[str, int, str]]:
    found: dict[int, list[str]] = {}
    for block in document.content:
        if block.kind == "heading":
            text = block.attrs.get("text", "")
            for index in _heading_lines(text[:80]):
                found.setdefault(index, []).append(text)
    for index, texts in sorted(found.items()):
        doc_class, points, limit, _ = _HEADING_PATTERNS[index]
        shown = ", ".join(f'"{text}"' for text in texts[:3])
        yield doc_class, min(limit, points * len(texts)), f"It has the headings {shown}."


@lru_cache(maxsize=4096)
def _heading_lines(text: str) -> tuple[int, ...]:
    """Return the lines of the table that a heading fits; the same headings come in many documents."""
    return tuple(i for i, (_, _, _, pattern) in enumerate(_HEADING_PATTERNS) if pattern.match(text))


def _told(measures: Mapping[str, float], lines: Iterable[_Line]) -> Iterator[tuple[str, int, str]]:
    for doc_class, measure, least, points, sentence in lines:
        if measures[measure] >= least:
            yield doc_class, points, sentence.format(measures[measure])


def _measure_blocks(document: Document) -> dict[str, float]:
    text = document.text
    sizes: dict[str, int] = defaultdict(int)
    headings, looked_into = [], []
    for block in document.content:
        kind, span = block.kind, block.span
        sizes[kind] += span.end - span.start
        if kind == "heading":
            headings.append(block)
        elif kind in _LOOKED_INTO:
            looked_into.append(block)
    total = max(1, sum(sizes.values()) - sizes["front_matter"] - sizes["comment"])
    commands = ordered = 0
    for block in looked_into:
        if block.kind == "code":
            commands += _is_command(block, text)
            continue
        if block.kind == "list" and "ordered" in block.attrs:
            ordered += sum(1 for _ in islice(_STEP.finditer(text, block.span.start, block.span.end), 3)) > 2
        if block.__class__ is Block:  # else it was not worth looking into: it holds no code
            for inner in _code(block):
                sizes["code"] += len(inner.span)
                commands += _is_command(inner, text)
    questions = sum(block.attrs.get("text", "").rstrip().endswith("?") for block in headings)
    requests = _requests(text)
    prose = (sizes["paragraph"] + 0.75 * sizes["list"]) / total
    return {
        "code_share": min(1.0, sizes["code"] / total),
        "table_share": min(1.0, sizes["table"] / total),
        "prose_share": min(1.0, prose) if total > 400 and not document.source.path.endswith(".log") else 0,
        "question_share": questions / len(headings) if len(headings) > 3 or questions > 2 else 0,
        "requests": requests,
        "requests_per_section": requests / max(1, len(headings)),
        "ordered_lists": ordered,
        "commands": commands,
    }


def _measure_names(document: Document) -> dict[str, float]:
    """Measure what a document is called."""
    suffix = document.source.path.rpartition(".")[2].lower()
    imperative = bool(_IMPERATIVE.match(document.title))
    return {
        "json_format": suffix in _JSON_SUFFIXES or "json" in document.source.media_type,
        "code_format": suffix in _CODE_SUFFIXES,
        "imperative_title": imperative,
        "noun_title": not imperative and 0 < len(document.title.split()) < 5,
    }


def _measure_lines(document: Document, classes: Collection[str]) -> dict[str, float]:
    """Measure lines and words, as far as they speak for some classes, in samples: beginning, middle and end."""
    text = document.text
    if len(text) > 3 * _SAMPLE:
        middle = len(text) // 2
        text = "\n".join((text[:_SAMPLE], text[middle : middle + _SAMPLE], text[-_SAMPLE:]))
    lines = 1 + text.count("\n") - text.count("\n\n")
    told = _TOLD_LINE.findall("\n" + text)
    flags = sum(1 for flag, _ in told if flag)
    clauses = sum(1 for _, clause in told if clause)
    binding = sum(text.count(word) for word in _BINDING_WORDS) if "policy" in classes else 0
    return {
        "flags_per_line": flags / max(1, lines),
        "clauses_per_line": clauses / max(1, lines),
        "question_lines": len(told) - flags - clauses,
        "binding_words": binding / max(60, text.count(" ") + lines),
    }


def _requests(text: str) -> int:
    return sum(len(request.findall(text)) for method, request in _REQUESTS.items() if method in text)


def _is_command(block: Block, text: str) -> bool:
    content = block.content or block.span
    language = block.attrs.get("language", "").lower()
    return language in _COMMAND_LANGUAGES or _COMMAND.match(text, content.start, content.end) is not None


def _code(block: Block) -> Iterator[Block]:
    """Yield the code blocks inside a list, quote or the like; never deeper than 8."""
    stack = [(child, 1) for child in block.children]
    while stack:
        current, depth = stack.pop()
        if current.kind == "code":
            yield current
        elif depth < 8 and current.kind in _CONTAINERS:
            stack.extend((child, depth + 1) for child in current.children)
