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


def printed_number(text: str) -> str | None:
    """Return the number at the start of a heading's plain text, as printed, without its final dot or bracket."""
    match = _NUMBER.match(text)
    return match.group() if match else None
