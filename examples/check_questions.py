"""Check the example knowledge base: every question points at real text, every link at a real place.

Standard library only. Run it from anywhere: ``python examples/check_questions.py``.
Exit code 0 when all is right; 1 when something differs (each difference is printed on stderr).

What is checked:

* every reference and table header of ``questions.jsonl``: ``text == document[start:end]``, the document read as UTF-8
  without newline translation, offsets in code points;
* every ``heading_path`` of ``demo_questions.json`` exists, exactly once, in its document;
* every relative link of the handbook leads to an existing file and, with ``#anchor``, to an existing heading.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
HANDBOOK = HERE / "handbook"
TYPES = frozenset({"fact", "identifier", "table", "procedure", "section", "cross_section"})

ATX = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})")
SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")


def read(path: Path) -> str:
    """Return the text of a file exactly as stored."""
    return path.read_bytes().decode("utf-8")


def body_lines(text: str) -> list[str]:
    """Return the lines with front matter and fenced code blanked."""
    lines = text.split("\n")
    if lines[0] == "---":
        end = lines.index("---", 1)
        lines[: end + 1] = [""] * (end + 1)
    fence = ""
    for number, line in enumerate(lines):
        match = FENCE.match(line)
        if fence:
            closes = match is not None and match[1].startswith(fence) and not line.strip().strip(fence[0])
            fence = "" if closes else fence
            lines[number] = ""
        elif match:
            fence = match[1]
            lines[number] = ""
    if fence:
        raise ValueError("a code fence is not closed")
    return lines


def headings(text: str) -> list[tuple[int, str]]:
    """Return (level, plain text) of every heading, in order."""
    found: list[tuple[int, str]] = []
    lines = body_lines(text)
    for number, line in enumerate(lines):
        if match := ATX.match(line):
            found.append((len(match[1]), match[2].replace("`", "")))
        elif (match := SETEXT.match(line)) and number and lines[number - 1].strip() and "|" not in lines[number - 1]:
            found.append((1 if match[1][0] == "=" else 2, lines[number - 1].strip()))
    return found


def heading_paths(text: str) -> list[tuple[str, ...]]:
    """Return the path of every heading, from the outermost to its own."""
    stack: list[tuple[int, str]] = []
    paths = []
    for level, title in headings(text):
        stack = [(above, name) for above, name in stack if above < level] + [(level, title)]
        paths.append(tuple(name for _, name in stack))
    return paths


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub gives to the headings."""
    seen: Counter[str] = Counter()
    result = set()
    for _, title in headings(text):
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        result.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return result


def check_references(question: dict[str, Any], documents: dict[str, str]) -> list[str]:
    """Return what is wrong with one question."""
    name = question["question_id"]
    problems = [] if question["type"] in TYPES else [f"{name}: unknown type {question['type']!r}"]
    spans = [(ref.get("doc_id", question["doc_id"]), ref) for ref in question["references"]]
    if "table_header" in question:
        spans.append((question["doc_id"], question["table_header"]))
    if not question["references"]:
        problems.append(f"{name}: no reference")
    for doc_id, ref in spans:
        if doc_id not in documents:
            problems.append(f"{name}: no document {doc_id!r}")
        elif documents[doc_id][ref["start"] : ref["end"]] != ref["text"]:
            problems.append(f"{name}: {doc_id}[{ref['start']}:{ref['end']}] is not the reference's text")
    return problems


def check_questions(documents: dict[str, str]) -> tuple[list[str], str]:
    """Check ``questions.jsonl``; return the problems and a summary."""
    questions = [json.loads(line) for line in read(HERE / "questions.jsonl").splitlines()]
    problems = [problem for question in questions for problem in check_references(question, documents)]
    repeated = [name for name, n in Counter(q["question_id"] for q in questions).items() if n > 1]
    problems += [f"{name}: question_id is used twice" for name in repeated]
    types = Counter(question["type"] for question in questions)
    counted = ", ".join(f"{kind} {types[kind]}" for kind in sorted(types))
    spans = sum(len(q["references"]) + ("table_header" in q) for q in questions)
    return problems, f"{len(questions)} questions ({counted}), {spans} spans"


def check_demo(documents: dict[str, str]) -> tuple[list[str], str]:
    """Check ``demo_questions.json``; return the problems and a summary."""
    demo = json.loads(read(HERE / "demo_questions.json"))
    problems = []
    for item in demo:
        found = heading_paths(documents.get(item["document"], "")).count(tuple(item["heading_path"]))
        if found != 1:
            problems.append(f"demo {item['question']!r}: heading path found {found} times in {item['document']}")
    return problems, f"{len(demo)} demo questions"


def check_links(documents: dict[str, str]) -> tuple[list[str], str]:
    """Check the relative links between documents; return the problems and a summary."""
    problems, count = [], 0
    for doc_id, text in documents.items():
        prose = re.sub(r"`[^`\n]*`", "", "\n".join(body_lines(text)))
        for target in LINK.findall(prose):
            if "://" in target or target.startswith("mailto:"):
                continue
            count += 1
            path, _, anchor = target.partition("#")
            place = ((HANDBOOK / doc_id).parent / path).resolve() if path else HANDBOOK / doc_id
            if not place.is_file():
                problems.append(f"{doc_id}: link to {target!r}: no such file")
            elif anchor and anchor not in anchors(read(place)):
                problems.append(f"{doc_id}: link to {target!r}: no such heading")
    return problems, f"{count} relative links"


def main() -> int:
    """Run all checks and print a summary."""
    documents = {p.relative_to(HANDBOOK).as_posix(): read(p) for p in sorted(HANDBOOK.rglob("*.md"))}
    problems, summaries = [], [f"{len(documents)} documents"]
    for check in (check_questions, check_demo, check_links):
        found, summary = check(documents)
        problems += found
        summaries.append(summary)
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    sys.stdout.write(" · ".join(summaries) + f" · {len(problems)} problems\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
