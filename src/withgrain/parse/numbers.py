"""Numbers that a text prints in front of its headings: "4.2", "Step 3", "B.1", "§ 4", "Article IV"."""

from __future__ import annotations

import re

_LABEL = (
    r"(?:Step|Section|Sec\.|Article|Art\.|Chapter|Part|Appendix|Annex|Clause|Phase|Schedule|Exhibit|Rule|Stage|"
    r"STEP|SECTION|ARTICLE|CHAPTER|PART|APPENDIX|ANNEX|CLAUSE|PHASE|SCHEDULE|EXHIBIT|RULE|STAGE)"
)
_NUMBER = re.compile(
    r"(?:"
    r"§{1,2}[ \u00a0]?\d+(?:\.\d+)*[a-z]?"  # § 4, § 4.2a
    rf"|{_LABEL}[ \u00a0](?:\d+(?:\.\d+)*[a-z]?|[IVXLC]{{1,7}}|[A-Z](?:[.-]?\d+(?:\.\d+)*)?)"  # Step 3, Appendix A.1
    r"|\d{1,3}(?:\.\d{1,3})+(?=\.?(?:[ \u00a0:)—–]|$))"  # 4.2, 4.2.1
    r"|\d{1,3}(?=[.)](?:[ \u00a0]|$))"  # 4. or 4)
    r"|[A-Z](?:\.\d{1,3})+(?=\.?(?:[ \u00a0:)—–]|$))"  # B.1
    r"|[A-Z](?=[.)][ \u00a0]\S)"  # B. Title
    r"|[IVXLC]{1,7}(?=[.)][ \u00a0]\S)"  # IV. Title
    r")(?![\w])"
)
_NUMBER_STARTS = frozenset("0123456789§SACPERIVXLBDFGHJKMNOQTUWYZ")
#: What a number can begin with when its second sign is a small letter: the pattern tries all its ways else, in vain.
_LABELS = (
    "Step",
    "Sec",
    "Art",
    "Chapter",
    "Part",
    "App",
    "Annex",
    "Clause",
    "Phase",
    "Schedule",
    "Exh",
    "Rule",
    "Stage",
)
_CLAUSE = re.compile(
    r"[ \t]*(?:\*\*|__)?(?P<number>"
    r"(?:(?:Section|SECTION|Clause|Step|STEP|Article|ARTICLE)[ \t]+)?\d{1,3}(?:\.\d{1,3})+(?=\.?(?:[\s:)*_—–]|$))"
    r"|(?:Step|STEP)[ \t]+\d{1,3}(?=[:.)*_—–]|[ \t]+[—–-])"  # Step 3:
    r"|§{1,2}[ \u00a0]?\d{1,3}(?:\.\d{1,3})*"  # § 4
    r"|\d{1,3}(?=[.)][ \t])"  # 4.
    r"|\([A-Za-z]{1,4}\)(?=[ \t]))"  # (a)
)
#: Signs that the start of a numbered clause can have.
CLAUSE_STARTS = frozenset("0123456789§*_S(CA \t")


def clause_number(text: str, start: int, end: int) -> str | None:
    """Return the number that a paragraph prints at its start ("4.2.1", "Step 3", "a" for "(a)")."""
    match = _CLAUSE.match(text, start, end)
    return " ".join(match["number"].strip("()").split()) if match else None


def printed_number(text: str) -> str | None:
    """Return the number at the start of a heading's plain text, as printed, without its final dot or bracket."""
    if text[:1] not in _NUMBER_STARTS or (text[1:2].islower() and not text.startswith(_LABELS)):
        return None
    match = _NUMBER.match(text)
    return match.group() if match else None
