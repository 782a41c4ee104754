"""What in a question only names the document that it is asked in.

"Who may inspect books under the Reseller Agreement with Detto Technologies?", asked inside that agreement: its title
and its parties say nothing about the place. As words they draw title pages and signature blocks to the top; in the
vector of the question, and token by token, whatever sounds like a title. So they count in no channel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from withgrain.model import And, Compare, DocumentRecord, Filter, Or, document_id
from withgrain.search.analyse import FRAME, Question
from withgrain.tokens.terms import query_terms, terms
from withgrain.types import Snapshot

#: A word of a question, with its terms.
Word = tuple[re.Match[str], frozenset[str]]
#: Where a document names itself and whom it is about: in so many of its first characters, at most this share of it.
_HEAD, _SHARE = 2_000, 0.1
#: Languages that write every noun with a capital: there one is no sign of a name.
_CAPITAL_NOUNS = frozenset({"de", "lb"})
#: A word with the signs inside it and its full stop: "D'Arcy", "NLS-1", "L.L.C."
_WORD = re.compile(r"[\w'’&-]+(?:\.\w+)*\.?")
#: What joins names to one: "the Lease between Acme and Detto".
_JOINT_WORDS = "& and between by de del der des di du e el en et la le mit of the und van von with y"
_JOINTS = frozenset(_JOINT_WORDS.split())
#: A term is the document's own when at least this share of the chunks that have it are in it.
_OWN = 0.5


def named_by(where: Filter | None) -> tuple[str, str] | None:
    """Return the field and the value by which a filter names the document that every chunk inside it is of."""
    pending = [where] if where else []
    while pending:
        node = pending.pop()
        if isinstance(node, Compare) and node.field in ("document", "doc_id"):
            values = node.value if node.operator == "in" and isinstance(node.value, tuple) else (node.value,)
            if node.operator in ("eq", "in") and len(values) == 1:
                return node.field, str(values[0])
        elif isinstance(node, And) or (isinstance(node, Or) and len(node.parts) == 1):
            pending.extend(node.parts)
    return None


def beside_the_name(snapshot: Snapshot, question: Question, where: Filter | None) -> Question:
    """Return the question without the words that name the document which the filter names.

    These are the words of its title, and names (words with a capital, but for the question's first) that stand at its
    head, in a row with a word of the title or with one that other documents hardly have. A question that asks for
    nothing else ("who is Detto Technologies?") stays as it is.

    Args:
        snapshot: The state to search.
        question: The question.
        where: The filter.
    """
    document = _document(snapshot, where)
    if document is None:
        return question
    language = document.language or "en"
    title, head = frozenset(terms(document.title, language)), frozenset(terms(_head(document), language))
    words = [(m, frozenset(terms(m[0], language))) for m in _WORD.finditer(question.text)]
    naming = {m.span() for m, found in words if found and found <= title}
    for row in _rows(words) if language not in _CAPITAL_NOUNS else ():
        if any(found <= title for _, found in row) or _own(snapshot, [found for _, found in row], where):
            naming |= {m.span() for m, found in row if found <= head | title}
    if not naming:
        return question
    text = " ".join(_WORD.sub(lambda m: "" if m.span() in naming else m[0], question.text).split())
    if not any(word for word in _WORD.findall(text) if not FRAME.fullmatch(word)):
        return question
    left = frozenset(query_terms(text, snapshot.languages())) - title
    asked = {term: count for term, count in question.terms.items() if term in left}
    return replace(question, text=text, terms=asked or question.terms)


def _rows(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Yield names that stand in a row, but for joints between them."""
    row: list[Word] = []
    for match, found in words:
        if found and match.start() and any(letter.isupper() for letter in match[0]):
            row.append((match, found))
        elif row and match[0].lower() not in _JOINTS:
            yield row
            row = []
    if row:
        yield row


def _own(snapshot: Snapshot, names: Sequence[frozenset[str]], where: Filter | None) -> bool:
    """Return whether other documents hardly have one of the names."""
    asked = sorted(frozenset[str]().union(*names))
    here, all_over = snapshot.statistics(asked, where).frequencies, snapshot.statistics(asked, None).frequencies
    return any(all(0 < here.get(t, 0) >= _OWN * all_over.get(t, 0) for t in found) for found in names)


def _document(snapshot: Snapshot, where: Filter | None) -> DocumentRecord | None:
    """Return the document that the filter names; None for a path that documents of several roots inside it have."""
    named = named_by(where)
    if named is None:
        return None
    field, value = named
    ids = [value] if field == "doc_id" else [document_id(f"{root}/{value}") for root in snapshot.roots()]
    found = [document for document in map(snapshot.document, ids) if document is not None]
    if len(found) > 1:
        inside = snapshot.facets("doc_id", where)
        found = [document for document in found if document.id in inside]
    return found[0] if len(found) == 1 else None


def _head(document: DocumentRecord) -> str:
    return document.text[: min(_HEAD, int(len(document.text) * _SHARE))]
