"""Which blocks belong together: lead-in and list, rule and exception, figure and caption, warning and procedure."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise

from withgrain.chunk.policy import BOND_KINDS
from withgrain.chunk.unit import STRONG_BOND, WEAK_BOND, Unit
from withgrain.model import Block, Part, Span

_LED_IN = ("list", "table", "code", "math", "figure", "definition")
_CAPTION = re.compile(
    r"[*_]{0,2}(?:(?:Figure|Fig\.|Table|Listing|Example|Abb\.|Abbildung|Tabelle|Tableau|Figura|Tabla|Tabella|Tabela|"
    r"Рис\.|Рисунок|Таблица)[ \t\u00a0]+[\dA-Z]|[图圖表][ \t]?\d)",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"(?:[-*+]\s+|\d+[.)]\s+)?[*_]{0,2}(?:Exceptions?\b|Except\b|However\b|Notwithstanding\b|Unless\b|"
    r"Provided that\b|This (?:rule|clause|section) does not apply\b|But\b|"
    r"Ausnahmen?\b|Ausgenommen\b|Dies gilt nicht\b|Toutefois\b|Sauf\b|Excepci[oó]n|Excepto\b|Sin embargo\b|"
    r"Eccezion[ei]\b|Tuttavia\b|Исключени[ея]|Однако\b|例外|但是?[，,]|ただし)"
)
_QUESTION = re.compile(
    r"[*_]{0,2}(?:(?:[QF]|Question|Frage|FRAGE|QUESTION|Pregunta|Domanda|Pergunta|Вопрос)\s*\d*\s*[.:)]|[问問]\s*\d*[：:])"
)
_SHORT_QUESTION = re.compile(r"[*_]{0,2}.{1,200}[?？؟][*_]{0,2}\Z", re.DOTALL)
_ANSWER = re.compile(
    r"[*_]{0,2}(?:(?:A|Answer|ANSWER|Antwort|ANTWORT|Réponse|Respuesta|Risposta|Resposta|Ответ)\s*\d*\s*[.:)]"
    r"|R\s*\d*\s*:|答\s*\d*[：:])"
)
_WARNING = re.compile(
    r"[>\s]*[*_]{0,2}(?:[⚠❗🚨⛔]\S*\s*)?[*_]{0,2}(?:(?:Warning|Caution|Danger|Attention|Important|Achtung|Warnung|Vorsicht|"
    r"Gefahr|Wichtig|Avertissement|Advertencia|Atención|Precaución|Attenzione|Avvertenza|Aviso|Atenção|Внимание|"
    r"Предупреждение|Осторожно)[*_]{0,2}\s*[:!.]|(?:警告|注意|危险|危險|警示|경고|주의)[*_]{0,2}\s*[:：!！])",
    re.IGNORECASE,
)
#: A line that is all bold, with a sign or two beside it: the heading of what follows, by another name.
_TITLE_LINE = re.compile(r"(?:[^\w\s*]{1,4}[ \t]*)?(\*\*|__)(?=\S)[^\n]{1,120}?(?<=[^\s.!])\1[ \t:：]*[^\w\s]{0,4}")
_CONTINUES = re.compile(r"[a-zß-öø-ÿ]")
_NUMBER = re.compile(r"^ {0,3}(\d{1,9})[.)](?=[ \t\n])", re.MULTILINE)
_LEAD_IN_LENGTH = 400  # characters: a longer paragraph is a text of its own, not a lead-in


def bond(units: list[Unit], text: str, kinds: Collection[str] = BOND_KINDS) -> None:
    """Set the bonds between neighbouring blocks and the stem that a bound list, table or code repeats.

    Only blocks of the given kinds are bound to the block in front of them. A list that goes on with the numbers of the
    one before it is the same procedure, whatever stands between them: what is in front of it is a joint between items.
    """
    going_on = _join_procedures(units, text) if "list" in kinds else {}
    for index, (before, unit) in enumerate(pairwise(units), start=1):
        if before.block is None or unit.block is None or unit.block.kind not in kinds:
            continue
        if index in going_on:
            unit.lead = unit.inner_lead = units[going_on[index]].inner_lead
            continue
        unit.bond = max(unit.bond, _strength(before.block, unit.block, text))
        if not unit.bond or unit.block.kind not in _LED_IN:
            continue
        if unit.block.kind == "figure" and not _leads_in(before.block, text):
            continue
        if before.block.kind in ("paragraph", "admonition", "quote"):
            unit.lead = unit.inner_lead = (*_guard(units, index, text), stem_of(before.block, text))
        elif before.block.kind == "list":
            unit.lead = unit.inner_lead = (_last_line(before.block, text),)


def _guard(units: list[Unit], index: int, text: str) -> tuple[Part, ...]:
    """Bind the warning in front of the lead-in of a list to it, and return what repeats it."""
    block = units[index - 2].block if index > 1 else None
    stem, steps = units[index - 1], units[index]
    if block is None or stem.block is None or steps.block is None or steps.block.kind != "list":
        return ()
    if stem.block.kind != "paragraph" or len(block.span) > _LEAD_IN_LENGTH or not _warns(block, text):
        return ()
    stem.bond = max(stem.bond, STRONG_BOND)
    return (stem_of(block, text),)


def _warns(block: Block, text: str) -> bool:
    """Return whether a block is a warning: an admonition, or a quote or paragraph that begins with the word."""
    if block.kind == "admonition":
        return True
    return block.kind in ("quote", "paragraph") and _WARNING.match(text, block.span.start, block.span.end) is not None


def _hangs(before: Block, block: Block, text: str) -> bool:
    """Return whether a list is indented under the last step of a list, though by less than Markdown asks for."""
    if before.kind != "list" or block.kind != "list":
        return False
    first, second = (text[b.span.start : b.span.start + 8] for b in (before, block))
    return len(second) - len(second.lstrip(" ")) > len(first) - len(first.lstrip(" "))


def _join_procedures(units: list[Unit], text: str) -> dict[int, int]:
    """Join lists whose numbers go on behind code, a table or a remark that is not indented enough to be in the list.

    Returns:
        For each list that goes on with another, by index, the index of that other one.
    """
    joined: dict[int, int] = {}
    last: int | None = None
    for index, unit in enumerate(units):
        if unit.block is None or unit.block.kind != "list" or "ordered" not in unit.block.attrs:
            continue
        first = _NUMBER.match(text, unit.start, unit.end)
        number = int(first[1]) if first else 0
        if last is not None and number > 1 and number == _ends_with(units[last], text) + 1:
            joined[index] = last
            unit.kind = "item"
            for between in units[last + 1 : index]:
                between.bond = STRONG_BOND
        last = index
    return joined


def _ends_with(unit: Unit, text: str) -> int:
    """Return the last number of a list; -1 when it has none."""
    return int(next(reversed(_NUMBER.findall(text, unit.start, unit.end)), -1))


def _last_line(block: Block, text: str) -> Part:
    """Return the last line of a list: the step whose code or sub-list stands behind the list, not indented enough."""
    end = block.span.start + len(block.span.of(text).rstrip())
    start = max(block.span.start, text.rfind("\n", block.span.start, end) + 1)
    span = Span(start=start, end=min(end, start + _LEAD_IN_LENGTH))
    return Part(role="stem", text=span.of(text), span=span)


def stem_of(block: Block, text: str) -> Part:
    """Return what introduces the next block: the last line of a lead-in when it ends with a colon, else all of it."""
    body = block.span.of(text).rstrip()
    if block.kind == "paragraph" and len(body) > _LEAD_IN_LENGTH // 2:
        cut = max(body.rfind("\n"), body.rfind(". ") + 1)
        start = cut + 1 if cut > 0 else 0
    else:
        start = 0
    span = Span(start=block.span.start + start, end=block.span.start + len(body))
    return Part(role="stem", text=span.of(text), span=span)


def _strength(before: Block, block: Block, text: str) -> int:
    span = before.span
    first = text[span.start : span.end] if span.end - span.start <= _LEAD_IN_LENGTH else ""
    leads = before.kind in ("paragraph", "list") and _leads_in(before, text)
    names = before.kind == "paragraph" and (leads or _TITLE_LINE.fullmatch(first.strip()))
    if names or _hangs(before, block, text):
        return STRONG_BOND
    if block.kind == "list" and _warns(before, text):
        return STRONG_BOND if first else WEAK_BOND
    if block.kind in _LED_IN and before.kind in ("paragraph", "list"):
        if leads:
            return STRONG_BOND
        return WEAK_BOND if first and (before.kind == "paragraph" or "indent" in block.attrs) else 0
    if block.kind == "paragraph":
        head = text[block.span.start : min(block.span.end, block.span.start + 240)]
        if before.kind in ("table", "code", "figure", "html", "math") and _CAPTION.match(head):
            return STRONG_BOND
        if before.kind == "math" and _CONTINUES.match(head):
            return STRONG_BOND
        if _EXCEPTION.match(head):
            return STRONG_BOND
        if before.kind == "paragraph" and first and (_ANSWER.match(head) or _asks(first)):
            return STRONG_BOND
    if _CAPTION.match(first):
        return STRONG_BOND
    return 0


def _leads_in(block: Block, text: str) -> bool:
    """Return whether a block ends with a colon."""
    return text[max(block.span.start, block.span.end - 8) : block.span.end].rstrip().rstrip("*_").endswith((":", "："))


def _asks(paragraph: str) -> bool:
    """Return whether a paragraph says that it is a question, or is a short one."""
    text = paragraph.strip()
    return _QUESTION.match(text) is not None or (
        text[-3:].rstrip("*_").endswith(("?", "？", "؟")) and _SHORT_QUESTION.match(text) is not None
    )
